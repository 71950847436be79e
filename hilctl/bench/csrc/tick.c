/* The tick in C: the yardstick of `hilctl bench tick`. The same steps as hilctl/law/tick.py on the same memory, so that
 * both can be run from one state and compared. Its records are generated from ours; compiled by the benchmark, gcc -O3. */
#include <string.h>

#include "tick_adapt.h"
#include "tick_catch_up.h"

/* Which words of the settings are blended; set once by the benchmark. */
static uint8_t blended[SETTINGS_WORDS];
void tick_blended(const uint8_t *mask) { for (int i = 0; i < SETTINGS_WORDS; i++) blended[i] = mask[i]; }
int64_t tick_size(void) { return sizeof(State); }

static inline void prepare(State *s) {
    const Settings *now = &s->now;
    estimate_prepare(&now->law.estimator, &now->sensors, now->dt_s, &s->estimate);
    feed_prepare(&now->machine, now->friction.viscous, &now->law.feed, now->dt_s, &s->linear);
    double cross_s = now->machine.overlap_a + now->machine.overlap_b > 0 ? now->law.feed.cross_s : 0;
    s->lead_wanted = lead_ticks(s->linear.preview_ticks, &now->law.feed, cross_s, now->dt_s);
    if (s->lead > 0) s->linear.preview_ticks = least(s->linear.preview_ticks, (double)s->lead);
}

static inline void blend_settings(double share, State *s) {
    double smooth = share * share * share * (10 - share * (15 - 6 * share));
    double *held = (double *)&s->now;
    const double *old = (const double *)&s->source, *aim = (const double *)&s->target;
    for (int i = 0; i < SETTINGS_WORDS; i++)
        if (blended[i]) held[i] = share >= 1 ? aim[i] : old[i] + smooth * (aim[i] - old[i]);
}

static inline void blend(State *s) {
    double step = s->now.dt_s * (double)s->periods, over = s->now.law.blend_s, share = over <= 0 ? 1 : step / over;
    if (s->blend < 1) {
        s->blend = least(1, s->blend + share);
        blend_settings(s->blend, s);
        prepare(s);
    }
    double aim = s->now.law.feedback == PID_FEEDBACK;
    if (s->pid_share != aim) {
        if (s->pid_share == 0) pid_start(s->three_state.integral, s->delayed.x_m - s->estimate.x, &s->pid);
        else if (s->pid_share == 1) three_state_start(s->pid.integral, pressure_deviation(s), &s->three_state);
        double away = aim - s->pid_share;
        s->pid_share = fabs(away) <= share ? aim : s->pid_share + copysign(share, away);
    }
}

static inline void command_out(State *s, Command *command, int64_t tick, int64_t skipped, int64_t deadline_ns) {
    s->tick = tick; s->periods = 1 + skipped;
    s->u_applied = s->output.command;
    command->valve = s->u_applied;
    command->enable = s->enable; command->supply = s->supply;
    command->tick = tick; command->periods = s->periods; command->deadline_ns = deadline_ns;
}

static inline void read_in(State *s, const Readings *readings, int64_t status) {
    const Settings *now = &s->now;
    Estimate *e = &s->estimate;
    Checked *c = &s->checked;
    int driven = fabs(s->here.v_m_s) > now->limits.stuck.speed_m_s && (s->mode == Mode_TRACK || s->mode == Mode_STOP);
    double shown_m_s2 = closed_loop(s) ? predicted_acceleration(s->delayed.v_m_s, s->ahead.a_m_s2, now->dt_s, e) : e->a;
    check_readings(&now->sensors, &now->limits, readings, status, predicted_position(now->dt_s, s->periods, e),
                   shown_m_s2, now->dt_s, s->periods, c);
    still(readings, failed(status), driven, s->mode == Mode_STANDBY && s->arm.step == Step_REST,
          now->dt_s, &s->still);
    if (readings->device_tick < s->device_tick) s->arm.proved = 0;
    s->device_tick = readings->device_tick;
    pressure_share(&now->law.three_state, most(c->age_s[PRESSURE_A], c->age_s[PRESSURE_B]),
                   closed_loop(s) && s->pid_share < 1, now->dt_s, s->periods, &s->fresh);
    int predicted = (c->rejected & (1 << DISPLACEMENT | 1 << ACCELERATION)) != 0;
    if (!s->started) {
        if (!predicted) {
            s->started = s->tick > 1 ? s->tick : 1;
            estimate_start(c->value[DISPLACEMENT], c->value[ACCELERATION], e);
            rest_here(s);
        }
        return;
    }
    estimate(c->value[DISPLACEMENT], c->value[ACCELERATION], c->age_s[DISPLACEMENT], predicted, now->dt_s, s->periods, e);
}

