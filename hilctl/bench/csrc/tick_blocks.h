/* The law's blocks in C, one after the other as in hilctl/law: bucket, sensors, estimate, feed, three_state, pid, valve,
 * output. */
#ifndef TICK_BLOCKS_H
#define TICK_BLOCKS_H
#include "tick_stillness.h"

static inline double leak(double level, int bad, double share, double dt, int64_t periods) {
    double poured = bad ? (double)periods - share * (double)periods : -share * (double)periods;
    return least(most(level + poured, 0), 1 / dt);
}

static inline int full(double level, double share, double dt) { return level * dt > share; }

static inline double events(double level, int happened, double dt, int64_t periods) {
    return most(level - dt * (double)periods, 0) + (happened ? 1 : 0);
}

static inline int64_t reason(double raw, double value, const Sensor *sensor, double age_s, double allowed_s, int lost) {
    if (lost) return Trip_DRIVER;
    if (!isfinite(raw)) return Trip_SENSOR_INVALID;
    if (value < sensor->low || value > sensor->high) return Trip_SENSOR_RANGE;
    if (age_s > allowed_s) return Trip_SENSOR_STALE;
    return 0;
}

static inline void check_one(int k, double raw, int64_t age_ns, int lost, const Sensor *sensor, const Limits *limits,
                             double predicted, double dt, int64_t periods, Checked *c) {
    double value = sensor->gain * (raw - sensor->offset), age_s = (double)age_ns * 1e-9;
    double allowed_s = isnan(sensor->stale_s) ? limits->stale.max_s : sensor->stale_s;
    double passed_s = dt * (double)periods, share = limits->sensing.share;
    int64_t why = reason(raw, value, sensor, age_s, allowed_s, lost);
    c->reason[k] = why;
    c->allowed_s[k] = allowed_s;
    if (why) {
        c->value[k] = predicted;
        c->age_s[k] = most(age_s, c->age_s[k] + passed_s);
        c->rejected |= 1 << k;
        c->in_a_row[k] += c->in_a_row[k] > 0 ? periods : 1;
        c->rejections[k]++;
    } else {
        c->value[k] = value;
        c->age_s[k] = age_s;
        c->seen |= 1 << k;
        c->in_a_row[k] = 0;
    }
    c->last_raw[k] = lost ? NAN : raw;
    c->bad[k] = leak(c->bad[k], why && !lost, share, dt, periods);
    if (full(c->bad[k], share, dt)) c->often |= 1 << k;
    if (k <= SPOOL && age_ns > c->age_max_ns) c->age_max_ns = age_ns;
}

static inline int failed(int64_t status) {
    return status != Status_OK && status != Status_LATE && status != Status_OVERWRITTEN;
}

#define CHECK(k, sensor, reading, predicted) \
    check_one(k, r->reading, r->age_ns[k], lost, &s->sensor, limits, predicted, dt, periods, c)
#define OPTIONAL(k, sensor, reading) \
    if (s->sensor.present) CHECK(k, sensor, reading, c->value[k]); \
    else c->value[k] = NAN;

static inline void check_readings(const Sensors *s, const Limits *limits, const Readings *r, int64_t status, double x,
                                  double a, double dt, int64_t periods, Checked *c) {
    c->rejected = c->often = 0;
    c->age_max_ns = 0;
    int lost = failed(status);
    CHECK(DISPLACEMENT, displacement, displacement_m, x);
    CHECK(ACCELERATION, acceleration, acceleration_m_s2, a);
    CHECK(PRESSURE_A, pressure_a, pressure_a_pa, c->value[PRESSURE_A]);
    CHECK(PRESSURE_B, pressure_b, pressure_b_pa, c->value[PRESSURE_B]);
    EACH_OPTIONAL(OPTIONAL)
}

