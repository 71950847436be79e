/* Readings that stand still in C; see hilctl/law/stillness.py. */
#ifndef TICK_STILLNESS_H
#define TICK_STILLNESS_H
#include "tick_reference.h"

static inline void learn(int k, double raw, Still *w) {
    if (!isfinite(raw)) return;
    double by = raw - w->last[k];
    if (by != 0 && isfinite(by)) {
        w->step[k] = least(w->step[k], fabs(by));
        w->turns[k] += by * w->by[k] < 0;
        w->by[k] = by;
    }
    w->low[k] = least(w->low[k], raw);
    w->high[k] = most(w->high[k], raw);
    w->longest_s[k] = most(w->longest_s[k], w->same_s[k]);
}

static inline void still(const Readings *r, int lost, int driven, int resting, double passed_s, Still *w) {
    if (lost) return;
    double raw[WATCHED] = {r->displacement_m, r->acceleration_m_s2, r->pressure_a_pa, r->pressure_b_pa};
    for (int k = 0; k < WATCHED; k++) {
        int same = raw[k] == w->last[k];
        w->same_s[k] = same ? w->same_s[k] + passed_s : 0;
        w->driven_s[k] = same && driven ? w->driven_s[k] + passed_s : 0;
        if (resting) learn(k, raw[k], w);
        w->last[k] = raw[k];
    }
    if (!resting) return;
    w->rested++;
    w->age_s[PRESSURE_A] += (1e-9 * (double)r->age_ns[PRESSURE_A] - w->age_s[PRESSURE_A]) / w->rested;
    w->age_s[PRESSURE_B] += (1e-9 * (double)r->age_ns[PRESSURE_B] - w->age_s[PRESSURE_B]) / w->rested;
}

static inline void still_learnt(double runs, double passed_s, Still *w) {
    for (int k = 0; k < WATCHED; k++) {
        if (w->turns[k] >= STILL_TURNS && w->high[k] - w->low[k] >= STILL_STEPS * w->step[k])
            w->most_s[k] = runs * (w->longest_s[k] + passed_s);
        w->every_s[k] = 2 * w->age_s[k];
    }
}

static inline void still_opened(int closed, double opening, double seen, double speed, double passed_s, Still *w) {
    if (w->same_s[DISPLACEMENT] == 0 || !closed) { w->opened_m = 0; return; }
    double beyond = least(fabs(opening), 1) - seen;
    if (beyond > 0) w->opened_m += copysign(beyond * speed * passed_s, opening);
}

#endif