static inline void advance_reference(State *s, const double *knots, int64_t known) {
    double dt = s->now.dt_s;
    catch_up(s, knots, known);
    history_get(&s->history, s->tick, 0, dt, &s->here);
    history_get(&s->history, s->tick, -s->estimate.delay_ticks, dt, &s->delayed);
    history_get(&s->history, s->tick, s->linear.preview_ticks, dt, &s->ahead);
}

static inline void watch(State *s, int64_t status) {
    double passed_s = s->now.dt_s * (double)s->periods, lag = passed_s / (passed_s + 2 * s->now.machine.zv / s->now.machine.wv);
    int shown = s->now.sensors.spool.present != 0;
    double spool = shown && !(s->checked.rejected & (1 << SPOOL)) ? s->checked.value[SPOOL] : NAN;
    delivered(failed(status), s->u_applied, shown, spool, lag, s->now.machine.slew_per_s * passed_s,
              s->now.dt_s, s->periods,
              PI * sqrt(s->now.machine.m * s->now.machine.Vt / (4 * s->now.machine.beta)) / s->now.machine.A,
              &s->delivery);
    if (!failed(status))
        still_opened(closed_loop(s) && !own_loop(s), s->valve.opening, most(s->now.arming.bump, s->arm.bump),
                     s->arm.gain_m_s, s->now.dt_s * (double)s->periods, &s->still);
    effort(&s->now.limits, &s->now.machine, &s->now.law.valve,
           most(s->arm.overlap - s->now.arming.bump, 0), closed_loop(s) && !own_loop(s), s->u_applied - null_of(s), s->estimate.v, s->linear.preview_ticks * s->now.dt_s,
           s->now.dt_s * (double)s->periods, &s->effort);
    guard(s, status, closed_loop(s), fabs(s->here.v_m_s) > s->now.limits.stuck.speed_m_s, supply_level(s));
    if (s->fresh.share < 1 && s->now.law.three_state.kp_per_mpa != 0 && closed_loop(s) && s->pid_share < 1)
        warn(Trip_PRESSURE_AGE, &s->guard);
    if (s->adapt.ended) warn(Trip_VALVE_DRIFT, &s->guard);
    emergency(s);
    int passed = s->guard.wanted != 0;
    act(s);
    if (escalate(s, passed)) to_null(s, TRIPPED);
    if (s->mode == Mode_OFF) s->off_s += s->now.dt_s * (double)s->periods;
}

static inline double pid_part(const State *s) {
    return s->pid_share * s->pid_share * (3 - 2 * s->pid_share);
}

static inline void feed_forward(State *s) {
    double linear = 1 - pid_part(s);
    double aim = s->mode == Mode_TRACK || s->mode == Mode_STOP ? s->motion.without_inverse : 0;
    if (s->without_inverse != aim) {
        double step = s->now.dt_s * (double)s->periods / WITHOUT_S;
        s->without_inverse += fmin(fmax(aim - s->without_inverse, -step), step);
    }
    s->u_linear = feed_linear(&s->linear, &s->ahead);
    s->u_feed = s->opening_ahead = linear * s->u_linear * adapt_scale(s); /* the inverse model is off in what is compared */
    s->u_inverse = 0;
    s->inverse.running = 0;
    s->side = linear * valve_feed(&s->now.law.valve, s->u_linear, s->now.dt_s * (double)s->periods, &s->valve);
    s->pressure_ref_pa = pressure_for(&s->linear, &s->now.friction, &s->here);
}

static inline double left_at_rest(State *s, double error, int live) {
    const Law *law = &s->now.law;
    double dt = s->now.dt_s * (double)s->periods;
    double gain = law->three_state.kd_per_m + pid_part(s) * (law->pid.kp_per_m - law->three_state.kd_per_m);
    int rests = reference_rests(s) && (s->mode == Mode_HOLD || s->mode == Mode_TRACK);
    if (rests && !live) return s->landing.left_m;
    double *integral = s->pid_share > 0 ? &s->pid.integral : &s->three_state.integral;
    double overlap = law->valve.inverse * (s->now.machine.overlap_a + s->now.machine.overlap_b);
    double first = overlap > 0 && s->now.friction.reach_m == 0 ? LANDING_FIRST : 0;
    double left = landing(rests, gain * error, *integral, first, law->valve.rest, dt, &s->landing);
    if (live) *integral = landing_integral(landed(law->valve.rest, &s->landing), *integral, dt, &s->landing);
    return s->landing.left_m = gain > 0 ? left / gain : 0;
}

