/* What the translated functions need of Python: min and max that keep the first of two equal numbers, and its modulo. */
#pragma once
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

static inline double hil_min(double a, double b) { return b < a ? b : a; }
static inline double hil_max(double a, double b) { return b > a ? b : a; }
static inline int64_t hil_min_whole(int64_t a, int64_t b) { return b < a ? b : a; }
static inline int64_t hil_max_whole(int64_t a, int64_t b) { return b > a ? b : a; }

static inline int64_t hil_mod(int64_t a, int64_t b)
{
    int64_t rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