static inline void estimate_prepare(const Estimator *c, const Sensors *s, double dt, Estimate *e) {
    e->q = exp(-2 * PI * c->bandwidth_hz * dt);
    double late = most(s->displacement.delay_s, s->acceleration.delay_s);
    e->delay_ticks = late / dt;
    e->delay_x = (late - s->displacement.delay_s) / dt;
    e->delay_a = (late - s->acceleration.delay_s) / dt;
}

static inline void estimate_start(double x, double a, Estimate *e) {
    e->x = x; e->v = 0; e->b = -a; e->b_start = -a; e->a = a;
    for (int i = 0; i < LINE; i++) { e->line_x[i] = x; e->line_a[i] = a; }
    e->at = e->predicted = 0;
    e->age_s = 0;
}

static inline double delayed(const double *line, int64_t at, double ticks) {
    int64_t whole = (int64_t)ticks;
    double part = ticks - (double)whole, newer = line[(at - whole) & (LINE - 1)];
    return newer + part * (line[(at - whole - 1) & (LINE - 1)] - newer);
}

static inline double mean_of_gap(double x, double a, double a_from, double age_s, double gap_s, const Estimate *e) {
    double way = x - e->line_x[e->at & (LINE - 1)] - e->v * gap_s;
    double straight = ((2 * a_from + a) / 6 + 0.5 * e->b) * gap_s * gap_s;
    double younger = way - e->v * age_s, older = way + e->v * e->age_s;
    if (least(younger, older) <= straight && straight <= most(younger, older)) return NAN;
    double nearest = fabs(younger - straight) < fabs(older - straight) ? younger : older;
    return 2 * nearest / (gap_s * gap_s) - e->b;
}

static inline void estimate_step(double x, double a, double age_s, double dt, int64_t periods, Estimate *e) {
    int64_t steps = periods < LINE ? periods : LINE;
    double x_from = e->line_x[e->at & (LINE - 1)], a_from = e->line_a[e->at & (LINE - 1)], q = e->q;
    double gap_s = (double)steps * dt, mean = NAN;
    if (steps > STRAIGHT || (steps > 1 && gap_s > STRAIGHT_S)) mean = mean_of_gap(x, a, a_from, age_s, gap_s, e);
    int bent = !isnan(mean);
    for (int64_t k = 1; k <= steps; k++) {
        e->at++;
        e->line_x[e->at & (LINE - 1)] = x_from + (x - x_from) * ((double)k / (double)steps);
        e->line_a[e->at & (LINE - 1)] =
            bent && k < steps ? mean : a_from + (a - a_from) * ((double)k / (double)steps);
        double a_old = e->a;
        e->a = delayed(e->line_a, e->at, e->delay_a);
        e->x += dt * (e->v + dt * ((2 * a_old + e->a) / 6 + 0.5 * e->b));
        e->v += dt * (0.5 * (a_old + e->a) + e->b);
        double r = delayed(e->line_x, e->at, e->delay_x) - e->x;
        e->x += (1 - q * q * q) * r;
        e->v += 1.5 * (1 - q * q) * (1 - q) / dt * r;
        e->b += (1 - q) * (1 - q) * (1 - q) / (dt * dt) * r;
    }
}

static inline void estimate(double x, double a, double age_s, int predicted, double dt, int64_t periods, Estimate *e) {
    if (predicted) {
        if (e->predicted == 0) { e->read[0] = e->x; e->read[1] = e->v; e->read[2] = e->b; e->read[3] = e->a; }
        e->predicted += periods;
    } else {
        if (0 < e->predicted && e->predicted <= REFILLED - periods) {
            e->x = e->read[0]; e->v = e->read[1]; e->b = e->read[2]; e->a = e->read[3];
            e->at -= e->predicted;
            periods += e->predicted;
        }
        e->predicted = 0;
    }
    estimate_step(x, a, age_s, dt, periods, e);
    if (!predicted) e->age_s = age_s;
}

