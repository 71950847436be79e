/* Arming, guards and the mode machine in C; see hilctl/law/arming.py, guards.py, modes.py. */
#ifndef TICK_MODES_H
#define TICK_MODES_H
#include "tick_blocks.h"

enum { GOING, ARMED, FAILED, REVERSED };
enum { CLOSE = 20, MOST_ROUNDS = 4 };
enum { COMPLETED = 1, STOPPED, TRIPPED };

static inline double pressure_deviation(const State *s) {
    return s->checked.value[PRESSURE_A] - s->checked.value[PRESSURE_B]
           - pressure_for(&s->linear, &s->now.friction, &s->here);
}

static inline void next(int64_t step, double x, Arm *a) { a->step = step; a->in_step_s = 0; a->mark_m = x; }

static inline int supply_up(double supply, double wanted, double wait_s, const Arming *c, const Arm *a) {
    return isnan(supply) ? a->in_step_s >= wait_s : supply >= c->supply_share * wanted;
}

static inline int own_bump(const Arming *c, double own, double x, Arm *a) {
    if (a->step == Step_BUMP_UP) { a->up_m_s = x; next(Step_BUMP_DOWN, x, a); return GOING; }
    a->down_m_s = x;
    a->gain_m_s = (a->up_m_s - a->down_m_s) / (2 * c->bump);
    if (!(a->gain_m_s >= c->response * own)) return REVERSED;
    a->rounds++;
    a->proved = 1;
    next(Step_HIGH_PRESSURE, x, a);
    return GOING;
}

static inline int bump(const Arming *c, const Machine *m, double own, double x, double supply, double dt, Arm *a) {
    double half = 0.5 * c->bump_s;
    if (a->in_step_s - dt < half && half <= a->in_step_s) a->mark_m = x;
    if (a->in_step_s < c->bump_s) return GOING;
    if (own > 0) return own_bump(c, own, x, a);
    double mean = (x - a->mark_m) / (a->in_step_s - half);
    if (a->step == Step_BUMP_UP) { a->up_m_s = mean; next(Step_BUMP_DOWN, x, a); return GOING; }
    a->down_m_s = mean;
    a->gain_m_s = (a->up_m_s - a->down_m_s) / (2 * c->bump);
    double pressure = isnan(supply) ? m->Ps_low : most(supply, 0);
    if (!(a->gain_m_s >= c->response * (m->Qn / m->A * sqrt(pressure / m->Ps)))) return REVERSED;
    double off = (a->up_m_s + a->down_m_s) / (2 * a->gain_m_s);
    a->null -= off;
    if (!(fabs(a->null) <= c->null_max)) return REVERSED;
    a->rounds++;
    if (fabs(off) > c->bump / CLOSE && a->rounds < MOST_ROUNDS) { next(Step_BUMP_UP, x, a); return GOING; }
    a->proved = 1;
    next(Step_HIGH_PRESSURE, x, a);
    return GOING;
}

static inline int arming(const Arming *c, const Machine *m, double own, double x, double v, double supply, double dt, Arm *a) {
    a->in_step_s += dt;
    int resting = fabs(v) <= c->rest_speed_m_s;
    switch (a->step) {
    case Step_REST:
        if (a->in_step_s >= c->rest_s) {
            if (!resting) return FAILED;
            next(Step_LOW_PRESSURE, x, a);
        }
        break;
    case Step_LOW_PRESSURE:
        if (supply_up(supply, m->Ps_low, c->low_pressure_s, c, a))
            next(a->proved ? Step_HIGH_PRESSURE : Step_ENABLE, x, a);
        break;
    case Step_ENABLE:
        if (a->in_step_s >= c->bump_s) next(Step_BUMP_UP, x, a);
        break;
    case Step_BUMP_UP:
    case Step_BUMP_DOWN:
        return bump(c, m, own, x, supply, dt, a);
    case Step_HIGH_PRESSURE:
        if (supply_up(supply, m->Ps, c->high_pressure_s, c, a)) next(Step_SETTLE, x, a);
        break;
    case Step_SETTLE:
        if (a->in_step_s >= c->rest_s && resting) { a->step = Step_NONE; return ARMED; }
    }
    return a->in_step_s > c->timeout_s ? FAILED : GOING;
}

