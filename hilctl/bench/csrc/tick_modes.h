/* The mode machine in C, and what follows a trip; see hilctl/law/modes.py and escalation.py. */
#ifndef TICK_MODES_H
#define TICK_MODES_H
#include "tick_arming.h"
#include "tick_guards.h"
#include "tick_landing.h"

enum { COMPLETED = 1, STOPPED, TRIPPED };

static inline double pressure_deviation(const State *s) {
    return s->checked.value[PRESSURE_A] - s->checked.value[PRESSURE_B]
           - pressure_for(&s->linear, &s->now.friction, &s->here);
}

static inline int closed_loop(const State *s) {
    if (s->mode == Mode_HOLD || s->mode == Mode_TRACK || s->mode == Mode_STOP) return 1;
    return s->mode == Mode_STANDBY && s->arm.step >= Step_HIGH_PRESSURE;
}

static inline int reference_rests(const State *s) { return s->here.v_m_s == 0 && s->here.a_m_s2 == 0; }

static inline int own_loop(const State *s) { return s->now.law.feedback == RIG_FEEDBACK; }

static inline void rest_here(State *s) {
    double x = s->estimate.x;
    Motion *m = &s->motion;
    m->id = 0; m->kind = Kind_HOLD; m->peak_m_s = m->peak_m_s2 = 0;
    m->lead.duration_s = 0; m->body_s = 0; m->out.duration_s = 0; m->out.to_m = x;
    rejoin_none(&s->rejoin);
    s->motion_begun = s->head_tick; s->motion_over = -1; s->motion_id = 0;
    history_rest(&s->history, s->head_tick, x);
    rest(&s->head, x); rest(&s->here, x); rest(&s->delayed, x); rest(&s->ahead, x);
}

static inline void feedback_start(State *s) {
    pid_start(0, 0, &s->pid);
    three_state_start(0, pressure_deviation(s), &s->three_state);
    memset(&s->landing, 0, sizeof s->landing);
    s->valve.opening = s->valve.rate = 0;
}

static inline void motion_ends(State *s, int64_t result) {
    if (s->motion_id > s->motion_done_id) { s->motion_done_id = s->motion_id; s->motion_result = result; }
    s->motion_id = 0;
}

static inline void decelerate(State *s, int64_t result) {
    motion_ends(s, result);
    rejoin_none(&s->rejoin);
    Motion *m = &s->motion;
    m->id = 0; m->kind = Kind_STOP; m->peak_m_s = fabs(s->head.v_m_s); m->peak_m_s2 = s->now.limits.stopping.deceleration_m_s2; m->lead.duration_s = 0;
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
    arming_forget(&s->arm);
    s->off_after = 0; s->null_s = 0;
    s->mode = Mode_NULL;
}

/* The command at which the valve is taken to be closed. */
static inline double null_of(const State *s) { return s->arm.null + s->now.law.adapt.share * s->adapt.null; }

static inline void switch_off(State *s) {
    motion_ends(s, TRIPPED);
    s->mode = Mode_OFF; s->enable = 0; s->supply = 0; s->off_after = 0; s->supply_s = 0;
    arming_forget(&s->arm);
    s->arm.step = Step_NONE; s->off_s = 0;
    s->output.command = null_of(s);
    s->output.saturated = 0; s->output.saturated_s = 0; s->output.refused = 0;
}

static inline int64_t supply_level(State *s) {
    if (s->supply_s <= 0) return s->supply;
    const Arming *c = &s->now.arming;
    double pressure = s->checked.value[SUPPLY];
    int high = s->supply == 2;
    s->supply_s += s->now.dt_s * (double)s->periods;
    int there = isnan(pressure) ? s->supply_s >= (high ? c->high_pressure_s : c->low_pressure_s)
                : high          ? pressure >= c->supply_share * s->now.machine.Ps
                                : c->supply_share * pressure <= s->now.machine.Ps_low;
    if (!there && s->supply_s <= c->timeout_s) return 1;
    s->supply_s = 0;
    return s->supply;
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
    warn(Trip_EMERGENCY_STOP, &s->guard);
    if (s->mode != Mode_OFF) {
        latch(Trip_EMERGENCY_STOP, Action_NULL, 1, 0, EMERGENCY, s->tick, &s->guard);
        switch_off(s);
    }
}

static inline void arm_step(State *s) {
    const int64_t needed = 1 << DISPLACEMENT | 1 << ACCELERATION | 1 << PRESSURE_A | 1 << PRESSURE_B;
    Arm *a = &s->arm;
    const Arming *c = &s->now.arming;
    int64_t before = a->step;
    double own = own_loop(s) ? s->now.law.rig.reach_m : 0;
    int64_t outcome = arming(c, &s->now.machine, own, s->checked.value, s->estimate.v,
                             s->now.dt_s * (double)s->periods, s->periods == 1 && !(s->checked.rejected & needed), a);
    if (outcome == ARMED) { s->mode = Mode_HOLD; return; }
    if (outcome != GOING) {
        latch(outcome, Action_NULL, a->value, a->limit, a->sensor, s->tick, &s->guard);
        act(s);
        return;
    }
    if (a->step == before) return;
    if (before == Step_REST) still_learnt(s->now.limits.stuck.runs, s->now.dt_s * (double)s->periods, &s->still);
    s->supply = a->step == Step_REST ? 0 : a->step < Step_HIGH_PRESSURE ? 1 : 2;
    s->enable = a->step >= Step_ENABLE;
    s->authority = a->step == Step_SETTLE ? 1 : a->step == Step_SEARCH ? c->search_opening
                                                                       : c->first_arm_authority + a->overlap;
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

static inline int powerless(const Guard *g) {
    if (g->trip == Trip_SUPPLY_PRESSURE || g->trip == Trip_DRIVER) return 1;
    return g->trip >= Trip_SENSOR_INVALID && g->trip <= Trip_SENSOR_STALE && g->trip_sensor == DISPLACEMENT;
}

static inline int escalate(State *s, int passed) {
    if (s->mode != Mode_HOLD || !s->guard.trip) { s->held_s = s->passed_s = 0; return 0; }
    double step_s = s->now.dt_s * (double)s->periods;
    s->held_s += step_s;
    if (passed || s->passed_s > 0) s->passed_s += step_s;
    return powerless(&s->guard) || s->held_s > s->now.limits.escalation.hold_s
           || s->passed_s > s->now.limits.escalation.cause_s;
}

static inline int rests_at_null(State *s) {
    s->null_s += s->now.dt_s * (double)s->periods;
    return s->guard.trip && s->null_s <= s->now.limits.escalation.null_s;
}

static inline int integral_lives(const State *s) {
    return !s->guard.trip && !(s->guard.warnings & (1 << Trip_SUPPLY_PRESSURE | 1 << Trip_DRIVER))
           && !(s->effort.beyond > s->now.limits.holding.opening);
}
#endif
