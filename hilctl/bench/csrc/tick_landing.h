/* Feedback at rest, as hilctl/law/landing.py. */
#ifndef TICK_LANDING_H
#define TICK_LANDING_H
#include "tick_blocks.h"

static inline void landing_swing(double asked, double integral, double widest, double dt, Landing *s) {
    s->time_s += dt;
    s->area += dt * integral;
    if (asked * s->side < 0 && fabs(asked) > SWING) {
        if (s->peak < LASTS * s->older) s->swings = 0;
        if (s->swings >= SETTLED) {
            s->band = least(most(s->band, WIDER * least(s->peak, least(s->last, s->older))), widest);
            s->null = 0.5 * (s->before + s->area / s->time_s);
            s->to_null_s = TO_NULL_S;
        }
        s->swings += 1;
        s->before = s->area / s->time_s;
        s->older = s->last;
        s->last = s->peak;
        s->side = s->peak = s->time_s = s->area = 0;
    }
    if (s->side == 0 && fabs(asked) > SWING) s->side = asked > 0 ? 1 : -1;
    s->peak = most(s->peak, fabs(asked));
}

static inline double landing(int rests, double asked, double integral, double first, double widest, double dt,
                             Landing *s) {
    if (rests) {
        s->share = least(s->share + dt / LANDING_BLEND_S, 1);
        landing_swing(asked, integral, widest, dt, s);
    } else {
        if (s->swings > 0) s->band *= BAND_KEPT;
        s->share = most(s->share - dt / LANDING_BLEND_S, 0);
        s->side = s->peak = s->last = s->older = s->time_s = s->area = s->to_null_s = 0;
        s->swings = 0;
    }
    s->band = most(s->band, first);
    double reach = s->share * least(s->band, widest), before = s->left;
    s->left = least(most(least(most(s->left, asked - PLAY), asked + PLAY), -reach), reach);
    double creep = rests ? CREEP_PER_S * dt : 0;
    s->crept = least(most(s->left - before, -creep), creep);
    return s->left;
}

static inline int landed(double widest, const Landing *s) {
    return fabs(s->left) < s->share * least(s->band, widest);
}

static inline double landing_integral(int is_landed, double integral, double dt, Landing *s) {
    integral += s->crept;
    if (is_landed && s->to_null_s > 0) {
        s->to_null_s -= dt;
        integral += least(dt / LANDING_LAG_S, 1) * (s->null - integral);
    }
    return integral;
}

static inline void landing_shift(double by, Landing *s) {
    s->area -= by * s->time_s;
    s->before -= by;
    s->null -= by;
}
#endif