static inline double arming_opening(const Arming *c, const Arm *a) {
    return a->step == Step_BUMP_UP ? c->bump : a->step == Step_BUMP_DOWN ? -c->bump : 0;
}

static inline void latch(int64_t trip, int64_t action, double value, double limit, int64_t sensor, int64_t tick, Guard *g) {
    if (action > g->wanted) g->wanted = action;
    if (g->trip == 0 && action > 0) {
        g->trip = trip; g->trip_tick = tick; g->trip_value = value; g->trip_limit = limit;
        g->trip_action = action; g->trip_sensor = sensor;
        g->trips++;
    }
}

static inline void judge(int trip, int passed, double value, double limit, int64_t ticks, int64_t action, int64_t sensor,
                         int armed, int64_t tick, Guard *g) {
    if (!passed) { g->in_a_row[trip] = 0; return; }
    g->warnings |= 1 << trip;
    g->in_a_row[trip]++;
    if (armed && g->in_a_row[trip] >= ticks && action != Action_WARN) latch(trip, action, value, limit, sensor, tick, g);
}

static inline void blame(int trip, int sensor, int64_t action, double value, double limit, int armed, int64_t tick,
                         Guard *g) {
    if (sensor < 0) return;
    g->warnings |= 1 << trip;
    if (armed && action != Action_WARN) latch(trip, action, value, limit, sensor, tick, g);
}

#define JUDGE(trip, passed, value, limit, rule, sensor) \
    judge(trip, passed, value, limit, (rule).ticks, (rule).action, sensor, armed, tick, g)

static inline void guard_position(const Limits *l, double x, double v, double reaction, double rest_m_s, int armed,
                                  int64_t tick, Guard *g) {
    double ahead = x + stopping_reach(v, l->stopping.deceleration_m_s2, l->stopping.jerk_m_s3, reaction);
    int above = ahead > l->position.max_m, below = ahead < l->position.min_m;
    int outward = (above && v > rest_m_s) || (!above && below && v < -rest_m_s);
    JUDGE(Trip_POSITION, outward, ahead, above ? l->position.max_m : l->position.min_m, l->position, -1);
    if (above || below) g->warnings |= 1 << Trip_POSITION;
}

static inline void guard_sensors(const Limits *l, const Checked *c, double v, int driven, int armed, int64_t tick,
                                 Guard *g) {
    int invalid = -1, outside = -1, stale = -1, stuck = -1;
    double worst = 0;
    int unjudged = l->driver.action == Action_WARN;
    for (int k = 0; k < SENSOR_COUNT; k++) {
        int blind = c->reason[k] == Trip_SENSOR_INVALID || (unjudged && c->reason[k] == Trip_DRIVER);
        if (c->in_a_row[k] >= l->sensing.ticks && blind) invalid = k;
        if (c->in_a_row[k] >= l->sensing.ticks && c->reason[k] == Trip_SENSOR_RANGE) outside = k;
        if (c->in_a_row[k] >= l->stale.ticks && c->reason[k] == Trip_SENSOR_STALE) stale = k;
        if (k <= PRESSURE_B && c->still_s[k] > worst) { worst = c->still_s[k]; stuck = k; }
    }
    blame(Trip_SENSOR_INVALID, invalid, l->sensing.action, 0, 0, armed, tick, g);
    if (outside >= 0) blame(Trip_SENSOR_RANGE, outside, l->sensing.action, c->last_raw[outside], 0, armed, tick, g);
    if (stale >= 0) blame(Trip_SENSOR_STALE, stale, l->stale.action, c->age_s[stale], c->allowed_s[stale], armed, tick, g);
    if (driven && worst > l->stuck.window_s)
        blame(Trip_SENSOR_STUCK, stuck, l->stuck.action, worst, l->stuck.window_s, armed, tick, g);
    double way = c->still_s[DISPLACEMENT] * fabs(v);
    if (driven && way > l->stuck.way_m)
        blame(Trip_SENSOR_STUCK, DISPLACEMENT, l->stuck.action, way, l->stuck.way_m, armed, tick, g);
}