static inline double predicted_position(double dt, int64_t periods, const Estimate *e) {
    double ahead_s = dt * (double)periods;
    return e->line_x[e->at & (LINE - 1)] + ahead_s * (e->v + 0.5 * ahead_s * (e->a + e->b));
}

static inline double predicted_acceleration(double v, double a, double dt, const Estimate *e) {
    return a - e->b + (v - e->v) / most(FOLLOWS_S, FOLLOWS_TICKS * dt);
}

static inline double friction_level(const double *p, double speed) {
    double ratio = speed / p[VS], shape;
    if (p[DELTA] == 2) shape = ratio * ratio;
    else if (p[DELTA] == 1) shape = ratio;
    else shape = pow(ratio, p[DELTA]);
    return p[FC] + (p[FS] - p[FC]) * exp(-shape);
}

static inline double steady(int64_t code, const double *p, double direction, double v) {
    if (code != STRIBECK && code != KARNOPP && code != LUGRE) return NAN;
    p += direction >= 0 ? 0 : WIDTH;
    return direction * friction_level(p, fabs(v)) + p[SIGMA] * v;
}

static inline void feed_prepare(const Machine *m, double viscous, const Feed *feed, double dt, Linear *c) {
    double area = m->A, leak = m->Kc + m->Ctc, oil = m->Vt / (4 * m->beta * area * area), damping = m->B + viscous;
    double gain = area / m->Qn;
    c->c_x = gain * leak * m->K / (area * area);
    c->c_v = gain * (1 + leak * damping / (area * area) + oil * m->K);
    c->c_a = gain * (leak * m->m / (area * area) + oil * damping);
    c->c_j = gain * oil * m->m;
    c->p_x = m->K / area;
    c->p_v = m->B / area;
    c->p_f = 1 / area;
    c->p_a = m->m / area;
    c->p_0 = m->vertical ? m->m * GRAVITY / area : 0;
    c->preview_ticks = most(0, 1.5 + (2 * m->zv / m->wv + feed->extra_preview_s) / dt);
}

static inline int64_t lead_ticks(double preview_ticks, const Feed *feed, double cross_s, double dt) {
    double most_s = most(SMOOTH_S, SMOOTH_TICKS * dt), grid_s = least(dt, GRID_S), extra_s = feed->extra_preview_s;
    int64_t ticks = (int64_t)ceil(most(preview_ticks, 2 + (0.5 * most_s + 4 * grid_s + extra_s) / dt)) + 1;
    if (cross_s <= 0) return ticks;
    double crossing_s = 0.5 * feed->smooth_s + (0.5 + CROSS_EARLY) * cross_s + 5 * grid_s;
    int64_t wanted = (int64_t)ceil(2 + (crossing_s + extra_s) / dt);
    return wanted > ticks ? wanted : ticks;
}

static inline double feed_linear(const Linear *c, const Point *at) {
    return c->c_x * at->x_m + c->c_v * at->v_m_s + c->c_a * at->a_m_s2 + c->c_j * at->j_m_s3;
}

static inline double pressure_for(const Linear *c, const Friction *friction, const Point *at) {
    double v = at->v_m_s, f = steady(friction->code, friction->p, tanh(v / SMOOTH_M_S), v);
    return c->p_0 + c->p_x * at->x_m + c->p_v * v + c->p_a * at->a_m_s2 + c->p_f * f;
}

static inline void three_state_start(double integral, double deviation, ThreeStateState *s) {
    s->integral = integral; s->slow_pa = deviation;
    s->position = s->velocity = s->acceleration = s->pressure = s->term = 0;
}

static inline void pressure_share(const ThreeState *c, double age_s, int acts, double dt, int64_t periods, Fresh *f) {
    if (age_s > c->pressure_age_s) {
        f->fresh_s = 0; f->live = 0;
    } else if (!f->live) {
        f->fresh_s += dt;
        if (f->fresh_s >= RETURN_S && (f->share <= 0 || !acts)) f->live = 1;
    }
    double aim = f->live ? 1 : 0, step = dt * (double)periods / c->pressure_fade_s;
    if (!acts || fabs(aim - f->share) <= step) f->share = aim;
    else f->share += aim > f->share ? step : -step;
}

