/* The guard in C; see hilctl/law/guards.py. */
#ifndef TICK_GUARDS_H
#define TICK_GUARDS_H
#include "tick_blocks.h"

static inline void latch(int64_t trip, int64_t action, double value, double limit, int64_t sensor, int64_t tick, Guard *g) {
    if (action > g->wanted) g->wanted = action;
    if (g->trip == 0 && action > 0) {
        g->trip = trip; g->trip_tick = tick; g->trip_value = value; g->trip_limit = limit;
        g->trip_action = action; g->trip_sensor = sensor;
        g->trips++;
    }
}

static inline void warn(int64_t trip, Guard *g) { g->warnings |= (int64_t)1 << trip; }

static inline void judge(int trip, int passed, double value, double limit, int64_t ticks, int64_t action, int64_t sensor,
                         int armed, int64_t tick, int64_t periods, Guard *g) {
    if (!passed) { g->in_a_row[trip] = 0; return; }
    warn(trip, g);
    g->in_a_row[trip] += g->in_a_row[trip] > 0 ? periods : 1;
    if (armed && g->in_a_row[trip] >= ticks && action != Action_WARN) latch(trip, action, value, limit, sensor, tick, g);
}

static inline void blame(int trip, int sensor, int64_t action, double value, double limit, int armed, int64_t tick,
                         Guard *g) {
    if (sensor < 0) return;
    warn(trip, g);
    if (armed && action != Action_WARN) latch(trip, action, value, limit, sensor, tick, g);
}

#define JUDGE(trip, passed, value, limit, rule, sensor) \
    judge(trip, passed, value, limit, (rule).ticks, (rule).action, sensor, armed, tick, periods, g)

static inline void guard_link(const Limits *l, int64_t status, int armed, double dt, int64_t tick, int64_t periods,
                              Guard *g) {
    int lost = failed(status), changed = status == Status_OVERWRITTEN;
    g->failed = leak(g->failed, lost, l->driver.share, dt, periods);
    JUDGE(Trip_DRIVER, lost, (double)status, (double)l->driver.ticks, l->driver, -1);
    if (lost && armed && l->driver.action != Action_WARN && full(g->failed, l->driver.share, dt))
        latch(Trip_DRIVER, l->driver.action, (double)status, l->driver.share, -1, tick, g);
    g->overwritten = events(g->overwritten, changed, dt, periods);
    if (!changed) return;
    warn(Trip_OVERWRITTEN, g);
    if (armed && l->overwritten.action != Action_WARN && g->overwritten >= (double)l->overwritten.events - 1)
        latch(Trip_OVERWRITTEN, l->overwritten.action, g->overwritten, (double)l->overwritten.events, -1, tick, g);
}

static inline void guard_position(const Settings *now, double x, double shift, double scale, double v, double reaction,
                                  int armed, int64_t tick, int64_t periods, Guard *g) {
    const Limits *l = &now->limits;
    double rest_m_s = now->arming.rest_speed_m_s, least_m = l->position.min_m, most_m = l->position.max_m;
    double ahead = x + stopping_reach(v, l->stopping.deceleration_m_s2, l->stopping.jerk_m_s3, reaction);
    double unshifted = scale * ahead + shift, high = most(ahead, unshifted), low = least(ahead, unshifted);
    int above = high > most_m && (v > rest_m_s || low >= least_m), below = !above && low < least_m;
    if (above || below) warn(Trip_POSITION, g);
    JUDGE(Trip_POSITION, (above && v > rest_m_s) || (below && v < -rest_m_s), above ? high : low,
          above ? most_m : least_m, l->position, -1);
}

static inline void guard_sensors(const Limits *l, const Checked *c, int armed, int64_t tick, Guard *g) {
    int invalid = -1, outside = -1, stale = -1;
    int unjudged = l->driver.action == Action_WARN;
    for (int k = 0; k < SENSOR_COUNT; k++) {
        int blind = c->reason[k] == Trip_SENSOR_INVALID || (unjudged && c->reason[k] == Trip_DRIVER);
        int often = c->in_a_row[k] >= l->sensing.ticks || c->often >> k & 1;
        if (often && blind) invalid = k;
        if (often && c->reason[k] == Trip_SENSOR_RANGE) outside = k;
        if (c->in_a_row[k] >= l->stale.ticks && c->reason[k] == Trip_SENSOR_STALE) stale = k;
    }
    blame(Trip_SENSOR_INVALID, invalid, l->sensing.action, 0, 0, armed, tick, g);
    if (outside >= 0) blame(Trip_SENSOR_RANGE, outside, l->sensing.action, c->last_raw[outside], 0, armed, tick, g);
    if (stale >= 0) blame(Trip_SENSOR_STALE, stale, l->stale.action, c->age_s[stale], c->allowed_s[stale], armed, tick, g);
}

