#include "text.h"

size_t text_words(const char *line, struct hil_word *words, size_t most) {
    size_t count = 0;
    for (;;) {
        while (*line == ' ' || *line == '\r' || *line == '\n') line++;
        if (*line == 0) {
            return count;
        }
        const char *begin = line;
        while (*line > ' ') line++;
        if (line == begin) {
            return 0; /* no text at all */
        }
        if (count < most) {
            words[count].at = begin;
            words[count].length = (size_t)(line - begin);
        }
        count++;
    }
}

int text_is(struct hil_word word, const char *name) {
    size_t i = 0;
    while (i < word.length && word.at[i] == name[i]) i++;
    return i == word.length && name[i] == 0;
}

int text_number(struct hil_word word, int64_t *value) {
    size_t i = word.length > 0 && word.at[0] == '-';
    int64_t found = 0;
    if (i == word.length || word.length > 12) {
        return 0;
    }
    for (size_t at = i; at < word.length; at++) {
        if (word.at[at] < '0' || word.at[at] > '9') {
            return 0;
        }
        found = 10 * found + (word.at[at] - '0');
    }
    *value = i ? -found : found;
    return 1;
}

static int digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int text_hex(struct hil_word *word) {
    if (word->length < 2 || digit(word->at[0]) < 0 || digit(word->at[1]) < 0) {
        return -1;
    }
    int value = 16 * digit(word->at[0]) + digit(word->at[1]);
    word->at += 2;
    word->length -= 2;
    return value;
}

void text_put(struct hil_out *out, const char *text) {
    for (; *text && out->room > 1; text++, out->room--) {
        *out->at++ = *text;
    }
    *out->at = 0;
}

void text_put_unsigned(struct hil_out *out, const char *name, uint32_t value) {
    char digits[11];
    size_t at = sizeof digits - 1;
    digits[at] = 0;
    do {
        digits[--at] = (char)('0' + value % 10u);
        value /= 10u;
    } while (value > 0);
    text_put(out, name);
    text_put(out, digits + at);
}

void text_put_signed(struct hil_out *out, const char *name, int32_t value) {
    text_put(out, name);
    text_put(out, value < 0 ? "-" : "");
    text_put_unsigned(out, "", value < 0 ? 0u - (uint32_t)value : (uint32_t)value);
}

void text_put_hex(struct hil_out *out, const uint8_t *bytes, size_t count) {
    char pair[3] = "";
    for (size_t i = 0; i < count; i++) {
        pair[0] = "0123456789abcdef"[bytes[i] >> 4];
        pair[1] = "0123456789abcdef"[bytes[i] & 15];
        text_put(out, pair);
    }
}
