/* Arming in C, and the proof of the plant's signs that its bumps give; see hilctl/law/arming.py and signs.py. */
#ifndef TICK_ARMING_H
#define TICK_ARMING_H
#include "tick_blocks.h"
#include "tick_pressure_signs.h"

enum { TO_SEARCH = -3, AGAIN, ARMED, GOING };
enum { CLOSE = 20, REPEATS = 10, LEAST_ROUNDS = 2, MOST_ROUNDS = 8, PRESSURE_ROUNDS = 4, MORE = 2 };
enum { MOST_DISTURBED = 10, FEWEST_TICKS = 4, FAR_WAYS = 2 };
enum { STRONG = 3, MOST_CORRECTIONS = 6, UNANSWERED = 3, SEEN_LAGS = 4 };
static const double drifts = 0.4, answer = 0.4;
static const double sure = 5, maybe = 2;
static const double ratio = 0.4, missing_share = 0.3, seen_early = 1;

static inline void signs_rest(double a, int restart, Signs *s) {
    if (restart) {
        s->rest_a = s->rest_n = s->rest_squares = s->square = s->product = 0;
        fit_restart(&s->pressures);
    }
    s->rest_n++;
    double off = a - s->rest_a;
    s->rest_a += off / s->rest_n;
    s->rest_squares += off * (a - s->rest_a);
}

static inline double noise_m_s2(const Signs *s) { return s->rest_n > 0 ? sqrt(s->rest_squares / s->rest_n) : 0; }

