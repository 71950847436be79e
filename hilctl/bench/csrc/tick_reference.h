/* hilctl/law/reference in C: motions in closed form, the way back to one after a stall, and the history of what was
 * evaluated. */
#ifndef TICK_REFERENCE_H
#define TICK_REFERENCE_H
#include "tick_records.h"
#include <math.h>

typedef struct { double x, v, a, j; } Jet;

static inline double least(double a, double b) { return a < b ? a : b; }
static inline double most(double a, double b) { return a > b ? a : b; }

static inline void put(Point *out, Jet jet) {
    out->x_m = jet.x; out->v_m_s = jet.v; out->a_m_s2 = jet.a; out->j_m_s3 = jet.j;
}

static inline void rest(Point *out, double x) { put(out, (Jet){x, 0, 0, 0}); }

static inline Jet product(Jet f, Jet g) {
    return (Jet){f.x * g.x, f.v * g.x + f.x * g.v, f.a * g.x + 2 * f.v * g.v + f.x * g.a,
                 f.j * g.x + 3 * (f.a * g.v + f.v * g.a) + f.x * g.j};
}

static inline Jet reciprocal(Jet q) {
    double h0 = 1 / q.x;
    double h1 = -h0 * (q.v * h0);
    double h2 = -h0 * (q.a * h0 + 2 * q.v * h1);
    return (Jet){h0, h1, h2, -h0 * (q.j * h0 + 3 * (q.a * h1 + q.v * h2))};
}

static inline Jet step(double t, double duration) {
    if (t <= 0) return (Jet){0, 0, 0, 0};
    if (t >= duration) return (Jet){1, 0, 0, 0};
    double per = 1 / duration, s = t * per, q = s * (1 - s);
    return (Jet){s * s * s * s * (35 + s * (-84 + s * (70 - 20 * s))), 140 * q * q * q * per,
                 420 * q * q * (1 - 2 * s) * per * per, 840 * q * (1 - 5 * q) * per * per * per};
}

static inline Jet envelope(double t, double duration, double rise, double fall) {
    Jet up = step(t, rise);
    double left = duration - t;
    if (left >= fall) return up;
    Jet down = step(left, fall);
    return product(up, (Jet){down.x, -down.v, down.a, -down.j});
}

static inline Jet half_pulse(double t, double duration) {
    if (t <= 0) return (Jet){0, 0, 0, 0};
    double flank = FLANK * duration, plateau = 1 / (duration - flank);
    if (t < flank) {
        double s = t / flank, r = 1 - s, s3 = s * s * s;
        return (Jet){plateau * flank * flank * s3 * s * s * (0.5 + s * (-0.5 + s / 7)),
                     plateau * flank * s3 * s * (2.5 + s * (-3 + s)), plateau * s3 * (10 + s * (-15 + 6 * s)),
                     plateau / flank * 30 * s * s * r * r};
    }
    double u = t - flank;
    return (Jet){plateau * (flank * flank / 7 + 0.5 * u * (flank + u)), plateau * (0.5 * flank + u), plateau, 0};
}

static inline Jet pulse(double t, double duration) {
    if (t <= 0.5 * duration) return half_pulse(t, duration);
    Jet m = half_pulse(duration - t, duration);
    return (Jet){t - 0.5 * duration + m.x, 1 - m.v, m.a, -m.j};
}

static inline void turn(Point *out, double x, double v, double change, double duration, double t) {
    Jet p = pulse(t, duration);
    put(out, (Jet){x + v * t + change * p.x, v + change * p.v, change * p.a, change * p.j});
}

static inline void move(const Move *m, double t, Point *out) {
    if (t >= m->duration_s) { rest(out, m->to_m); return; }
    double distance = m->to_m - m->from_m;
    Jet s = step(t, m->duration_s);
    put(out, (Jet){m->from_m + distance * s.x, distance * s.v, distance * s.a, distance * s.j});
}

static inline void sine(const Sine *c, double duration, double t, Point *out) {
    double cycles = c->frequency_hz * t, phase = 2 * PI * (cycles - floor(cycles)), w = 2 * PI * c->frequency_hz;
    double across = c->amplitude_m * sin(phase), along = c->amplitude_m * cos(phase);
    Jet carrier = {across, w * along, -w * w * across, -w * w * w * along};
    if (!(c->rise_s <= t && t <= duration - c->fall_s))
        carrier = product(envelope(t, duration, c->rise_s, c->fall_s), carrier);
    put(out, carrier);
    out->x_m += c->center_m;
}