static inline double three_state(const ThreeState *c, double ex, double ev, double ea, double deviation, const Fresh *fresh,
                                 double refused, int live, double dt, ThreeStateState *s) {
    double keep = exp(-2 * PI * c->high_pass_hz * dt);
    s->slow_pa = fresh->fresh_s > 0 ? keep * s->slow_pa + (1 - keep) * deviation : deviation;
    if (fresh->live) s->term = -c->kp_per_mpa * 1e-6 * (deviation - s->slow_pa);
    if (live) s->integral += dt * c->ki_per_m_s * ex - least(dt * c->unwind_per_s, 1) * refused;
    s->position = c->kd_per_m * ex;
    s->velocity = c->kv_s_per_m * ev;
    s->acceleration = c->ka_s2_per_m * ea;
    s->pressure = fresh->share * s->term;
    return s->position + s->integral + s->velocity + s->acceleration + s->pressure;
}

static inline void pid_start(double integral, double error, PidState *s) {
    s->integral = integral; s->slope = 0; s->error = error;
    s->p = s->i = s->d = 0;
}

static inline double pid(const Pid *c, double error, double refused, int live, double dt, PidState *s) {
    double fade = exp(-2 * PI * c->derivative_hz * dt);
    s->slope = fade * s->slope + (1 - fade) * (error - s->error) / dt;
    s->error = error;
    if (live) s->integral += dt * c->ki_per_m_s * error - least(dt * c->unwind_per_s, 1) * refused;
    s->p = c->kp_per_m * error;
    s->i = s->integral;
    s->d = c->kd_s_per_m * s->slope;
    return s->p + s->i + s->d;
}

static inline void notches_start(Notches *s) {
    s->first.u1 = s->first.u2 = s->first.t1 = s->first.t2 = 0;
    s->second = s->third = s->first;
}

static inline double notch(const Notch *c, double opening, double dt, NotchState *s) {
    double taken = 0;
    if (c->depth_db > 0 || s->t1 != 0 || s->t2 != 0) {
        double turn = least(2 * PI * c->frequency_hz * dt, 2 * PI * NOTCH_HIGHEST), a = 0.5 * c->width * sin(turn);
        double left = exp(-0.05 * log(10) * c->depth_db);
        taken = (a * (1 - left) * (opening - s->u2) + 2 * cos(turn) * s->t1 - (1 - a) * s->t2) / (1 + a);
        if (c->depth_db == 0 && fabs(taken) < NOTCH_RESIDUE && fabs(s->t1) < NOTCH_RESIDUE) taken = s->t1 = 0;
    }
    s->u2 = s->u1; s->u1 = opening;
    s->t2 = s->t1; s->t1 = taken;
    return opening - taken;
}

static inline double notches(const Law *law, double opening, double dt, int64_t periods, Notches *s) {
    int64_t steps = periods < NOTCH_STEPS ? periods : NOTCH_STEPS;
    double held = s->first.u1, through = opening;
    for (int64_t k = 0; k < steps; k++) {
        through = notch(&law->notch_1, k == steps - 1 ? opening : held, dt, &s->first);
        through = notch(&law->notch_2, through, dt, &s->second);
        through = notch(&law->notch_3, through, dt, &s->third);
    }
    return through;
}

static inline double covered(double opening, double overlap, double rounding) {
    if (rounding < SHARP || overlap == 0) return 1;
    double flow = (1 - overlap) * opening, round2 = rounding * rounding;
    double edge = flow + 0.5 * round2 / (sqrt(overlap * overlap + round2) + overlap);
    double place = overlap + edge - 0.25 * round2 / edge;
    for (int i = 0; i < 2; i++) {
        double ahead = place - overlap, behind = place + overlap;
        double root_ahead = sqrt(ahead * ahead + round2), root_behind = sqrt(behind * behind + round2);
        place -= (place + 0.5 * (root_ahead - root_behind) - flow) / (1 + 0.5 * (ahead / root_ahead - behind / root_behind));
    }
    return least(most((place - flow) / overlap, 0), 1);
}

