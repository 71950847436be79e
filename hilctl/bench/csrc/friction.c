/* Every friction law in C: the yardstick of `hilctl bench friction`. The same equations as hilctl/friction on the same
 * memory, each run through the same course, so that the forces can be compared. Compiled by the benchmark, gcc -O3. */
#include <math.h>
#include <stdint.h>

#include "friction_armstrong.h"

static inline double way_of(double v) { return copysign(1.0, v); }

/* The curve that most laws share. */
enum { FC, FS, VS, SIGMA, DELTA, WIDTH };

static inline double level(const double *p, double speed) {
    double ratio = speed / p[VS], delta = p[DELTA];
    double shape = delta == 2.0 ? ratio * ratio : delta == 1.0 ? ratio : pow(ratio, delta);
    return p[FC] + (p[FS] - p[FC]) * exp(-shape);
}

static inline const double *side(const double *p, double direction, int width) { return direction >= 0.0 ? p : p + width; }

static inline double stribeck_slip(const double *p, double direction, double v) {
    p = side(p, direction, WIDTH);
    return direction * level(p, fabs(v)) + p[SIGMA] * v;
}
static inline double stribeck_hold(const double *p, double direction) { return side(p, direction, WIDTH)[FS]; }

static inline double tanh_slip(const double *p, double direction, double v) {
    const double *q = side(p, v, WIDTH);
    return level(q, fabs(v)) * tanh(0.5 * p[2 * WIDTH] * v) + q[SIGMA] * v + 0.0 * v;
}

/* Powers of the speed. */
static inline double power(double fv, double dv, double direction, double v) {
    double force = dv == 1.0 ? fv * v : dv > 1.0 ? fv * pow(fabs(v), dv - 1.0) * v : direction * fv * pow(fabs(v), dv);
    return force + 0.0 * v;
}

static inline double coulomb_slip(const double *p, double direction, double v) {
    return direction * side(p, direction, 1)[0] + 0.0 * v;
}
static inline double coulomb_hold(const double *p, double direction) { return side(p, direction, 1)[0]; }

static inline double viscous_slip(const double *p, double direction, double v) {
    p = side(p, direction, 2);
    return power(p[0], p[1], direction, v);
}
static inline double viscous_hold(const double *p, double direction) { return 0.0; }

static inline double static_slip(const double *p, double direction, double v) {
    p = side(p, direction, 4);
    return direction * p[0] + power(p[2], p[3], direction, v);
}
static inline double static_hold(const double *p, double direction) { return side(p, direction, 4)[1]; }

/* Simscape's smooth breakaway. */
enum { BRK, COULOMB, VBRK, SLOPE };

static inline double breakaway_slip(const double *p, double direction, double v) {
    const double stribeck_share = sqrt(2.0), norm = sqrt(2.0 * 2.718281828459045);
    p = side(p, v, 4);
    double x = v / (stribeck_share * p[VBRK]);
    double stribeck = norm * (p[BRK] - p[COULOMB]) * exp(-x * x) * x;
    return stribeck + p[COULOMB] * tanh(v / (0.1 * p[VBRK])) + p[SLOPE] * v + 0.0 * v;
}

/* LuGre. */
enum { S0 = 2 * WIDTH, S1, VD, BRISTLES = 3 };

static inline void lugre_advance(const double *p, double *z, double v, double dt) {
    if (!isfinite(v)) return;
    double g = level(side(p, v, WIDTH), fabs(v)), spring = side(p, v, BRISTLES)[S0], bent = z[0];
    if (bent * v < 0.0) {
        double back = side(p, bent, BRISTLES)[S0];
        if (back != spring) {
            double until = log1p(back * fabs(bent) / g) * g / (back * fabs(v));
            if (until >= dt) spring = back;
            else bent = 0.0, dt -= until;
        }
    }
    double settled = copysign(g, v) / spring;
    z[0] = bent - (settled - bent) * expm1(-spring * fabs(v) / g * dt);
}
static inline double lugre_force(const double *p, const double *z, double v) {
    const double *curve = side(p, v, WIDTH), *own = side(p, v, BRISTLES);
    double spring = side(p, z[0], BRISTLES)[S0], fall = v / own[VD];
    double bending = v - spring * fabs(v) / level(curve, fabs(v)) * z[0];
    return spring * z[0] + own[S1] * exp(-fall * fall) * bending + curve[SIGMA] * v;
}

/* Dahl. */
enum { DAHL_FC, DAHL_SIGMA, DAHL_S0, DAHL_ALPHA, DAHL };

static inline double approach(double force, double level, double stiffness, double alpha, double step) {
    double away = 1.0 - copysign(force / level, force * step);
    if (away == 0.0 || step == 0.0) return force;
    double path = stiffness / level * fabs(step);
    if (alpha != 1.0) {
        double used = (1.0 - alpha) * path * pow(fabs(away), alpha - 1.0);
        path = used < 1.0 ? -log1p(-used) / (1.0 - alpha) : INFINITY;
    }
    return force - copysign(level, step) * away * expm1(-path);
}
static inline void dahl_advance(const double *p, double *z, double v, double dt) {
    if (!isfinite(v)) return;
    const double *q = side(p, v, DAHL);
    double force = z[0], step = v * dt, stiffness = q[DAHL_S0], bent = side(p, force, DAHL)[DAHL_S0];
    if (force * v < 0.0 && bent != stiffness) {
        double away = 1.0 + fabs(force) / q[DAHL_FC], alpha = q[DAHL_ALPHA];
        double path = alpha == 1.0 ? log(away) : (pow(away, 1.0 - alpha) - 1.0) / (1.0 - alpha);
        double until = q[DAHL_FC] / bent * path;
        if (until >= fabs(step)) stiffness = bent;
        else force = 0.0, step -= copysign(until, v);
    }
    z[0] = approach(force, q[DAHL_FC], stiffness, q[DAHL_ALPHA], step);
}
static inline double dahl_force(const double *p, const double *z, double v) {
    double force = z[0] + side(p, v, DAHL)[DAHL_SIGMA] * v;
    return isfinite(v) ? force : NAN;
}