static inline void triangle(const Triangle *c, double duration, double t, Point *out) {
    double v = c->speed_m_s, reach = c->reach_m, ramp = 0.5 * c->corner_s, u = t - ramp;
    if (u < 0) { turn(out, c->center_m - reach - 0.5 * v * ramp, 0, v, ramp, t); return; }
    double ending = t - (duration - ramp);
    if (ending > 0) { turn(out, c->center_m - reach, -v, v, ramp, ending); return; }
    double half = c->straight_s + c->corner_s;
    int64_t halves = (int64_t)floor(u / half);
    u -= (double)halves * half;
    double up = halves & 1 ? -1 : 1;
    if (u <= c->straight_s) put(out, (Jet){c->center_m + up * (v * u - reach), up * v, 0, 0});
    else turn(out, c->center_m + up * reach, up * v, -2 * up * v, c->corner_s, u - c->straight_s);
}

static inline void chirp(const Chirp *c, double duration, double t, Point *out) {
    double growth = c->growth_per_s, cycles;
    Jet f;
    if (growth == 0) {
        cycles = t * (c->start_hz + 0.5 * c->rate_hz_s * t);
        f = (Jet){c->start_hz + c->rate_hz_s * t, c->rate_hz_s, 0, 0};
    } else {
        cycles = c->start_hz * expm1(growth * t) / growth;
        double hz = c->start_hz * exp(growth * t);
        f = (Jet){hz, growth * hz, growth * growth * hz, growth * growth * growth * hz};
    }
    double phase = 2 * PI * (cycles - floor(cycles)), w = 2 * PI * f.x, w1 = 2 * PI * f.v, w2 = 2 * PI * f.a;
    double across = c->amplitude_m * sin(phase), along = c->amplitude_m * cos(phase);
    Jet jet = {across, w * along, w1 * along - w * w * across, (w2 - w * w * w) * along - 3 * w * w1 * across};
    if (c->knee_hz > 0) {
        double per = 1 / c->knee_hz;
        Jet r = {f.x * per, f.v * per, f.a * per, f.j * per}, y = product(r, r);
        y.x += 1;
        jet = product(reciprocal(y), jet);
    }
    if (!(c->rise_s <= t && t <= duration - c->fall_s))
        jet = product(envelope(t, duration, c->rise_s, c->fall_s), jet);
    put(out, jet);
    out->x_m += c->center_m;
}

static inline void wave(const Wave *c, const double *knots, int64_t known, double t, Point *out) {
    int64_t last = (c->count < known ? c->count : known) - 6;
    if (last < 0) { rest(out, c->center_m); return; }
    double per = 1 / c->knot_s, u = least(most(t * per, 0), (double)last + 1);
    int64_t i = (int64_t)floor(u);
    if (i > last) i = last;
    double s = u - (double)i;
    double c0 = knots[i], c1 = knots[i + 1], c2 = knots[i + 2], c3 = knots[i + 3], c4 = knots[i + 4], c5 = knots[i + 5];
    double p0 = (c0 + c4 + 26 * (c1 + c3) + 66 * c2) / 120, p1 = (c4 - c0 + 10 * (c3 - c1)) / 24;
    double p2 = (c0 + c4 + 2 * (c1 + c3) - 6 * c2) / 12, p3 = (c4 - c0 - 2 * (c3 - c1)) / 12;
    double p4 = (c0 + c4 - 4 * (c1 + c3) + 6 * c2) / 24, p5 = (c5 - c0 - 5 * (c4 - c1) + 10 * (c3 - c2)) / 120;
    put(out, (Jet){c->center_m + p0 + s * (p1 + s * (p2 + s * (p3 + s * (p4 + s * p5)))),
                   per * (p1 + s * (2 * p2 + s * (3 * p3 + s * (4 * p4 + s * 5 * p5)))),
                   per * per * (2 * p2 + s * (6 * p3 + s * (12 * p4 + s * 20 * p5))),
                   per * per * per * (6 * p3 + s * (24 * p4 + s * 60 * p5))});
}

static inline double stopping_reach(double v, double deceleration, double jerk, double reaction) {
    double speed = fabs(v), shaping = 3.375 * deceleration / jerk;
    double stop = speed * most(0.5 * speed / deceleration + 0.25 * shaping, 0.5 * shaping);
    return copysign(stop + speed * reaction, v);
}

