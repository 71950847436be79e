/* The head of the reference goes on, also after a stall; see hilctl/law/catch_up.py. The inverse model, off in what is
 * compared, has nothing to run through again. */
#ifndef TICK_CATCH_UP_H
#define TICK_CATCH_UP_H
#include "tick_modes.h"

static inline void evaluate(State *s, const double *knots, int64_t known) {
    double dt = s->now.dt_s;
    int64_t over = reference(&s->motion, knots, known, (double)(s->head_tick - s->motion_begun) * dt, &s->head);
    int added = rejoin_add(&s->rejoin, s->head_tick, dt, &s->head);
    history_put(&s->history, s->head_tick, &s->head);
    if (over && !added && s->motion_over < 0) s->motion_over = s->head_tick;
}

/* The history after `since` up to `last`: straight on from `here`. */
static inline void coast(State *s, double since, int64_t last) {
    double x = s->here.x_m, v = s->here.v_m_s;
    int64_t first = (int64_t)floor(since) + 1;
    if (first <= last - LENGTH) first = last - LENGTH + 1;
    for (int64_t tick = first; tick <= last; tick++) {
        put(&s->head, (Jet){x + v * (((double)tick - since) * s->now.dt_s), v, 0, 0});
        history_put(&s->history, tick, &s->head);
    }
}

/* The stall that would take a table as far off this motion, at its peak of acceleration, as it will be at the join. */
static inline double stall_so_far(State *s, const double *knots, int64_t known, double since, int64_t join) {
    double dt = s->now.dt_s, peak = fmax(s->motion.peak_m_s2, 1e-3);
    reference(&s->motion, knots, known, (double)(join - s->motion_begun) * dt, &s->head);
    double x = s->here.x_m + s->here.v_m_s * ((double)join - since) * dt - s->head.x_m;
    return fmax(fabs(s->here.v_m_s - s->head.v_m_s) / peak, sqrt(2 * fabs(x) / peak)) - 2 * dt;
}

static inline void rejoin(State *s, const double *knots, int64_t known, double since, int64_t join) {
    double dt = s->now.dt_s, x = s->here.x_m, v = s->here.v_m_s;
    int64_t until = s->head_tick + s->periods;
    coast(s, since, join - 1);
    reference(&s->motion, knots, known, (double)(join - s->motion_begun) * dt, &s->head);
    Point off = {x + v * (((double)join - since) * dt) - s->head.x_m, v - s->head.v_m_s, -s->head.a_m_s2, -s->head.j_m_s3};
    double peak = s->motion.peak_m_s;
    double room = fmax(fmax(0.9 * s->now.limits.velocity.max_m_s - peak, 0.1 * peak), 1e-4);
    rejoin_plan(&off, room, 0.7 * s->motion.peak_m_s2, s->now.limits.stopping.jerk_m_s3, join, dt, &s->rejoin);
    s->motion_over = -1;
    for (s->head_tick = join; s->head_tick <= until; s->head_tick++) evaluate(s, knots, known);
    s->head_tick = until;
}

static inline void stop_after(State *s, double since, double stall_s) {
    int tracking = s->mode == Mode_TRACK, tripped = s->guard.trip && s->guard.trip_tick == s->tick;
    if (tracking || tripped) s->here.v_m_s += s->pid_share * (s->estimate.v - s->here.v_m_s);
    s->head_tick += s->periods;
    coast(s, since, s->head_tick);
    if (tracking) {
        latch(Trip_LATE_TICKS, Action_STOP, stall_s, s->now.limits.late.rejoin_s, -1, s->tick, &s->guard);
        act(s);
    } else if (tripped || stall_s <= s->now.limits.late.rejoin_s) {
        decelerate(s, STOPPED);
    } else {
        latch(Trip_LATE_TICKS, Action_NULL, stall_s, s->now.limits.late.rejoin_s, -1, s->tick, &s->guard);
        act(s);
    }
    s->rejoin.missed_s = stall_s;
}

static inline void catch_up(State *s, const double *knots, int64_t known) {
    int moving = s->mode == Mode_TRACK || s->mode == Mode_STOP;
    if (s->periods > (int64_t)ceil(s->linear.preview_ticks) && moving) {
        double ahead = own_loop(s) ? 0 : (1 - s->pid_share) * s->linear.preview_ticks;
        int64_t before = s->tick - s->periods;
        history_get(&s->history, before, ahead, s->now.dt_s, &s->here);
        if (own_loop(s)) s->here.v_m_s = 0;
        int64_t join = s->tick + (int64_t)ceil(ahead);
        double stall_s = (double)(s->periods - 1) * s->now.dt_s;
        int tracking = s->mode == Mode_TRACK;
        stall_s += tracking ? rejoin_missed(&s->rejoin, (double)before + ahead, s->now.dt_s) : s->rejoin.missed_s;
        s->rejoin.missed_s = stall_s;
        if (tracking && !own_loop(s))
            stall_s = fmax(stall_s, stall_so_far(s, knots, known, (double)before + ahead, join));
        if (tracking && stall_s <= s->now.limits.late.rejoin_s)
            rejoin(s, knots, known, (double)before + ahead, join);
        else stop_after(s, (double)before + ahead, stall_s);
        return;
    }
    int64_t ticks = s->periods < LENGTH ? s->periods : LENGTH;
    s->head_tick += s->periods - ticks;
    for (int64_t i = 0; i < ticks; i++) {
        s->head_tick++;
        evaluate(s, knots, known);
    }
    while ((s->mode == Mode_HOLD || s->mode == Mode_OFF) && s->lead < s->lead_wanted) {
        s->lead++;
        s->head_tick++;
        evaluate(s, knots, known);
    }
}
#endif
