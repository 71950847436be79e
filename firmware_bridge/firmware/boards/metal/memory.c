/* The three that a compiler may call on its own account. */
#include <stddef.h>

void *memcpy(void *to, const void *from, size_t count);
void *memmove(void *to, const void *from, size_t count);
void *memset(void *to, int value, size_t count);

void *memcpy(void *to, const void *from, size_t count) {
    for (size_t i = 0; i < count; i++) {
        ((unsigned char *)to)[i] = ((const unsigned char *)from)[i];
    }
    return to;
}

void *memmove(void *to, const void *from, size_t count) {
    if ((unsigned char *)to <= (const unsigned char *)from) {
        return memcpy(to, from, count);
    }
    while (count-- > 0) {
        ((unsigned char *)to)[count] = ((const unsigned char *)from)[count];
    }
    return to;
}

void *memset(void *to, int value, size_t count) {
    for (size_t i = 0; i < count; i++) {
        ((unsigned char *)to)[i] = (unsigned char)value;
    }
    return to;
}