static inline void plan_stop(const Point *from, double deceleration, double jerk, Stop *stop) {
    double v = from->v_m_s, a = from->a_m_s2, j = from->j_m_s3;
    stop->x_m = from->x_m; stop->v_m_s = v; stop->a_m_s2 = a; stop->j_m_s3 = j;
    double turning = 1.5 * (fabs(a) + deceleration) / most(jerk, fabs(j));
    if (a * j > 0) turning = most(turning / 3, least(turning, 6.75 * (deceleration - fabs(a)) / fabs(j)));
    double release = 1.875 * deceleration / jerk;
    double left = v + turning * (0.5 * a + j * turning / 12), half = 0.5 * (turning + release);
    double plateau = fabs(left) / deceleration - half;
    if (plateau > 0) stop->plateau_m_s2 = left > 0 ? -deceleration : deceleration;
    else { plateau = 0; stop->plateau_m_s2 = -left / half; }
    stop->turn_s = turning; stop->plateau_s = plateau; stop->release_s = release;
    double p = stop->plateau_m_s2;
    double end_turn = turning * (v + turning * (a * 0.35 + j * turning / 20 + p * 0.15));
    v = left + 0.5 * p * turning;
    double end_plateau = plateau * (v + 0.5 * p * plateau);
    v += p * plateau;
    stop->rest_m = from->x_m + end_turn + end_plateau + release * (v + p * release * (0.5 - 1.0 / 7));
}

static inline int64_t stop_at(const Stop *c, double t, Point *out) {
    double p = c->plateau_m_s2, left = c->turn_s + c->plateau_s + c->release_s - t;
    if (left <= 0) { rest(out, c->rest_m); return 1; }
    if (t < c->turn_s) {
        double T = c->turn_s, s = t / T, a = c->a_m_s2, b = c->j_m_s3 * T;
        double d3 = 3 * (p - a) - 2 * b, d4 = 2 * (a - p) + b;
        put(out, (Jet){c->x_m + t * (c->v_m_s + t * (a / 2 + s * (b / 6 + s * (d3 / 12 + s * d4 / 20)))),
                       c->v_m_s + t * (a + s * (b / 2 + s * (d3 / 3 + s * d4 / 4))), a + s * (b + s * (d3 + s * d4)),
                       (b + s * (2 * d3 + s * 3 * d4)) / T});
        return 0;
    }
    double R = c->release_s;
    if (left > R) {
        double r = left - R;
        put(out, (Jet){c->rest_m + p * (R * R / 7 + 0.5 * r * (R + r)), -p * (0.5 * R + r), p, 0});
        return 0;
    }
    double s = left / R, s3 = s * s * s;
    put(out, (Jet){c->rest_m + p * R * R * s3 * s * s * (0.5 + s * (-0.5 + s / 7)),
                   -p * R * s3 * s * (2.5 + s * (-3 + s)), p * s3 * (10 + s * (-15 + 6 * s)),
                   -p / R * 30 * s * s * (1 - s) * (1 - s)});
    return 0;
}

static inline int64_t reference(const Motion *m, const double *knots, int64_t known, double t, Point *out) {
    if (!(t < ENDLESS_S)) t = ENDLESS_S;
    if (m->kind == Kind_STOP) return stop_at(&m->stop, most(t, 0), out);
    if (t < m->lead.duration_s) { move(&m->lead, t, out); return 0; }
    double u = t - m->lead.duration_s;
    if (u < m->body_s) {
        if (m->kind == Kind_SINE) sine(&m->sine, m->body_s, u, out);
        else if (m->kind == Kind_TRIANGLE) triangle(&m->triangle, m->body_s, u, out);
        else if (m->kind == Kind_CHIRP) chirp(&m->chirp, m->body_s, u, out);
        else wave(&m->wave, knots, known, u, out);
        return 0;
    }
    u -= m->body_s;
    if (u < m->out.duration_s) { move(&m->out, u, out); return 0; }
    rest(out, m->out.to_m);
    return 1;
}

static inline double slope_of(const double *c, int order, double s) {
    double out = 0;
    for (int i = 7; i >= order; i--) {
        double factor = 1;
        for (int k = 0; k < order; k++) factor *= i - k;
        out = out * s + factor * c[i];
    }
    return out;
}

static inline void turned(double a, double j, double *c) {
    c[0] = 0.15 * a + j / 30; c[1] = -a / 2 - j / 12; c[2] = a / 2; c[3] = j / 6;
    c[4] = -a / 4 - j / 6; c[5] = a / 10 + j / 20; c[6] = c[7] = 0;
}

static inline void braked(double v, double *c) {
    c[0] = -0.5 * v; c[1] = v; c[2] = c[3] = 0;
    c[4] = -2.5 * v; c[5] = 3 * v; c[6] = -v; c[7] = 0;
}

static inline void home(double x, double *c) {
    c[0] = x; c[1] = c[2] = c[3] = 0;
    c[4] = -35 * x; c[5] = 84 * x; c[6] = -70 * x; c[7] = 20 * x;
}