static inline int signs_unsure(double bump_s, double dt, const Signs *s) {
    double hidden_m = maybe * noise_m_s2(s) * bump_s * sqrt(bump_s * dt / 3);
    return hidden_m > ratio * sqrt(s->square);
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

static inline int64_t signs_drift(const double *value, double most_m_s, double dt, Arm *arm) {
    const Signs *s = &arm->signs;
    double went = value[DISPLACEMENT] - s->x_begin, by_noise_m_s = noise_m_s2(s) * sqrt(arm->in_step_s * dt);
    if (fabs(s->v) > most_m_s + sure * by_noise_m_s && fabs(went) < ratio * fabs(s->s))
        return found(Trip_SENSOR_DEAD, DISPLACEMENT, went, ratio * fabs(s->s), arm);
    return 0;
}

static inline int64_t signs_motion(const double *value, double least_m, int resolved, Arm *arm) {
    Signs *s = &arm->signs;
    double went = arm->first * (s->x_turn - 0.5 * (s->x_begin + value[DISPLACEMENT]));
    double felt = arm->first * (s->s_turn - 0.5 * s->s);
    s->shown = sign(went, least_m);
    if (!s->shown) {
        int dead = fabs(felt) >= least_m && fabs(went) < 0.5 * fabs(felt) && resolved;
        return found(dead ? Trip_SENSOR_DEAD : Trip_NO_MOTION, dead ? DISPLACEMENT : -1, went, least_m, arm);
    }
    s->square += went * went;
    s->product += went * felt;
    double share = resolved ? s->product / s->square : 1;
    int agrees = sign(share, ratio);
    if (s->shown < 0)
        return agrees > 0 ? found(Trip_POLARITY, -1, went, least_m, arm)
                          : found(Trip_SENSOR_REVERSED, DISPLACEMENT, went, least_m, arm);
    return agrees > 0 ? 0 : found(agrees ? Trip_SENSOR_REVERSED : Trip_SENSOR_DEAD, ACCELERATION, share, ratio, arm);
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

static inline double hydraulic(const Machine *m) { return sqrt(4 * m->beta * m->A * m->A / (m->Vt * m->m)); }

static inline double lag(const Machine *m) { return 2 * m->zv / m->wv + 1 / hydraulic(m); }

static inline double low_share(const Machine *m, double supply) {
    return supply > m->Ps_low ? sqrt(m->Ps_low / supply) : 1;
}

static inline double supply_of(const Machine *m, double supply) { return isnan(supply) ? m->Ps_low : most(supply, 0); }

static inline double promised_m_s(const Machine *m, double supply) {
    return m->Qn / m->A * sqrt(supply_of(m, supply) / m->Ps);
}

static inline double unweighted(const Machine *m, double supply, double v, double way) {
    if (m->vertical == 0) return v;
    double weight = m->m * GRAVITY / m->A, pressure = supply_of(m, supply), floor = 0.1 * m->Ps_low;
    double share = sqrt(most(pressure - way * weight, floor) / most(pressure, floor));
    return (v + (m->Ctc + m->Kc) * weight / m->A) / share;
}

static inline int64_t bumps(const Arming *c, const Machine *m, double own, const double *value, Arm *a) {
    signs_begin(value, &a->signs);
    a->disturbed = 0;
    a->bump = a->overlap + c->bump * (own == 0 ? low_share(m, value[SUPPLY]) : 1);
    double way_m = (a->bump - a->overlap) * (own == 0 ? promised_m_s(m, value[SUPPLY]) * c->bump_s : own);
    a->first = value[DISPLACEMENT] - a->begin_m > way_m ? -1 : 1;
    next(a->first > 0 ? Step_BUMP_UP : Step_BUMP_DOWN, a);
    return GOING;
}

static inline int64_t enabled(const Arming *c, const Machine *m, double own, const double *value, double dt, Arm *a) {
    double late = lag(m), watch = c->bump_s / 3, seen = SEEN_LAGS * late;
    signs_step(value, 0, late, dt, &a->signs);
    if (a->in_step_s >= 0.5 * seen) sum(a->in_step_s, value[DISPLACEMENT], a);
    if (a->in_step_s < least(seen, watch) || a->n < FEWEST_TICKS) return GOING;
    double drift = slope(a), promised = promised_m_s(m, value[SUPPLY]);
    double most_m_s = drifts * c->bump * low_share(m, value[SUPPLY]) * promised;
    if (a->in_step_s < watch && fabs(drift) < STRONG * most_m_s) return GOING;
    int known = own == 0 && watch >= seen;
    if (known && !a->corrections && signs_drift(value, most_m_s, dt, a)) return Trip_SENSOR_DEAD;
    if (!known || fabs(drift) <= most_m_s || a->corrections == MOST_CORRECTIONS) return bumps(c, m, own, value, a);
    if (!a->corrections || (a->corrections == 1 && fabs(drift) > fabs(a->first_m_s))) a->first_m_s = drift;
    else if (a->corrections >= UNANSWERED && fabs(drift - a->first_m_s) < answer * promised * fabs(a->null - a->kept))
        return ends(Trip_NO_MOTION, 0, c->response * c->bump * promised * c->bump_s, -1, a);
    double shown = a->corrections ? (drift - a->drift_m_s) / a->correction : 0;
    double correction = fabs(shown) > c->response * promised ? -drift / shown : -0.5 * drift / promised;
    double corrected = least(most(a->null + correction, -c->null_max), c->null_max);
    if (corrected == a->null) return bumps(c, m, own, value, a);
    a->correction = corrected - a->null;
    a->drift_m_s = drift;
    a->null = corrected;
    a->corrections++;
    next(Step_ENABLE, a);
    return GOING;
}

static const double unseen = 4, answered = 0.06, next_up = 1e-9;

static inline void search_pulse(double way, double opening, double x, Search *s) {
    s->way = way; s->opening = opening; s->in_pulse_s = 0;
    s->begin_m = x; s->felt_m_s = 0;
    s->least_pa = fabs(s->load_pa - s->rest_pa);
}

static inline int64_t searched(const Arming *c, const Machine *m, const double *value, double dt, Arm *a) {
    Search *s = &a->search;
    double x = value[DISPLACEMENT], from_null = c->bump * low_share(m, value[SUPPLY]);
    if (fabs(x - a->begin_m) > c->travel_m) return ends(Trip_ARMING_TRAVEL, x - a->begin_m, c->travel_m, DISPLACEMENT, a);
    double promised = promised_m_s(m, value[SUPPLY]), speed = from_null * promised, least_m = c->response * speed * c->bump_s;
    double limit = least(c->search_opening, c->travel_m / most(promised * s->pulse_s, least_m));
    s->in_pulse_s += dt;
    s->felt_m_s += dt * (value[ACCELERATION] - a->signs.rest_a);
    s->load_pa += dt / (dt + PRESSURE_S) * (value[PRESSURE_A] - value[PRESSURE_B] - s->load_pa);
    double loaded_pa = fabs(s->load_pa - s->rest_pa), went_m = x - s->begin_m;
    s->least_pa = least(s->least_pa, loaded_pa);
    int moved = s->way * went_m >= least_m;
    if (!a->signs.shown) moved = fabs(went_m) >= least_m || fabs(s->felt_m_s) >= drifts * speed;
    int answers = s->in_pulse_s <= s->pulse_s && loaded_pa - s->least_pa >= answered * m->Ps_low;
    double *found = s->way > 0 ? &s->up : &s->down, *at = s->way > 0 ? &s->answered_up : &s->answered_down;
    if (moved && *found == 0) *found = s->opening;
    if (answers && *at == 0) *at = s->opening;
    if (s->in_pulse_s < 2 * s->pulse_s) return GOING;
    if (s->up == 0 || s->down == 0) {
        double way = (s->way > 0 ? s->down : s->up) > 0 ? s->way : -s->way;
        double opening = way == s->way || way > 0 ? s->opening + s->step : s->opening;
        double answer = way > 0 ? s->answered_up : s->answered_down;
        if (answer > 0) limit = least(limit, answer + unseen * from_null);
        if (opening > limit + next_up) return ends(Trip_NO_MOTION, s->opening, least_m, -1, a);
        search_pulse(way, opening, x, s);
        return GOING;
    }
    a->null += 0.5 * (s->up - s->down);
    a->overlap = most(0.5 * (s->up + s->down) - seen_early * from_null, 0);
    a->rounds = 0;
    a->smaller = 0.0;
    return bumps(c, m, 0, value, a);
}

static inline double search_opening(const Search *s) {
    return s->in_pulse_s < s->pulse_s && (s->way > 0 ? s->up : s->down) == 0 ? s->way * s->opening : 0;
}

static inline int64_t judge_bumps(const Arming *c, double promised, double least_m, int resolved, double dt,
                                  const double *value, Arm *a) {
    int own = promised == 0;
    a->rounds++;
    int64_t trip = signs_motion(value, least_m, resolved, a);
    int unmoved = least(a->up_m_s, -a->down_m_s) * c->bump_s < least_m;
    if (!own && !a->searched && (trip == Trip_NO_MOTION || (!trip && unmoved))) return TO_SEARCH;
    if (!own && trip == Trip_NO_MOTION && a->signs.value > 0.4 * least_m && a->rounds <= MORE) {
        a->smaller = a->bump; a->slower_m_s = 0.5 * (a->up_m_s - a->down_m_s);
        a->overlap += 0.5 * (a->bump - a->overlap);
        return AGAIN;
    }
    int silent = trip == Trip_SENSOR_DEAD && a->signs.sensor == ACCELERATION;
    if (silent && a->rounds < MOST_ROUNDS && signs_unsure(c->bump_s, dt, &a->signs)) return AGAIN;
    if (trip) return trip;
    double beyond = a->bump - a->overlap;
    a->gain_m_s = (a->up_m_s - a->down_m_s) / (2 * beyond);
    if (!(a->gain_m_s > 0)) return ends(Trip_NO_MOTION, 0, least_m, -1, a);
    double speed = 0.5 * (a->up_m_s - a->down_m_s), larger = a->bump - a->smaller, faster = speed - a->slower_m_s;
    int compared = a->smaller > 0.0;
    a->smaller = a->bump; a->slower_m_s = speed;
    int even = fabs(a->up_m_s + a->down_m_s) < speed, hardly = even && faster < c->response * promised * larger;
    if (!own && compared && larger > missing_share * c->bump && hardly)
        return ends(Trip_NO_MOTION, 0, least_m, -1, a);
    double missing = own ? 0 : beyond * (1 - a->gain_m_s / promised);
    int falls_short = missing > missing_share * beyond;
    double off = own ? 0 : (a->up_m_s + a->down_m_s) / (2 * (falls_short ? promised : a->gain_m_s));
    a->null -= off;
    if (!own && !(fabs(a->null) <= c->null_max)) return ends(Trip_NULL_NOT_CONFIRMED, a->null, c->null_max, -1, a);
    int64_t fewest = LEAST_ROUNDS + a->searched;
    if (a->rounds >= fewest) fit_count(&a->signs.pressures);
    if (falls_short || a->overlap > 0) a->overlap = most(a->overlap + missing, 0);
    if (a->rounds < fewest || (fabs(off) > beyond / CLOSE && a->rounds < MOST_ROUNDS)) return AGAIN;
    if (fabs(off) > beyond / REPEATS) return ends(Trip_NULL_NOT_CONFIRMED, off, beyond / REPEATS, -1, a);
    trip = signs_pressures(a);
    return trip == Trip_SENSOR_DEAD && a->rounds < PRESSURE_ROUNDS ? AGAIN : trip;
}

static inline int64_t bump(const Arming *c, const Machine *m, double own, const double *value, double dt, Arm *a) {
    double x = value[DISPLACEMENT], half = 0.5 * c->bump_s;
    int up = a->step == Step_BUMP_UP;
    signs_step(value, up ? 1 : -1, lag(m), dt, &a->signs);
    if (fabs(x - a->begin_m) > c->travel_m) return ends(Trip_ARMING_TRAVEL, x - a->begin_m, c->travel_m, DISPLACEMENT, a);
    if (a->in_step_s >= half) sum(a->in_step_s - half, x, a);
    if (a->in_step_s < c->bump_s) return GOING;
    double mean = own > 0 ? x : unweighted(m, value[SUPPLY], slope(a), up ? 1 : -1);
    if (up) a->up_m_s = mean;
    else a->down_m_s = mean;
    if (up == (a->first > 0)) {
        a->signs.x_turn = x;
        a->signs.s_turn = a->signs.s;
        next(up ? Step_BUMP_DOWN : Step_BUMP_UP, a);
        return GOING;
    }
    double promised = own == 0 ? promised_m_s(m, value[SUPPLY]) : 0;
    double way_m = (a->bump - a->overlap) * (own == 0 ? promised * c->bump_s : own);
    int resolved = a->disturbed > 0 || hydraulic(m) * dt < 1;
    int64_t outcome = judge_bumps(c, promised, c->response * way_m, resolved, dt, value, a);
    int near = a->signs.shown && fabs(x - a->begin_m) < FAR_WAYS * way_m;
    if (outcome > 0 && a->disturbed > 0 && near && a->rounds < MOST_DISTURBED) outcome = AGAIN;
    if (outcome == AGAIN) return bumps(c, m, own, value, a);
    if (outcome == TO_SEARCH) {
        a->searched = 1;
        Search *s = &a->search;
        s->step = c->bump * low_share(m, value[SUPPLY]);
        s->pulse_s = most(c->bump_s / 6, 4 * lag(m));
        s->up = s->down = s->answered_up = s->answered_down = 0;
        s->load_pa = value[PRESSURE_A] - value[PRESSURE_B];
        search_pulse(1, s->step, x, s);
        next(Step_SEARCH, a);
        return GOING;
    }
    if (outcome == GOING) {
        a->proved = 1;
        a->kept = a->null;
        next(Step_HIGH_PRESSURE, a);
    }
    return outcome;
}

static inline int64_t arming(const Arming *c, const Machine *m, double own, const double *value, double v, double dt,
                             int clean, Arm *a) {
    double supply = value[SUPPLY];
    a->in_step_s += dt;
    a->disturbed += !clean;
    switch (a->step) {
    case Step_REST:
        signs_rest(value[ACCELERATION], a->in_step_s <= dt, &a->signs);
        sum(a->in_step_s, value[DISPLACEMENT], a);
        if (a->in_step_s >= c->rest_s) {
            double moved = slope(a);
            if (!(fabs(moved) <= c->rest_speed_m_s))
                return ends(Trip_NOT_AT_REST, moved, c->rest_speed_m_s, DISPLACEMENT, a);
            next(Step_LOW_PRESSURE, a);
        }
        break;
    case Step_LOW_PRESSURE:
        if (supply_up(supply, m->Ps_low, c->low_pressure_s, c, a)) {
            next(a->proved ? Step_HIGH_PRESSURE : Step_ENABLE, a);
            a->disturbed = 0;
            a->search.rest_pa = value[PRESSURE_A] - value[PRESSURE_B];
            signs_begin(value, &a->signs);
        }
        break;
    case Step_ENABLE:
        return enabled(c, m, own, value, dt, a);
    case Step_SEARCH:
        return searched(c, m, value, dt, a);
    case Step_BUMP_UP:
    case Step_BUMP_DOWN:
        return bump(c, m, own, value, dt, a);
    case Step_HIGH_PRESSURE:
        if (supply_up(supply, m->Ps, c->high_pressure_s, c, a)) next(Step_SETTLE, a);
        break;
    case Step_SETTLE:
        if (a->in_step_s >= c->rest_s && fabs(v) <= c->rest_speed_m_s) { a->step = Step_NONE; return ARMED; }
    }
    return a->in_step_s > c->timeout_s ? ends(Trip_ARMING, a->in_step_s, c->timeout_s, -1, a) : GOING;
}

static inline double arming_opening(const Arm *a) {
    if (a->step == Step_SEARCH) return search_opening(&a->search);
    return a->step == Step_BUMP_UP ? a->bump : a->step == Step_BUMP_DOWN ? -a->bump : 0;
}
#endif
