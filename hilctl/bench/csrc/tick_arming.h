/* Arming in C, and the proof of the plant's signs that its bumps give; see hilctl/law/arming.py and signs.py. */
#ifndef TICK_ARMING_H
#define TICK_ARMING_H
#include "tick_blocks.h"
#include "tick_pressure_signs.h"

enum { ARMED = -1, GOING };
enum { CLOSE = 20, REPEATS = 3, LEAST_ROUNDS = 2, MOST_ROUNDS = 4, MOST_DISTURBED = 10 };
static const double ratio = 0.4;

static inline void signs_rest(double a, int restart, Signs *s) {
    if (restart) {
        s->rest_a = s->rest_n = 0;
        fit_restart(&s->pressures);
    }
    s->rest_n++;
    s->rest_a += (a - s->rest_a) / s->rest_n;
}

static inline void signs_begin(const double *value, Signs *s) {
    s->x_begin = value[DISPLACEMENT];
    s->v = s->s = 0;
    fit_begin(value, &s->pressures);
}

static inline void signs_step(const double *value, double way, double lag, double dt, Signs *s) {
    double a = value[ACCELERATION] - s->rest_a;
    s->s += dt * (s->v + 0.5 * dt * a);
    s->v += dt * a;
    fit_add(a, way, lag, dt, value, &s->pressures);
}

static inline int64_t ends(int64_t trip, double value, double limit, int64_t sensor, Arm *a) {
    a->value = value; a->limit = limit; a->sensor = sensor;
    return trip;
}

static inline int64_t found(int64_t trip, int64_t sensor, double value, double limit, Arm *a) {
    a->signs.sensor = sensor; a->signs.value = value; a->signs.limit = limit;
    return ends(trip, value, limit, sensor, a);
}

static inline int sign(double value, double from) { return value >= from ? 1 : value <= -from ? -1 : 0; }

static inline int64_t signs_motion(const double *value, double least_m, int resolved, Arm *arm) {
    const Signs *s = &arm->signs;
    double went = s->x_turn - 0.5 * (s->x_begin + value[DISPLACEMENT]), felt = s->s_turn - 0.5 * s->s;
    int x = sign(went, least_m), a = sign(felt, x ? ratio * fabs(went) : least_m);
    if (!resolved) a = x;
    if (x > 0 && a > 0) return 0;
    if (x > 0) return found(a < 0 ? Trip_SENSOR_REVERSED : Trip_SENSOR_DEAD, ACCELERATION, felt / went, ratio, arm);
    if (x < 0 && a < 0) return found(Trip_POLARITY, -1, went, least_m, arm);
    if (x < 0) return found(Trip_SENSOR_REVERSED, DISPLACEMENT, went, least_m, arm);
    if (a) return found(Trip_SENSOR_DEAD, DISPLACEMENT, went, least_m, arm);
    return found(Trip_NO_MOTION, -1, went, least_m, arm);
}

static inline int64_t signs_pressures(Arm *arm) {
    Fit *fit = &arm->signs.pressures;
    fit_judge(fit);
    const double *r = fit->found;
    int of[2] = {sign(r[0], fit->bound), sign(r[1], fit->bound)};
    if (of[0] < 0 && of[1] < 0) return found(Trip_PRESSURES_EXCHANGED, -1, r[0], fit->bound, arm);
    for (int k = 0; k < 2; k++)
        if (of[k] <= 0)
            return found(of[k] ? Trip_SENSOR_REVERSED : Trip_SENSOR_DEAD, PRESSURE_A + k, r[k], fit->bound, arm);
    return 0;
}

static inline void next(int64_t step, Arm *a) {
    a->step = step; a->in_step_s = 0;
    a->n = a->t = a->tt = a->x = a->tx = 0;
}

static inline void arming_forget(Arm *a) { if (!a->proved) a->null = a->kept; }

static inline int supply_up(double supply, double wanted, double wait_s, const Arming *c, const Arm *a) {
    return isnan(supply) ? a->in_step_s >= wait_s : supply >= c->supply_share * wanted;
}

static inline void sum(double t, double x, Arm *a) {
    if (a->n == 0) a->middle_m = x;
    double way = x - a->middle_m;
    a->n++;
    a->t += t;
    a->tt += t * t;
    a->x += way;
    a->tx += t * way;
}

static inline double slope(const Arm *a) {
    double spread = a->n * a->tt - a->t * a->t;
    return spread > 0 ? (a->n * a->tx - a->t * a->x) / spread : 0;
}

static inline int64_t bumps(const double *value, Arm *a) {
    signs_begin(value, &a->signs);
    a->disturbed = 0;
    next(Step_BUMP_UP, a);
    return GOING;
}

static inline int again(const Arm *a) { return a->disturbed > 0 && a->rounds < MOST_DISTURBED; }