static inline void rejoin_none(Rejoin *r) { r->begun = r->until = 0; r->missed_s = 0; }

static inline void rejoin_plan(const Point *p, double most_v, double most_a, double most_j, int64_t tick, double dt,
                               Rejoin *r) {
    double a = p->a_m_s2, j = p->j_m_s3, within = most(most_a, 1e-3), half = 0.5 * most_j;
    double U = most(8 * dt, 1.5 * fabs(a) / most(most_j, fabs(j)));
    turned(a * U * U, j * U * U * U, r->turn);
    double v = p->v_m_s - r->turn[1] / U;
    double B = most(8 * dt, most(1.875 * fabs(v) / (0.8 * within), sqrt(10 / sqrt(3.0) * fabs(v) / half)));
    braked(v * B, r->brake);
    double x = p->x_m - r->turn[0] - r->brake[0];
    double slow = most(2.1875 * fabs(x) / most_v, sqrt(84 * sqrt(5.0) / 25 * fabs(x) / (0.2 * within)));
    double T = most(8 * dt, most(slow, pow(52.5 * fabs(x) / half, 1.0 / 3)));
    home(x, r->home);
    r->begun = tick;
    r->until = tick + (int64_t)ceil(most(T, most(B, U)) / dt);
    r->T_s = T; r->B_s = B; r->U_s = U;
}

static inline double rejoin_missed(const Rejoin *r, double since, double dt) {
    double passed = (since - (double)r->begun) * dt;
    if (since >= (double)r->until || passed < r->U_s) return 0;
    double left = 1 - step(passed, r->T_s).x;
    return left * r->missed_s + 2 * dt + 0.5 * r->U_s;
}

static inline void add_part(const double *c, double lasts, double passed, Point *point) {
    double per_s = 1 / lasts, s = passed * per_s;
    if (s >= 1) return;
    point->x_m += slope_of(c, 0, s);
    point->v_m_s += slope_of(c, 1, s) * per_s;
    point->a_m_s2 += slope_of(c, 2, s) * per_s * per_s;
    point->j_m_s3 += slope_of(c, 3, s) * per_s * per_s * per_s;
}

static inline int rejoin_add(const Rejoin *r, int64_t tick, double dt, Point *point) {
    if (tick >= r->until) return 0;
    double passed = (double)(tick - r->begun) * dt;
    add_part(r->turn, r->U_s, passed, point);
    add_part(r->brake, r->B_s, passed, point);
    add_part(r->home, r->T_s, passed, point);
    return 1;
}

static inline void history_put(History *h, int64_t tick, const Point *point) {
    h->points[tick & (LENGTH - 1)] = *point;
    h->newest = tick;
}

static inline void history_rest(History *h, int64_t tick, double x) {
    for (int i = 0; i < LENGTH; i++) rest(&h->points[i], x);
    h->newest = tick;
}

static inline double quintic(double f0, double g0, double h0, double f1, double g1, double h1, double s, double dt) {
    double b = dt * g0, c = 0.5 * dt * dt * h0, rise = f1 - f0 - b - c, slope = dt * g1 - b - 2 * c;
    double bend = dt * dt * h1 - 2 * c;
    double d = 10 * rise - 4 * slope + 0.5 * bend, e = -15 * rise + 7 * slope - bend;
    double f = 6 * rise - 3 * slope + 0.5 * bend;
    return f0 + s * (b + s * (c + s * (d + s * (e + s * f))));
}

static inline void history_get(const History *h, int64_t tick, double fraction, double dt, Point *out) {
    double whole = floor(fraction), s = fraction - whole;
    int64_t first = tick + (int64_t)whole;
    if (first >= h->newest) { first = h->newest; s = 0; }
    else if (first <= h->newest - LENGTH) { first = h->newest - LENGTH + 1; s = 0; }
    const Point *p = &h->points[first & (LENGTH - 1)];
    if (s == 0) { *out = *p; return; }
    const Point *q = &h->points[(first + 1) & (LENGTH - 1)];
    double rise = q->a_m_s2 - p->a_m_s2, b = dt * p->j_m_s3, e = dt * q->j_m_s3;
    double c = 3 * rise - 2 * b - e, d = b + e - 2 * rise;
    put(out, (Jet){quintic(p->x_m, p->v_m_s, p->a_m_s2, q->x_m, q->v_m_s, q->a_m_s2, s, dt),
                   quintic(p->v_m_s, p->a_m_s2, p->j_m_s3, q->v_m_s, q->a_m_s2, q->j_m_s3, s, dt),
                   p->a_m_s2 + s * (b + s * (c + s * d)), (b + s * (2 * c + s * 3 * d)) / dt});
}
#endif