static inline double valve_feed(const ValveStage *c, double linear, double dt, ValveState *s) {
    s->rate += 0.5 * (fabs(linear - s->linear) / dt - s->rate);
    s->linear = linear;
    return tanh(linear / most(s->rate * c->crossing_s, c->crossing_min));
}

static inline double valve_stage(const ValveStage *c, const Machine *m, double opening, double feed, double ahead,
                                 double side, double null, double dt, ValveState *s) {
    double up = c->inverse * most(m->overlap_a + s->more, 0), down = c->inverse * most(m->overlap_b + s->more, 0);
    double spool = opening + null;
    s->opening = opening;
    if (up + down > 0) {
        double back = opening - feed, taken = tanh(most(fabs(back) - SLACK - fabs(ahead), 0) / SOFT);
        double overlap = 0.5 * (m->overlap_a + m->overlap_b);
        side += taken * (copysign(covered(fabs(back), overlap, m->edge_rounding), back) - side);
        spool += 0.5 * (up + down) * side - (opening > 0 ? up : down) * opening;
    }
    if (c->dither > 0) {
        s->phase += 2 * PI * c->dither_hz * dt;
        if (s->phase > 2 * PI) s->phase -= 2 * PI * floor(s->phase / (2 * PI));
        spool += c->dither * sin(s->phase);
    }
    if (spool != s->asked) {
        s->way = copysign(1, spool - s->asked);
        s->asked = spool;
    }
    return spool + 0.5 * c->inverse * m->hysteresis * s->way;
}

static inline void limit(double wanted, double centre, double reach, double slew_per_s, double dt, int64_t periods,
                         Output *o) {
    o->not_finite = !isfinite(wanted);
    if (o->not_finite) wanted = o->command;
    double given = least(most(wanted, most(centre - reach, -1)), least(centre + reach, 1));
    o->saturated = given != wanted;
    double step = slew_per_s * dt;
    given = least(most(given, o->command - step), o->command + step);
    o->refused = wanted - given;
    o->saturated_s = o->saturated ? o->saturated_s + dt * (double)periods : 0;
    o->command = given;
}

static inline void delivery_start(double command, Delivery *d) {
    d->plain = command; d->due = 0; d->repays = 0;
}

static inline double repayment(double share, double before, double centre, double reach, double step, const Delivery *d) {
    double low = most(most(before - step, centre - reach), -1), high = least(least(before + step, centre + reach), 1);
    if (d->due == 0 || d->plain < low || d->plain > high) return 0;
    double arrives = 1 - d->missed;
    return least(most(share * arrives * arrives * d->due, low - d->plain), high - d->plain);
}

static inline int repaid(double given, int64_t saturated, Delivery *d) {
    int repays = given != d->plain && saturated == 0 && (d->due != 0 || d->repays != 0);
    if (repays) d->due += d->plain - given;
    d->repays = repays;
    return repays;
}

static inline int ramp_to(double target, double rate_per_s, double apart_s, double step_s, double dt, Output *o) {
    o->refused = 0; o->saturated = 0; o->saturated_s = 0;
    o->ramp_s += dt;
    double half = 0.5 * fabs(target - o->ramp_from), rate = 0.5 * rate_per_s;
    o->ramped[0] = least(o->ramped[0] + rate * step_s, half);
    o->ramped[1] = least(o->ramped[1] + rate * least(step_s, most(o->ramp_s - apart_s, 0)), half);
    if (o->ramped[1] >= half) { o->command = target; return 1; }
    o->command = o->ramp_from + copysign(o->ramped[0] + o->ramped[1], target - o->ramp_from);
    return 0;
}
#endif