static inline int64_t judge_bumps(const Arming *c, double own, double promised, int resolved, const double *value, Arm *a) {
    double least_m = c->response * c->bump * (own == 0 ? promised * c->bump_s : own);
    a->rounds++;
    int64_t trip = signs_motion(value, least_m, resolved, a);
    if (trip) return again(a) ? bumps(value, a) : trip;
    a->gain_m_s = (a->up_m_s - a->down_m_s) / (2 * c->bump);
    if (!(a->gain_m_s > 0)) return again(a) ? bumps(value, a) : ends(Trip_NO_MOTION, 0, least_m, -1, a);
    double off = own == 0 ? (a->up_m_s + a->down_m_s) / (2 * a->gain_m_s) : 0;
    a->null -= off;
    if (own == 0 && !(fabs(a->null) <= c->null_max))
        return ends(Trip_NULL_NOT_CONFIRMED, a->null, c->null_max, -1, a);
    if (a->rounds >= LEAST_ROUNDS) fit_count(&a->signs.pressures);
    if (a->rounds < LEAST_ROUNDS || (fabs(off) > c->bump / CLOSE && a->rounds < MOST_ROUNDS)) return bumps(value, a);
    if (fabs(off) > c->bump / REPEATS)
        return again(a) ? bumps(value, a) : ends(Trip_NULL_NOT_CONFIRMED, off, c->bump / REPEATS, -1, a);
    trip = signs_pressures(a);
    if (trip == Trip_SENSOR_DEAD && a->rounds < MOST_ROUNDS) return bumps(value, a);
    if (trip) return again(a) ? bumps(value, a) : trip;
    a->proved = 1;
    a->kept = a->null;
    next(Step_HIGH_PRESSURE, a);
    return GOING;
}

static inline int64_t bump(const Arming *c, const Machine *m, double own, const double *value, double supply, double dt,
                           Arm *a) {
    double x = value[DISPLACEMENT], half = 0.5 * c->bump_s;
    int up = a->step == Step_BUMP_UP;
    double wh = sqrt(4 * m->beta * m->A * m->A / (m->Vt * m->m));
    signs_step(value, up ? 1 : -1, 2 * m->zv / m->wv + 1 / wh, dt, &a->signs);
    if (fabs(x - a->begin_m) > c->travel_m) return ends(Trip_ARMING, x - a->begin_m, c->travel_m, DISPLACEMENT, a);
    if (a->in_step_s >= half) sum(a->in_step_s - half, x, a);
    if (a->in_step_s < c->bump_s) return GOING;
    double mean = own > 0 ? x : slope(a);
    if (!up) {
        a->down_m_s = mean;
        double promised = m->Qn / m->A * sqrt((isnan(supply) ? m->Ps_low : most(supply, 0)) / m->Ps);
        return judge_bumps(c, own, promised, a->disturbed > 0 || wh * dt < 1, value, a);
    }
    a->up_m_s = mean;
    a->signs.x_turn = x;
    a->signs.s_turn = a->signs.s;
    next(Step_BUMP_DOWN, a);
    return GOING;
}

static inline int64_t arming(const Arming *c, const Machine *m, double own, const double *value, double v, double dt,
                             int clean, Arm *a) {
    double supply = value[SUPPLY];
    a->in_step_s += dt;
    a->disturbed += !clean;
    int resting = fabs(v) <= c->rest_speed_m_s;
    switch (a->step) {
    case Step_REST:
        signs_rest(value[ACCELERATION], a->in_step_s <= dt, &a->signs);
        if (a->in_step_s >= c->rest_s) {
            if (!resting) return ends(Trip_ARMING, v, c->rest_speed_m_s, DISPLACEMENT, a);
            next(Step_LOW_PRESSURE, a);
        }
        break;
    case Step_LOW_PRESSURE:
        if (supply_up(supply, m->Ps_low, c->low_pressure_s, c, a)) next(a->proved ? Step_HIGH_PRESSURE : Step_ENABLE, a);
        break;
    case Step_ENABLE:
        if (a->in_step_s >= c->bump_s / 3) bumps(value, a);
        break;
    case Step_BUMP_UP:
    case Step_BUMP_DOWN:
        return bump(c, m, own, value, supply, dt, a);
    case Step_HIGH_PRESSURE:
        if (supply_up(supply, m->Ps, c->high_pressure_s, c, a)) next(Step_SETTLE, a);
        break;
    case Step_SETTLE:
        if (a->in_step_s >= c->rest_s && resting) { a->step = Step_NONE; return ARMED; }
    }
    return a->in_step_s > c->timeout_s ? ends(Trip_ARMING, a->in_step_s, c->timeout_s, -1, a) : GOING;
}

static inline double arming_opening(const Arming *c, const Arm *a) {
    return a->step == Step_BUMP_UP ? c->bump : a->step == Step_BUMP_DOWN ? -c->bump : 0;
}
#endif