static inline void guard(State *s, int64_t status, int driven) {
    const Settings *now = &s->now;
    const Limits *l = &now->limits;
    const Checked *c = &s->checked;
    const Estimate *e = &s->estimate;
    Guard *g = &s->guard;
    int64_t tick = s->tick;
    double x = e->x, v = e->v, a = e->a + e->b, error = s->delayed.x_m - e->x;
    int closed = s->mode == Mode_HOLD || s->mode == Mode_TRACK || s->mode == Mode_STOP;
    int armed = closed || s->mode == Mode_STANDBY;
    g->warnings = 0; g->wanted = 0;
    JUDGE(Trip_DRIVER, failed(status), (double)status, (double)l->driver.ticks, l->driver, -1);
    double reaction = (double)s->lead * now->dt_s + now->dt_s * (double)l->position.ticks;
    guard_position(l, x, v, reaction, now->arming.rest_speed_m_s, armed, tick, g);
    JUDGE(Trip_VELOCITY, fabs(v) > l->velocity.max_m_s, v, l->velocity.max_m_s, l->velocity, -1);
    JUDGE(Trip_ACCELERATION, fabs(a) > l->acceleration.max_m_s2, a, l->acceleration.max_m_s2, l->acceleration, ACCELERATION);
    double highest = most(c->value[PRESSURE_A], c->value[PRESSURE_B]);
    JUDGE(Trip_PRESSURE, highest > l->pressure.max_pa, highest, l->pressure.max_pa, l->pressure,
          highest == c->value[PRESSURE_A] ? PRESSURE_A : PRESSURE_B);
    JUDGE(Trip_TRACKING_ERROR, closed && fabs(error) > l->tracking_error.max_m, error, l->tracking_error.max_m,
          l->tracking_error, DISPLACEMENT);
    guard_sensors(l, c, v, driven, armed, tick, g);
    if (s->output.saturated_s > l->saturation.max_s) {
        g->warnings |= 1 << Trip_SATURATION;
        if (closed && l->saturation.action != Action_WARN)
            latch(Trip_SATURATION, l->saturation.action, s->output.saturated_s, l->saturation.max_s, -1, tick, g);
    }
    if (now->sensors.supply_pressure.present && s->supply == 2 && closed) {
        double share = c->value[SUPPLY] / now->machine.Ps;
        int low = share < l->supply.low;
        JUDGE(Trip_SUPPLY_PRESSURE, low || share > l->supply.high, c->value[SUPPLY],
              now->machine.Ps * (low ? l->supply.low : l->supply.high), l->supply, SUPPLY);
    }
    if (now->sensors.spool.present) {
        double lag = now->dt_s / (now->dt_s + 2 * now->machine.zv / now->machine.wv);
        g->spool_model += lag * (s->u_applied - g->spool_model);
        double off = c->value[SPOOL] - g->spool_model;
        JUDGE(Trip_READ_BACK, armed && fabs(off) > l->read_back.difference, off, l->read_back.difference, l->read_back, SPOOL);
    }
    double drift = e->b_start - e->b;
    JUDGE(Trip_SENSOR_DRIFT, fabs(drift) > l->drift.max_m_s2, drift, l->drift.max_m_s2, l->drift, ACCELERATION);
    JUDGE(Trip_OIL_LEVEL, c->value[LEVEL] > 0.5, 1, 0, l->oil_level, LEVEL);
    JUDGE(Trip_OIL_FILTER, c->value[FILTER] > 0.5, 1, 0, l->oil_filter, FILTER);
}

static inline int closed_loop(const State *s) {
    if (s->mode == Mode_HOLD || s->mode == Mode_TRACK || s->mode == Mode_STOP) return 1;
    return s->mode == Mode_STANDBY && s->arm.step >= Step_HIGH_PRESSURE;
}

static inline int own_loop(const State *s) { return s->now.law.feedback == RIG_FEEDBACK; }

static inline void rest_here(State *s) {
    double x = s->estimate.x;
    Motion *m = &s->motion;
    m->id = 0; m->kind = Kind_HOLD; m->lead.duration_s = 0; m->body_s = 0; m->out.duration_s = 0; m->out.to_m = x;
    s->motion_begun = s->head_tick; s->motion_over = -1; s->motion_id = 0;
    history_rest(&s->history, s->head_tick, x);
    rest(&s->head, x); rest(&s->here, x); rest(&s->delayed, x); rest(&s->ahead, x);
}

static inline void feedback_start(State *s) {
    pid_start(0, 0, &s->pid);
    three_state_start(0, pressure_deviation(s), &s->three_state);
    s->valve.opening = s->valve.rate = 0;
}