/* Bliman-Sorine. */
enum { BLIMAN_SIGMA, F1, LENGTH1, F2, LENGTH2 };

static inline double bend(double x, double end, double path) { return x - (end - x) * expm1(-path); }
static inline void bliman1_advance(const double *p, double *z, double v, double dt) {
    if (isfinite(v)) z[0] = bend(z[0], copysign(p[F1], v), fabs(v) * dt / p[LENGTH1]);
}
static inline void bliman2_advance(const double *p, double *z, double v, double dt) {
    if (!isfinite(v)) return;
    double path = fabs(v) * dt;
    z[0] = bend(z[0], copysign(p[F1], v), path / p[LENGTH1]);
    z[1] = bend(z[1], -copysign(p[F2], v), path / p[LENGTH2]);
}
static inline double bliman_force(const double *p, const double *z, double v) {
    double force = z[0] + z[1] + p[BLIMAN_SIGMA] * v;
    return isfinite(v) ? force : NAN;
}

/* GMS. */
enum { ELEMENTS = 10, ATTRACTION = 2 * WIDTH, ALPHA, K = ALPHA + ELEMENTS, RATIO = K + ELEMENTS };
enum { TOTAL, F, SLIP = F + ELEMENTS };

static inline void gms_advance(const double *p, double *z, double v, double dt) {
    if (!isfinite(v)) return;
    if (v == 0.0) {
        for (int i = 0; i < ELEMENTS; i++) z[SLIP + i] = 0.0;
        return;
    }
    double way = way_of(v), speed = fabs(v), g = level(side(p, v, WIDTH), speed);
    double travel = speed * dt, keep = exp(-p[ATTRACTION] / g * dt), total = 0.0;
    double onward = v > 0.0 ? travel : travel * p[RATIO], back = v > 0.0 ? travel * p[RATIO] : travel;
    for (int i = 0; i < ELEMENTS && p[K + i] != 0.0; i++) {
        double limit = p[ALPHA + i] * g, force = way * z[F + i];
        if (z[SLIP + i] == way || force >= limit) {
            z[SLIP + i] = way;
            force = limit + (force - limit) * keep;
        } else {
            if (force >= 0.0) force += p[K + i] * onward;
            else {
                force += p[K + i] * back;
                if (force > 0.0) force *= onward / back;
            }
            z[SLIP + i] = 0.0;
            if (force >= limit) z[SLIP + i] = way, force = limit;
        }
        z[F + i] = way * force;
        total += force;
    }
    z[TOTAL] = way * total;
}
static inline double gms_force(const double *p, const double *z, double v) {
    return isfinite(v) ? z[TOTAL] + side(p, v, WIDTH)[SIGMA] * v : NAN;
}

/* The course: what a substep of the twin asks of a law, at speeds as its Runge-Kutta step would find them. S is what
 * the law keeps constant during that step: the direction, or the state. */
#define STAGES(LAW, S) \
    double v = speeds[k], half = 0.5 * dt, a = (speeds[k + 1] - v) / dt; \
    double f1 = LAW(p, S, v), v2 = v + half * (a - f1 * per_mass); \
    double f2 = LAW(p, S, v2), v3 = v + half * (a - f2 * per_mass); \
    double f3 = LAW(p, S, v3), v4 = v + dt * (a - f3 * per_mass); \
    double f4 = LAW(p, S, v4), force = (f1 + 2.0 * (f2 + f3) + f4) / 6.0;

#define COURSE(NAME, STEP) \
    void friction_##NAME(const double *p, double *z, const double *speeds, int64_t count, double dt, double per_mass, \
                         double *out) { \
        for (int64_t k = 0; k < count; k++) { STEP } \
    }

#define JUMPS(NAME, SLIP, HOLD) COURSE(NAME, \
    double direction = way_of(speeds[k]); \
    STAGES(SLIP, direction) \
    out[k] = fabs(a) > HOLD(p, a) * per_mass ? force : -force;)

#define SMOOTH(NAME, SLIP) COURSE(NAME, STAGES(SLIP, 0.0) out[k] = force;)

#define BRISTLES(NAME, ADVANCE, FORCE) COURSE(NAME, \
    ADVANCE(p, z, speeds[k], 0.5 * dt); \
    STAGES(FORCE, z) \
    ADVANCE(p, z, speeds[k + 1], 0.5 * dt); \
    out[k] = force;)

JUMPS(stribeck, stribeck_slip, stribeck_hold)
JUMPS(karnopp, stribeck_slip, stribeck_hold)
JUMPS(coulomb, coulomb_slip, coulomb_hold)
JUMPS(viscous, viscous_slip, viscous_hold)
JUMPS(static, static_slip, static_hold)
SMOOTH(tanh, tanh_slip)
SMOOTH(breakaway, breakaway_slip)
SMOOTH(breakaway_rotational, breakaway_slip)
BRISTLES(lugre, lugre_advance, lugre_force)
BRISTLES(dahl, dahl_advance, dahl_force)
BRISTLES(bliman_sorine_1, bliman1_advance, bliman_force)
BRISTLES(bliman_sorine_2, bliman2_advance, bliman_force)
BRISTLES(armstrong, armstrong_advance, armstrong_force)
BRISTLES(gms, gms_advance, gms_force)