static inline double opening(State *s) {
    if (own_loop(s)) {
        double by = s->mode == Mode_STANDBY ? arming_opening(&s->arm) : 0;
        int closed = closed_loop(s) || s->mode == Mode_NULL;
        return s->u_law = closed ? s->here.x_m / s->now.law.rig.reach_m : s->arm.null + by;
    }
    if (!closed_loop(s)) return s->u_law = s->mode == Mode_STANDBY ? arming_opening(&s->arm) : 0;
    const Law *law = &s->now.law;
    const Estimate *e = &s->estimate;
    double dt = s->now.dt_s * (double)s->periods, error = s->delayed.x_m - e->x, refused = s->output.refused, feedback = 0;
    int live = integral_lives(s);
    error -= left_at_rest(s, error, live);
    live = live && !landed(law->valve.rest, &s->landing);
    if (s->pid_share < 1) {
        feedback = three_state(&law->three_state, error, s->delayed.v_m_s - e->v, s->delayed.a_m_s2 - (e->a + e->b),
                               s->checked.value[PRESSURE_A] - s->checked.value[PRESSURE_B] - s->pressure_ref_pa,
                               &s->fresh, refused, live, dt, &s->three_state);
    }
    if (s->pid_share > 0) {
        double u_pid = pid(&law->pid, error, refused, live, dt, &s->pid);
        feedback += pid_part(s) * (u_pid - feedback);
    }
    return s->u_law = feedback + s->u_feed;
}

static inline void output_own(State *s, double wanted) {
    const Settings *now = &s->now;
    Output *o = &s->output;
    if (!s->enable) {
        o->command = s->arm.null = least(most(s->estimate.x / now->law.rig.reach_m, -1), 1);
        o->refused = 0; o->saturated = 0; o->saturated_s = 0;
        return;
    }
    int arming = s->mode == Mode_STANDBY && s->authority < 1;
    limit(wanted, arming ? s->arm.null : 0, arming ? s->authority : now->limits.command.opening,
          now->limits.command.slew_per_s, now->dt_s, s->periods, o);
}

static inline void output(State *s, double wanted) {
    const Settings *now = &s->now;
    Output *o = &s->output;
    double dt = now->dt_s * (double)s->periods, null = null_of(s);
    s->u_notched = wanted;
    if (own_loop(s)) {
        output_own(s, wanted);
        delivery_start(o->command, &s->delivery);
        return;
    }
    if (s->mode == Mode_OFF) {
        notches_start(&s->notches);
        o->command = null; o->refused = 0; o->saturated = 0; o->saturated_s = 0;
    } else if (s->mode != Mode_NULL) {
        s->u_notched = notches(&now->law, wanted, now->dt_s, s->periods, &s->notches);
        double command = s->u_notched + null;
        if (closed_loop(s)) {
            s->valve.more = now->law.adapt.share * s->adapt.overlap;
            command = valve_stage(&now->law.valve, &now->machine, s->u_notched, s->u_feed, s->opening_ahead, s->side, null,
                                  dt, &s->valve);
        }
        double reach = least(s->authority, now->limits.command.opening), slew = now->limits.command.slew_per_s;
        s->delivery.plain = command;
        if (reference_rests(s)) s->delivery.due = 0;
        if (closed_loop(s))
            command += repayment(now->law.feed.repay, o->command, null, reach, slew * now->dt_s, &s->delivery);
        limit(command, null, reach, slew, now->dt_s, s->periods, o);
        if (!o->not_finite && repaid(o->command, o->saturated, &s->delivery)) o->refused = 0;
        if (o->not_finite) {
            latch(Trip_COMMAND, Action_NULL, wanted, 1, -1, s->tick, &s->guard);
            act(s);
        }
    }
    if (o->not_finite || !closed_loop(s)) delivery_start(o->command, &s->delivery);
    if (s->mode == Mode_NULL) {
        double rate = now->limits.stopping.deceleration_m_s2 * now->machine.A / now->machine.Qn;
        double apart_s = PI * sqrt(now->machine.m * now->machine.Vt / (4 * now->machine.beta)) / now->machine.A;
        double step_s = now->dt_s * (double)(s->periods < 4 ? s->periods : 4);
        if (!s->enable || (ramp_to(null, rate, apart_s, step_s, dt, o) && !rests_at_null(s))) switch_off(s);
    } else {
        o->ramp_from = o->command;
        o->ramp_s = o->ramped[0] = o->ramped[1] = 0;
    }
}