static inline void motion_ends(State *s, int64_t result) {
    if (s->motion_id > s->motion_done_id) { s->motion_done_id = s->motion_id; s->motion_result = result; }
    s->motion_id = 0;
}

static inline void decelerate(State *s, int64_t result) {
    motion_ends(s, result);
    Motion *m = &s->motion;
    m->id = 0; m->kind = Kind_STOP; m->lead.duration_s = 0;
    plan_stop(&s->head, s->now.limits.stopping.deceleration_m_s2, s->now.limits.stopping.jerk_m_s3, &m->stop);
    m->body_s = m->stop.turn_s + m->stop.plateau_s + m->stop.release_s;
    m->out.duration_s = 0;
    m->out.to_m = m->stop.rest_m;
    s->motion_begun = s->head_tick; s->motion_over = -1;
    s->mode = Mode_STOP;
}

static inline void to_null(State *s, int64_t result) {
    if (own_loop(s)) {
        if (s->mode == Mode_STANDBY) rest_here(s);
        decelerate(s, result);
    }
    motion_ends(s, result);
    s->off_after = 0;
    s->mode = Mode_NULL;
}

static inline void switch_off(State *s) {
    motion_ends(s, TRIPPED);
    s->mode = Mode_OFF; s->enable = 0; s->supply = 0; s->off_after = 0;
    s->arm.step = Step_NONE;
    s->output.command = s->arm.null;
    s->output.saturated = 0; s->output.saturated_s = 0; s->output.refused = 0;
}

static inline void act(State *s) {
    int64_t wanted = s->guard.wanted;
    if (wanted == Action_NULL) {
        if (s->mode != Mode_OFF && s->mode != Mode_NULL) to_null(s, TRIPPED);
    } else if (wanted == Action_STOP) {
        if (s->mode == Mode_TRACK) decelerate(s, TRIPPED);
        else if (s->mode == Mode_STANDBY) to_null(s, TRIPPED);
    }
    s->guard.wanted = 0;
}

static inline void emergency(State *s) {
    if (!s->now.sensors.emergency_stop.present || s->checked.value[EMERGENCY] < 0.5) return;
    s->guard.warnings |= 1 << Trip_EMERGENCY_STOP;
    if (s->mode != Mode_OFF) {
        latch(Trip_EMERGENCY_STOP, Action_NULL, 1, 0, EMERGENCY, s->tick, &s->guard);
        switch_off(s);
    }
}

static inline void arm_step(State *s) {
    Arm *a = &s->arm;
    const Arming *c = &s->now.arming;
    int64_t before = a->step;
    double own = own_loop(s) ? s->now.law.rig.reach_m : 0;
    int outcome = arming(c, &s->now.machine, own, s->checked.value[DISPLACEMENT], s->estimate.v, s->checked.value[SUPPLY],
                         s->now.dt_s * (double)s->periods, a);
    if (outcome == ARMED) { s->mode = Mode_HOLD; return; }
    if (outcome != GOING) {
        int reversed = outcome == REVERSED, moved = outcome == FAILED && a->step == Step_REST;
        double value = moved ? s->estimate.v : reversed ? a->gain_m_s : a->in_step_s;
        double bound = moved ? c->rest_speed_m_s : reversed ? c->response : c->timeout_s;
        latch(reversed ? Trip_POLARITY : Trip_ARMING, Action_NULL, value, bound, -1, s->tick, &s->guard);
        act(s);
        return;
    }
    if (a->step == before) return;
    s->supply = a->step == Step_REST ? 0 : a->step < Step_HIGH_PRESSURE ? 1 : 2;
    s->enable = a->step >= Step_ENABLE;
    s->authority = a->step == Step_SETTLE ? 1 : c->first_arm_authority;
    if (a->step == Step_HIGH_PRESSURE) { rest_here(s); feedback_start(s); }
}

static inline void motion_done(State *s) {
    if (s->motion_over < 0 || s->tick < s->motion_over) return;
    s->motion_over = -1;
    if (s->mode == Mode_TRACK) { motion_ends(s, COMPLETED); s->mode = Mode_HOLD; }
    else if (s->mode == Mode_STOP) {
        if (s->off_after) to_null(s, STOPPED);
        else s->mode = Mode_HOLD;
    } else if (s->mode == Mode_NULL && own_loop(s)) switch_off(s);
}
#endif