static inline void guard_still(const Limits *l, const Still *w, double v, int driven, int armed, int64_t tick, Guard *g) {
    int64_t action = l->stuck.action;
    for (int k = 0; k < WATCHED; k++) {
        double window_s = most(l->stuck.window_s, STILL_READINGS * w->every_s[k]);
        if (driven && w->driven_s[k] > window_s)
            blame(Trip_SENSOR_STUCK, k, action, w->driven_s[k], window_s, armed, tick, g);
        double most_s = most(w->most_s[k], l->stuck.window_s);
        if (armed && w->most_s[k] > 0 && w->same_s[k] > most_s)
            blame(Trip_SENSOR_STUCK, k, action, w->same_s[k], most_s, armed, tick, g);
    }
    double way = most(driven ? w->driven_s[DISPLACEMENT] * fabs(v) : 0, fabs(w->opened_m));
    if (way > l->stuck.way_m) blame(Trip_SENSOR_STUCK, DISPLACEMENT, action, way, l->stuck.way_m, armed, tick, g);
}

static inline void effort(const Limits *l, const Machine *m, const ValveStage *valve, double found_overlap, int acts,
                          double opening, double v, double lead_s, double passed_s, Effort *e) {
    if (!acts) { e->opening = e->beyond = e->explained = e->over_s = 0; return; }
    e->opening += passed_s / (passed_s + lead_s) * (opening - e->opening);
    double overlap = most(most(m->dead_band, most(m->overlap_a, m->overlap_b)), found_overlap) + valve->dither;
    e->explained = fabs(v) * m->A / (l->holding.share * m->Qn) + overlap;
    e->beyond = most(fabs(e->opening) - e->explained, 0);
    double fills = e->beyond > l->holding.opening ? e->beyond / l->holding.opening : -EFFORT_LEAK;
    e->over_s = most(e->over_s + fills * passed_s, 0);
}

static inline void guard_effort(const Limits *l, const Effort *e, int64_t tick, Guard *g) {
    if (e->beyond <= l->holding.opening) return;
    warn(Trip_HOLD_EFFORT, g);
    if (e->over_s > l->holding.max_s && l->holding.action != Action_WARN)
        latch(Trip_HOLD_EFFORT, l->holding.action, e->opening, copysign(e->explained + l->holding.opening, e->opening), -1,
              tick, g);
}

static inline double alike(double one, double other) {
    if (one * other <= 0) return 0;
    return fabs(one) < fabs(other) ? one : other;
}

static inline void delivered(int failed, double sent, int shown, double reading, double lag, double farthest, double dt,
                             int64_t periods, double swing_s, Delivery *d) {
    int begins = failed && d->unknown == 0;
    double passed = (double)periods, lasted = (double)d->unknown;
    d->missed += ((failed ? passed : passed - 1) - d->missed * passed) / most(OF_LATE, passed);
    if (begins) { d->held[NONE] = d->acts; d->held[FIRST] = sent; }
    if (failed) {
        d->unknown += periods; d->held[ALL] = sent;
        for (int k = 0; k < COURSES; k++)
            d->owed[k] = begins ? d->due + (sent - d->held[k]) * passed : d->owed[k] + (d->plain - d->held[k]) * passed;
    } else {
        d->unknown = 0; d->acts = sent;
        for (int k = 0; k < COURSES; k++) d->held[k] = sent;
    }
    int nearest = ALL;
    for (int k = 0; k < COURSES; k++) {
        d->spool[k] += least(most(lag * (d->held[k] - d->spool[k]), -farthest), farthest);
        if (fabs(reading - d->spool[k]) < fabs(reading - d->spool[nearest])) nearest = k;
    }
    d->off = reading - d->spool[nearest];
    if (most((double)d->unknown, lasted) * dt > most(LONGEST_OWED * swing_s, LONGEST_OWED_TICKS * dt)) d->due = 0;
    else if (failed) d->due = alike(d->owed[NONE], d->owed[FIRST]);
    else if (lasted > 0) d->due = isfinite(reading) ? d->owed[nearest] - (sent - d->plain) : 0;
    if (d->due != 0) {
        double bound = shown ? MOST_OWED_S / dt : 0;
        d->due = least(most(d->due * exp(-dt * passed / FORGOTTEN_S), -bound), bound);
    }
}