static inline void fill_sample(const State *s, const Readings *readings, int64_t status, Sample *out) {
    const Checked *c = &s->checked;
    const Estimate *e = &s->estimate;
    const Machine *machine = &s->now.machine;
    out->epoch = s->epoch; out->mode = s->mode; out->arming = s->arm.step;
    out->motion = s->motion_id; out->trip = s->guard.trip; out->warnings = s->guard.warnings;
    out->rejected = c->rejected; out->status = status; out->device_tick = readings->device_tick;
    memcpy(&out->displacement_m, c->value, sizeof c->value);
    out->age_max_ns = c->age_max_ns;
    out->pressure_a_age_ns = (int64_t)rint(c->age_s[PRESSURE_A] * 1e9);
    out->pressure_b_age_ns = (int64_t)rint(c->age_s[PRESSURE_B] * 1e9);

    double pressure = c->value[PRESSURE_A] - c->value[PRESSURE_B], weight = machine->vertical ? machine->m * GRAVITY : 0;
    out->position_m = e->x; out->velocity_m_s = e->v; out->acceleration_used_m_s2 = e->a;
    out->load_pressure_pa = pressure;
    out->friction_n = machine->A * pressure - machine->m * e->a - weight - machine->K * e->x;

    int closed = closed_loop(s);
    out->xr_m = s->here.x_m; out->vr_m_s = s->here.v_m_s; out->ar_m_s2 = s->here.a_m_s2; out->jr_m_s3 = s->here.j_m_s3;
    out->xd_m = s->delayed.x_m; out->vd_m_s = s->delayed.v_m_s; out->ad_m_s2 = s->delayed.a_m_s2;
    out->error_m = closed ? s->delayed.x_m - e->x : 0;
    out->left_m = closed ? s->landing.left_m : 0;

    out->blend = s->now.law.feed.inverse * (1 - s->without_inverse);
    out->u_linear = closed ? s->u_linear : 0;
    out->u_inverse = s->u_inverse;
    out->u_feed = closed ? s->u_feed : 0;
    out->pressure_ref_pa = s->pressure_ref_pa;
    out->pid_share = s->pid_share;
    const ThreeStateState *t = &s->three_state;
    out->u_position = t->position; out->u_integral = t->integral; out->u_velocity = t->velocity;
    out->u_acceleration = t->acceleration; out->u_pressure = t->pressure;
    out->pressure_share = s->fresh.share;
    out->u_pid_p = s->pid.p; out->u_pid_i = s->pid.i; out->u_pid_d = s->pid.d;
    out->u_law = s->u_law; out->u_notched = s->u_notched;
    out->saturated = s->output.saturated; out->u_cmd = s->output.command; out->u_applied = s->u_applied;
    out->enabled = s->enable; out->supply = s->supply;
    const AdaptState *a = &s->adapt;
    double share = s->now.law.adapt.share;
    out->valve_null = null_of(s); out->learned_null = share * a->null;
    out->learned_gain = share * a->flow / machine->Qn; out->learned_overlap = share * a->overlap;
    out->learning = a->learning | a->ended;
}

static inline void tick(State *s, const Readings *readings, int64_t status, const double *knots, int64_t known,
                        Sample *out) {
    blend(s);
    read_in(s, readings, status);
    advance_reference(s, knots, known);
    watch(s, status);
    if (s->mode == Mode_STANDBY) arm_step(s);
    motion_done(s);
    feed_forward(s);
    double wanted = opening(s);
    output(s, wanted);
    adapt_tick(s, status);
    fill_sample(s, readings, status, out);
}

void tick_run(State *s, Command *command, const Readings *readings, const Turn *turns, Sample *samples, int64_t rows,
              const double *knots, int64_t known, int64_t count) {
    for (int64_t k = 0; k < count; k++) {
        command_out(s, command, turns[k].tick, turns[k].skipped, 0);
        tick(s, &readings[k], turns[k].status, knots, known, &samples[k & (rows - 1)]);
    }
}
