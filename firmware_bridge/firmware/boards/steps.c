#include "steps.h"

#include "text.h"

static void put_bytes(struct hil_out *out, const uint8_t *bytes, size_t count) {
    text_put_hex(out, bytes, count);
    text_put(out, count ? "\n" : "-\n");
}

static void receive(struct hil_witness *w, struct hil_word hex, struct hil_out *out) {
    uint8_t said[2 * HIL_MOST_FRAME];
    size_t room = out->room;
    int byte;
    while ((byte = text_hex(&hex)) >= 0) {
        if (!w->line[W_DEAF]) hil_receive(&w->device, (uint8_t)byte);
        text_put_hex(out, said, witness_reply(w, said));
    }
    text_put(out, out->room < room ? "\n" : "-\n");
}

static void seal(struct hil_word hex, struct hil_out *out) {
    uint8_t body[HIL_MOST_BODY], frame[HIL_MOST_FRAME];
    size_t count = 0;
    int byte;
    while (count < HIL_MOST_BODY && (byte = text_hex(&hex)) >= 0) {
        body[count++] = (uint8_t)byte;
    }
    put_bytes(out, frame, hil_seal(body, count, frame));
}

static void unseal(struct hil_word hex, struct hil_out *out) {
    size_t count = hex.length / 2;
    if (count == 0) {
        text_put(out, "-\n");
        return;
    }
    uint8_t exact[count]; /* no longer, so that a sanitizer sees who reads beyond */
    for (size_t i = 0; i < count; i++) {
        exact[i] = (uint8_t)text_hex(&hex);
    }
    put_bytes(out, exact, hil_unseal(exact, count));
}

/* 0 when it is none of the commands of this file. */
static int step(struct hil_witness *w, const struct hil_word *words, size_t count, struct hil_out *out) {
    struct hil_word bytes = count == 2 ? words[1] : (struct hil_word){"", 0}; /* none is possible too */
    int64_t ticks;
    if (count == 0 || count > 2) {
        return 0;
    }
    if (count == 1 && text_is(words[0], "fresh")) {
        witness_fresh(w);
    } else if (count == 2 && text_is(words[0], "tick") && text_number(words[1], &ticks)) {
        while (ticks-- > 0) {
            witness_hold(w);
            hil_tick(&w->device, &w->inputs);
        }
    } else if (text_is(words[0], "rx")) {
        receive(w, bytes, out);
        return 1;
    } else if (text_is(words[0], "seal")) {
        seal(bytes, out);
        return 1;
    } else if (text_is(words[0], "unseal")) {
        unseal(bytes, out);
        return 1;
    } else {
        return 0;
    }
    text_put(out, "ok\n");
    return 1;
}

size_t steps_obey(struct hil_witness *w, const char *text, char *answer, size_t room) {
    struct hil_word words[3];
    struct hil_out out = {answer, room};
    answer[0] = 0;
    if (!step(w, words, text_words(text, words, 3), &out)) {
        return witness_obey(w, text, answer, room);
    }
    return (size_t)(out.at - answer);
}