static inline void guard(State *s, int64_t status, int closed, int driven, int64_t supply) {
    const Settings *now = &s->now;
    const Limits *l = &now->limits;
    const Checked *c = &s->checked;
    const Estimate *e = &s->estimate;
    Guard *g = &s->guard;
    int64_t tick = s->tick, periods = s->periods;
    double dt = now->dt_s, v = e->v, a = e->a + e->b, error = s->delayed.x_m - e->x;
    int arming = s->mode == Mode_STANDBY;
    int armed = arming || s->mode == Mode_HOLD || s->mode == Mode_TRACK || s->mode == Mode_STOP;
    g->warnings = 0; g->wanted = 0;
    guard_link(l, status, armed, dt, tick, periods, g);
    const Sensor *position = &now->sensors.displacement;
    guard_position(now, e->x, s->first_gain * (position->offset - s->first_offset), s->first_gain / position->gain, v,
                   (double)s->lead * dt + dt * (double)l->position.ticks, armed, tick, periods, g);
    JUDGE(Trip_VELOCITY, fabs(v) > l->velocity.max_m_s, v, l->velocity.max_m_s, l->velocity, -1);
    JUDGE(Trip_ACCELERATION, fabs(a) > l->acceleration.max_m_s2, a, l->acceleration.max_m_s2, l->acceleration, ACCELERATION);
    double highest = most(c->value[PRESSURE_A], c->value[PRESSURE_B]);
    JUDGE(Trip_PRESSURE, highest > l->pressure.max_pa, highest, l->pressure.max_pa, l->pressure,
          highest == c->value[PRESSURE_A] ? PRESSURE_A : PRESSURE_B);
    double error_m = l->tracking_error.max_m;
    if (arming) error_m = least(error_m, now->arming.error_m);
    JUDGE(Trip_TRACKING_ERROR, closed && fabs(error) > error_m, error, error_m, l->tracking_error, DISPLACEMENT);
    guard_sensors(l, c, armed, tick, g);
    guard_still(l, &s->still, v, driven, armed, tick, g);
    if (s->output.saturated_s > l->saturation.max_s) {
        warn(Trip_SATURATION, g);
        if (closed && l->saturation.action != Action_WARN)
            latch(Trip_SATURATION, l->saturation.action, s->output.saturated_s, l->saturation.max_s, -1, tick, g);
    }
    guard_effort(l, &s->effort, tick, g);
    if (now->sensors.supply_pressure.present && supply != 0) {
        double share = c->value[SUPPLY] / now->machine.Ps;
        int low = share < l->supply.low && supply == 2 && closed && !arming;
        JUDGE(Trip_SUPPLY_PRESSURE, low || share > l->supply.high, c->value[SUPPLY],
              now->machine.Ps * (low ? l->supply.low : l->supply.high), l->supply, SUPPLY);
    }
    if (now->sensors.spool.present && isfinite(s->delivery.off)) {
        double off = s->delivery.off, differs = l->read_back.difference + now->law.valve.dither;
        JUDGE(Trip_READ_BACK, armed && fabs(off) > differs, off, differs, l->read_back, SPOOL);
    }
    double drift = e->b_start - e->b;
    JUDGE(Trip_SENSOR_DRIFT, fabs(drift) > l->drift.max_m_s2, drift, l->drift.max_m_s2, l->drift, ACCELERATION);
#define JUDGE_INPUT(k, trip, name) JUDGE(trip, c->value[k] > 0.5, 1, 0, l->name, k);
    EACH_INPUT(JUDGE_INPUT)
}

#endif
