/* Armstrong's seven parameters, and the speed a fixed while ago: hilctl/friction/armstrong.py and delay.py in C. */
#pragma once
#include <math.h>

enum { PARTS = 43, ROOM = 50, POINTS = 12, BEFORE = 5 };
enum { WAY, SPRING, DWELL, PAST, NOW, BEGIN, SPEED = BEGIN + 4, LAST = SPEED + 4, GRID };
enum { ARM_FC, ARM_FV, ARM_DFSA, ARM_DFSINF, ARM_VS, ARM_GAMMA, ARM_TAUL, ARM_KT };
static const double LONGER = 4.0;
static const double WEIGHTS[POINTS] = {-1, 11, -55, 165, -330, 462, -462, 330, -165, 55, -11, 1};

static inline double run_length(const double *z, int k) { return (k < 3 ? z[BEGIN + k + 1] : z[NOW]) - z[BEGIN + k]; }

static inline void reaches(const double *z, int left, double *before, double *behind) {
    double one = run_length(z, left), other = run_length(z, left + 1), least = one < other ? one : other;
    if ((one > other ? one : other) > LONGER * least) one = other = least;
    *before = 0.5 * one, *behind = 0.5 * other;
}

static inline double cubic(const double *z, double t) {
    double total = 0.0;
    for (int i = 0; i < 4; i++) {
        double at = z[BEGIN + i] + 0.5 * run_length(z, i), term = z[SPEED + i];
        for (int j = 0; j < 4; j++)
            if (j != i) {
                double other = z[BEGIN + j] + 0.5 * run_length(z, j);
                term *= (t - other) / (at - other);
            }
        total += term;
    }
    return total;
}

static inline double smooth_course(const double *z, double t) {
    int left = 3;
    while (left >= 0 && t < z[BEGIN + left] + 0.5 * run_length(z, left)) left--;
    if (left < 0 || left == 3) return z[SPEED + (left < 0 ? 0 : left)];
    double shortest = INFINITY, longest = 0.0;
    for (int k = 0; k < 4; k++) {
        double length = run_length(z, k);
        if (length < shortest) shortest = length;
        if (length > longest) longest = length;
    }
    if (longest <= LONGER * shortest) return cubic(z, t);
    double before, behind;
    reaches(z, left, &before, &behind);
    double off = t - z[BEGIN + left + 1];
    double share = off <= -before ? 0.0 : off >= behind ? 1.0 : (off + before) / (before + behind);
    return z[SPEED + left] + share * (z[SPEED + left + 1] - z[SPEED + left]);
}

static inline void settle(double *z, double spacing) {
    double before, behind;
    reaches(z, 2, &before, &behind);
    double last = floor((z[BEGIN + 3] - before) / spacing), first = z[LAST] + 1.0, oldest = last - ROOM + 1.0;
    for (int64_t j = (int64_t)(first > oldest ? first : oldest); j <= (int64_t)last; j++)
        z[GRID + j % ROOM] = smooth_course(z, (double)j * spacing);
    if (last > z[LAST]) z[LAST] = last;
}

static inline void remember(double *z, double v, double dt, double delay) {
    if (v != z[SPEED + 3]) {
        if (z[NOW] > z[BEGIN + 3]) {
            settle(z, delay / PARTS);
            for (int k = 0; k < 3; k++) z[BEGIN + k] = z[BEGIN + k + 1], z[SPEED + k] = z[SPEED + k + 1];
        }
        z[BEGIN + 3] = z[NOW], z[SPEED + 3] = v;
    }
    z[NOW] += dt;
}

static inline double delayed(const double *z, double delay) {
    double spacing = delay / PARTS, at = (z[NOW] - delay) / spacing, first = floor(at), off = at - first;
    double above = 0.0, below = 0.0;
    for (int i = 0; i < POINTS; i++) {
        int64_t j = (int64_t)first + i - BEFORE;
        double value = (double)j <= z[LAST] ? z[GRID + (j % ROOM + ROOM) % ROOM] : smooth_course(z, (double)j * spacing);
        double distance = off - (i - BEFORE);
        if (distance == 0.0) return value;
        double weight = WEIGHTS[i] / distance;
        above += weight * value, below += weight;
    }
    return above / below;
}

static inline double static_excess(const double *p, double dwell) {
    return p[ARM_DFSA] + (p[ARM_DFSINF] - p[ARM_DFSA]) * dwell / (dwell + p[ARM_GAMMA]);
}

static inline double sliding_level(const double *p, double excess, double v) {
    double ratio = v / p[ARM_VS];
    return p[ARM_FC] + excess / (1.0 + ratio * ratio);
}

static inline double until_it_breaks(const double *p, double pulled, double rate, double dwell) {
    double missing = p[ARM_FC] + static_excess(p, dwell) - pulled;
    if (missing <= 0.0) return 0.0;
    double age = dwell + p[ARM_GAMMA], b = rate * age - (p[ARM_DFSINF] - p[ARM_DFSA]) * p[ARM_GAMMA] / age - missing;
    double root = sqrt(b * b + 4.0 * rate * missing * age);
    return b > 0.0 ? 2.0 * missing * age / (b + root) : 0.5 * (root - b) / rate;
}

static inline void armstrong_stick(const double *p, double *z, double v, double dt) {
    double way = copysign(1.0, v), rate = p[ARM_KT] * fabs(v);
    double after = rate > 0.0 ? until_it_breaks(p, way * z[SPRING], rate, z[DWELL]) : INFINITY;
    if (after < dt) {
        z[WAY] = way;
        z[DWELL] += after;
        z[SPRING] = way * (p[ARM_FC] + static_excess(p, z[DWELL]));
    } else {
        z[SPRING] += p[ARM_KT] * (v * dt);
        z[DWELL] += dt;
    }
}

static inline void armstrong_advance(const double *p, double *z, double v, double dt) {
    if (!isfinite(v)) return;
    if (z[WAY] * v <= 0.0) {
        if (z[WAY] != 0.0) {
            z[SPRING] = z[WAY] * sliding_level(p, static_excess(p, z[DWELL]), z[PAST]);
            z[WAY] = z[DWELL] = 0.0;
        }
        armstrong_stick(p, z, v, dt);
    }
    if (p[ARM_TAUL] > 0.0) {
        remember(z, v, dt, p[ARM_TAUL]);
        if (z[WAY] != 0.0) z[PAST] = delayed(z, p[ARM_TAUL]);
    }
}

static inline double armstrong_force(const double *p, const double *z, double v) {
    if (!isfinite(v)) return NAN;
    if (z[WAY] == 0.0) return z[SPRING];
    double past = p[ARM_TAUL] > 0.0 ? z[PAST] : v;
    return z[WAY] * sliding_level(p, static_excess(p, z[DWELL]), past) + p[ARM_FV] * v;
}
