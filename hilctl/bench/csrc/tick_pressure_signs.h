/* How well the chamber pressures go with the motion in the bumps of arming; see hilctl/law/pressure_signs.py. */
#ifndef TICK_PRESSURE_SIGNS_H
#define TICK_PRESSURE_SIGNS_H
#include "tick_blocks.h"

enum { ONE, TIME, SQUARE, SETTLING };
enum { FORCE, WAY, CHAMBER, LEFT = CHAMBER + 2, COLUMNS = SETTLING + LEFT, FEWEST = 8 };
static const double chance = 1e-4, least_fit = 0.25, rounding = 1e-12;

static inline void fit_restart(Fit *s) {
    s->way = s->freedom = 0;
    for (int i = 0; i < LEFT; i++)
        for (int j = 0; j < LEFT; j++) s->left[i][j] = 0;
}

static inline void fit_begin(const double *value, Fit *s) {
    s->t = 0;
    for (int k = 0; k < 2; k++) s->begin[k] = value[PRESSURE_A + k];
    for (int i = 0; i < COLUMNS; i++)
        for (int j = 0; j < COLUMNS; j++) s->sums[i][j] = 0;
}

static inline void fit_add(double a, double way, double lag, double dt, const double *value, Fit *s) {
    s->t += dt;
    s->way += dt / (dt + lag) * (way - s->way);
    double *c = s->column;
    c[ONE] = 1; c[TIME] = s->t; c[SQUARE] = s->t * s->t; c[SETTLING + FORCE] = a; c[SETTLING + WAY] = s->way;
    for (int k = 0; k < 2; k++) c[SETTLING + CHAMBER + k] = value[PRESSURE_A + k] - s->begin[k];
    for (int i = 0; i < COLUMNS; i++)
        for (int j = i; j < COLUMNS; j++) s->sums[i][j] += c[i] * c[j];
}

static inline void take_out(int k, double sums[COLUMNS][COLUMNS]) {
    if (sums[k][k] <= 0) return;
    for (int i = k + 1; i < COLUMNS; i++) {
        double share = sums[k][i] / sums[k][k];
        for (int j = i; j < COLUMNS; j++) sums[i][j] -= share * sums[k][j];
    }
}

static inline void round_off(int k, double least, double sums[COLUMNS][COLUMNS]) {
    if (sums[k][k] > least) return;
    for (int i = 0; i < COLUMNS; i++) sums[i][k] = sums[k][i] = 0;
}

static inline void fit_count(Fit *s) {
    double n = s->sums[ONE][ONE];
    if (n < FEWEST) return;
    s->freedom += n - SETTLING;
    int a = COLUMNS - 2, b = COLUMNS - 1;
    double least_a = rounding * s->sums[a][a], least_b = rounding * s->sums[b][b];
    for (int k = 0; k < SETTLING; k++) take_out(k, s->sums);
    round_off(a, least_a, s->sums);
    round_off(b, least_b, s->sums);
    for (int i = 0; i < LEFT; i++)
        for (int j = i; j < LEFT; j++) s->left[i][j] += s->sums[SETTLING + i][SETTLING + j];
}

static inline double explained(int k, double sign, double left[LEFT][LEFT]) {
    double a = left[FORCE][FORCE], w = left[WAY][WAY], both = left[FORCE][WAY], best = 0;
    double pa = sign * left[FORCE][CHAMBER + k], pw = sign * left[WAY][CHAMBER + k];
    if (pa > 0 && a > 0) best = pa * pa / a;
    if (pw > 0 && w > 0) best = most(best, pw * pw / w);
    double spread = a * w - both * both, ba = w * pa - both * pw, bw = a * pw - both * pa;
    if (spread > rounding * a * w && ba > 0 && bw > 0) best = (ba * pa + bw * pw) / spread;
    return best;
}

static inline void fit_judge(Fit *s) {
    s->found[0] = s->found[1] = 0;
    s->bound = 1;
    if (s->freedom == 0) return;
    s->bound = most(least_fit, sqrt(-expm1(2 * log(chance) / (s->freedom - 2))));
    for (int k = 0; k < 2; k++) {
        double whole = s->left[CHAMBER + k][CHAMBER + k];
        if (whole <= 0) continue;
        double right = explained(k, k ? -1 : 1, s->left), wrong = explained(k, k ? 1 : -1, s->left);
        s->found[k] = wrong > right ? -sqrt(wrong / whole) : sqrt(right / whole);
    }
}
#endif
