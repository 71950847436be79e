/* Words and numbers of a line of text, read and written without a C library. */
#ifndef HIL_TEXT_H
#define HIL_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Where text is written; what does not fit is left out. Always ends with a zero. */
struct hil_out {
    char *at;
    size_t room;
};

struct hil_word {
    const char *at;
    size_t length;
};

/* The words of a line, at most `most` of them; how many there are. */
size_t text_words(const char *line, struct hil_word *words, size_t most);

int text_is(struct hil_word word, const char *name);
int text_number(struct hil_word word, int64_t *value);

/* The next byte of a word of hexadecimal digits, which it moves on; -1 at the end. */
int text_hex(struct hil_word *word);

void text_put(struct hil_out *out, const char *text);
void text_put_unsigned(struct hil_out *out, const char *name, uint32_t value);
void text_put_signed(struct hil_out *out, const char *name, int32_t value);
void text_put_hex(struct hil_out *out, const uint8_t *bytes, size_t count);

#endif
