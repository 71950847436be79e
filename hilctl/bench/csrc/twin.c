/* The twin in C: the yardstick of `hilctl bench twin`. The same algorithm and the same memory as sim/ for Karnopp's
 * friction, so that both can be run from one state and compared. Compiled by the benchmark with gcc -O3. */
#include <math.h>
#include <stdint.h>

#include "twin_sizes.h"

#define PARAMETERS 32
#define STATES 64
#define MOST_SUBSTEPS 1024
#define QUEUE 256
#define EVENTS 8
#define TRIES 40
enum { FC, FS, VS, SIGMA, DELTA, WIDTH };
enum { POSITION, ACCELERATION, PRESSURE_A, PRESSURE_B };

typedef struct {
    double m11, m12, m21, m22, travel, slew_per_s, play, threshold, null_bias, polarity, overlap_a, overlap_b,
        share_a, share_b, rounding;
} Valve;

typedef struct {
    double A, half, least, beta, Ctc, k, edge, laminar, steep, m, per_mass, B, K, weight, stroke, stop_stiffness,
        stop_damping, vapour;
} Cylinder;

typedef struct {
    Valve valve;
    Cylinder cylinder;
    double substep_s;
    int64_t substeps;
    double p[PARAMETERS], spool, spool_rate, target, turns_to;
    int64_t turns_at;
    double pa, pb, x, v, direction, z[STATES], ps, supply_flow, acceleration, friction;
    double history[4][MOST_SUBSTEPS + 1];
    double specimen[SPECIMEN_WORDS];
} Plant;

typedef struct {
    int64_t filtered;
    double keep, take_old, take_new;
    int64_t pick;
    double pick_share;
    int64_t wait;
    double gain, bias, noise, quantum, last, first_pole, second_pole;
    int64_t at;
    double queue[QUEUE];
} Transducer;

typedef struct {
    Plant plant;
    Transducer displacement, acceleration, pressure_a, pressure_b;
    double supply_noise, spool_noise, oil_temperature, input[INPUTS];
    int64_t holding, every[SENSORS], taken[SENSORS];
    double sample[SENSORS];
    int64_t senses[4];
    double gravity, period_s;
    double high, low, rise, fall, droop, droop_share, source, lost;
    double valve_command;
    int64_t enable, supply;
    double played, held;
    double nan_from, stuck_from, drifts_from, drift;
    int64_t failing;
    double supply_lost_from, input_from[INPUTS], status_from, status_until;
    int64_t status;
    double stuck_at;
    double lose_share;
    int64_t lose_ticks, losing;
    double late_share, late_substeps;
    int64_t chance[4];
    int64_t tick, random[4];
    Shown shown;
} Twin;

typedef struct { double pa, pb, x, v, a; } State;
typedef struct { double first, middle, last; } Openings;
typedef struct { double edge, counter; } Edges;
typedef struct { double a, b; } Pair;

static inline double level(const double *p, double speed) {
    double ratio = speed / p[VS], shape;
    if (p[DELTA] == 2.0) shape = ratio * ratio;
    else if (p[DELTA] == 1.0) shape = ratio;
    else shape = pow(ratio, p[DELTA]);
    return p[FC] + (p[FS] - p[FC]) * exp(-shape);
}

static inline double held_at(const double *p, double direction) { return p[(direction >= 0.0 ? 0 : WIDTH) + FS]; }

static inline double slip(const double *p, double direction, double v) {
    p += direction >= 0.0 ? 0 : WIDTH;
    return direction * level(p, fabs(v)) + p[SIGMA] * v;
}

static inline double root(const Cylinder *c, double drop) {
    if (drop > c->laminar) return sqrt(drop);
    if (drop < -c->laminar) return -sqrt(-drop);
    double share = drop / c->laminar;
    return drop * c->steep * (1.25 - 0.25 * share * share);
}

static inline Edges edges(const Cylinder *c, double opening) {
    double r = sqrt(opening * opening + c->edge);
    return (Edges){0.5 * c->k * (r + opening), 0.5 * c->k * (r - opening)};
}

static inline Pair pressure_rates(const Cylinder *c, double ps, Edges e, double pa, double pb, double x, double v) {
    double flow_a = e.edge * root(c, ps - pa) - e.counter * root(c, pa);
    double flow_b = e.counter * root(c, ps - pb) - e.edge * root(c, pb);
    double displaced = c->A * v + c->Ctc * (pa - pb), swept = c->A * x;
    double volume_a = fmax(c->half + swept, c->least), volume_b = fmax(c->half - swept, c->least);
    return (Pair){c->beta / volume_a * (flow_a - displaced), c->beta / volume_b * (flow_b + displaced)};
}

static inline double stop_force(const Cylinder *c, double x, double v) {
    if (x > c->stroke) return fmax(c->stop_stiffness * (x - c->stroke) + c->stop_damping * v, 0.0);
    if (x < -c->stroke) return fmin(c->stop_stiffness * (x + c->stroke) + c->stop_damping * v, 0.0);
    return 0.0;
}

static inline double drive(const Cylinder *c, double pa, double pb, double x, double v) {
    return c->A * (pa - pb) - c->B * v - c->K * x - c->weight - stop_force(c, x, v);
}

static inline State slide(const Cylinder *c, const double *p, double s, double ps, double dt, Openings o, double pa,
                          double pb, double x, double v) {
    double half = 0.5 * dt;
    Edges e = edges(c, o.first);
    Pair r1 = pressure_rates(c, ps, e, pa, pb, x, v);
    double f1 = (drive(c, pa, pb, x, v) - slip(p, s, v)) * c->per_mass;

    e = edges(c, o.middle);
    double pa2 = pa + half * r1.a, pb2 = pb + half * r1.b, x2 = x + half * v, v2 = v + half * f1;
    Pair r2 = pressure_rates(c, ps, e, pa2, pb2, x2, v2);
    double f2 = (drive(c, pa2, pb2, x2, v2) - slip(p, s, v2)) * c->per_mass;

    double pa3 = pa + half * r2.a, pb3 = pb + half * r2.b, x3 = x + half * v2, v3 = v + half * f2;
    Pair r3 = pressure_rates(c, ps, e, pa3, pb3, x3, v3);
    double f3 = (drive(c, pa3, pb3, x3, v3) - slip(p, s, v3)) * c->per_mass;

    e = edges(c, o.last);
    double pa4 = pa + dt * r3.a, pb4 = pb + dt * r3.b, x4 = x + dt * v3, v4 = v + dt * f3;
    Pair r4 = pressure_rates(c, ps, e, pa4, pb4, x4, v4);
    double f4 = (drive(c, pa4, pb4, x4, v4) - slip(p, s, v4)) * c->per_mass;

    double sixth = dt / 6.0;
    return (State){
        fmax(pa + sixth * (r1.a + 2.0 * (r2.a + r3.a) + r4.a), c->vapour),
        fmax(pb + sixth * (r1.b + 2.0 * (r2.b + r3.b) + r4.b), c->vapour),
        x + sixth * (v + 2.0 * (v2 + v3) + v4),
        v + sixth * (f1 + 2.0 * (f2 + f3) + f4),
        f1,
    };
}

static Pair hold(const Cylinder *c, double ps, double dt, Openings o, double pa, double pb, double x) {
    double half = 0.5 * dt, sixth = dt / 6.0;
    Pair r1 = pressure_rates(c, ps, edges(c, o.first), pa, pb, x, 0.0);
    Edges e = edges(c, o.middle);
    Pair r2 = pressure_rates(c, ps, e, pa + half * r1.a, pb + half * r1.b, x, 0.0);
    Pair r3 = pressure_rates(c, ps, e, pa + half * r2.a, pb + half * r2.b, x, 0.0);
    Pair r4 = pressure_rates(c, ps, edges(c, o.last), pa + dt * r3.a, pb + dt * r3.b, x, 0.0);
    return (Pair){fmax(pa + sixth * (r1.a + 2.0 * (r2.a + r3.a) + r4.a), c->vapour),
                  fmax(pb + sixth * (r1.b + 2.0 * (r2.b + r3.b) + r4.b), c->vapour)};
}

static Openings part(Openings o, double begin, double end) {
    double slope = 4.0 * o.middle - 3.0 * o.first - o.last, bend = 2.0 * (o.first + o.last) - 4.0 * o.middle;
    double centre = 0.5 * (begin + end);
    return (Openings){o.first + begin * (slope + begin * bend), o.first + centre * (slope + centre * bend),
                      o.first + end * (slope + end * bend)};
}

static double find_rest(const Cylinder *c, const double *p, double direction, double ps, double dt, Openings o,
                        double begin, State *at, double v_end) {
    double low = begin, high = 1.0, v_low = at->v, v_high = v_end, share = begin;
    State from = *at;
    int side = 0;
    for (int k = 0; k < TRIES; k++) {
        share = low + (high - low) * v_low / (v_low - v_high);
        *at = slide(c, p, direction, ps, (share - begin) * dt, part(o, begin, share), from.pa, from.pb, from.x, from.v);
        if (fabs(at->v) <= 1e-13) break;
        if (at->v * direction > 0.0) {
            low = share, v_low = at->v;
            if (side == 1) v_high *= 0.5;
            side = 1;
        } else {
            high = share, v_high = at->v;
            if (side == -1) v_low *= 0.5;
            side = -1;
        }
    }
    return share;
}

static double find_breakaway(const Cylinder *c, const double *p, double ps, double dt, Openings o, double begin,
                             double *pa, double *pb, double x, double drive_end) {
    double held = held_at(p, drive_end), limit = copysign(held, drive_end), low = begin, high = 1.0, share = begin;
    double over_low = drive(c, *pa, *pb, x, 0.0) - limit, over_high = drive_end - limit;
    double from_a = *pa, from_b = *pb;
    int side = 0;
    for (int k = 0; k < TRIES; k++) {
        share = low + (high - low) * over_low / (over_low - over_high);
        Pair at = hold(c, ps, (share - begin) * dt, part(o, begin, share), from_a, from_b, x);
        *pa = at.a, *pb = at.b;
        double over = drive(c, at.a, at.b, x, 0.0) - limit;
        if (fabs(over) <= 1e-12 * held) break;
        if (over * limit < 0.0) {
            low = share, over_low = over;
            if (side == 1) over_high *= 0.5;
            side = 1;
        } else {
            high = share, over_high = over;
            if (side == -1) over_low *= 0.5;
            side = -1;
        }
    }
    return share;
}

static double substep_with_events(const Cylinder *c, const double *p, double direction, double ps, double dt,
                                  Openings o, State *s) {
    double begin = 0.0;
    for (int event = 0; event < EVENTS; event++) {
        double left = (1.0 - begin) * dt;
        Openings rest = part(o, begin, 1.0);
        if (direction == 0.0) {
            double f = drive(c, s->pa, s->pb, s->x, 0.0);
            if (fabs(f) > held_at(p, f)) {
                direction = copysign(1.0, f);
                continue;
            }
            Pair end = hold(c, ps, left, rest, s->pa, s->pb, s->x);
            f = drive(c, end.a, end.b, s->x, 0.0);
            if (fabs(f) <= held_at(p, f)) {
                s->pa = end.a, s->pb = end.b, s->v = 0.0;
                return 0.0;
            }
            begin = find_breakaway(c, p, ps, dt, o, begin, &s->pa, &s->pb, s->x, f);
            direction = copysign(1.0, f);
        } else {
            State end = slide(c, p, direction, ps, left, rest, s->pa, s->pb, s->x, s->v);
            if (end.v * direction > 0.0) {
                *s = end;
                return direction;
            }
            if (s->v == 0.0) break;
            begin = find_rest(c, p, direction, ps, dt, o, begin, s, end.v);
            s->v = 0.0;
            double f = drive(c, s->pa, s->pb, s->x, 0.0);
            direction = fabs(f) > held_at(p, f) ? copysign(1.0, f) : 0.0;
        }
    }
    Pair end = hold(c, ps, (1.0 - begin) * dt, part(o, begin, 1.0), s->pa, s->pb, s->x);
    s->pa = end.a, s->pb = end.b, s->v = 0.0;
    return 0.0;
}

static inline void half_substep(const Valve *c, double target, double *spool, double *rate) {
    double off = *spool - target, moved = target + c->m11 * off + c->m12 * *rate;
    double speed = c->m21 * off + c->m22 * *rate;
    if (fabs(moved - *spool) > c->travel) {
        double way = copysign(1.0, moved - *spool);
        moved = *spool + way * c->travel, speed = way * c->slew_per_s;
    }
    if (moved > 1.0) moved = 1.0, speed = fmin(speed, 0.0);
    else if (moved < -1.0) moved = -1.0, speed = fmax(speed, 0.0);
    *spool = moved, *rate = speed;
}

static inline double rounded(double over, double rounding) {
    return 0.5 * (over + sqrt(over * over + rounding * rounding));
}

static inline double opening(const Valve *c, double spool) {
    double over_a = spool - c->overlap_a, over_b = -spool - c->overlap_b;
    if (c->rounding == 0.0) return fmax(over_a, 0.0) * c->share_a - fmax(over_b, 0.0) * c->share_b;
    return rounded(over_a, c->rounding) * c->share_a - rounded(over_b, c->rounding) * c->share_b;
}

static void plant_period(Plant *plant) {
    const Cylinder *c = &plant->cylinder;
    const Valve *valve = &plant->valve;
    double dt = plant->substep_s, ps = plant->ps, target = plant->target, direction = plant->direction;
    double spool = plant->spool, rate = plant->spool_rate;
    State s = {plant->pa, plant->pb, plant->x, plant->v, 0.0};
    double begin = opening(valve, spool);
    for (int64_t j = 0; j < plant->substeps; j++) {
        if (j == plant->turns_at) target = plant->turns_to;
        plant->history[POSITION][j] = s.x, plant->history[PRESSURE_A][j] = s.pa, plant->history[PRESSURE_B][j] = s.pb;
        half_substep(valve, target, &spool, &rate);
        double middle = opening(valve, spool);
        half_substep(valve, target, &spool, &rate);
        Openings o = {begin, middle, opening(valve, spool)};
        begin = o.last;
        State end = {0};
        int moving = direction != 0.0;
        if (moving) {
            end = slide(c, plant->p, direction, ps, dt, o, s.pa, s.pb, s.x, s.v);
            moving = end.v * direction > 0.0;
        }
        plant->history[ACCELERATION][j] = end.a;
        if (moving) s = end;
        else direction = substep_with_events(c, plant->p, direction, ps, dt, o, &s);
    }
    int64_t n = plant->substeps;
    plant->spool = spool, plant->spool_rate = rate, plant->direction = direction;
    plant->pa = s.pa, plant->pb = s.pb, plant->x = s.x, plant->v = s.v;
    plant->history[POSITION][n] = s.x, plant->history[PRESSURE_A][n] = s.pa, plant->history[PRESSURE_B][n] = s.pb;
    double force = drive(c, s.pa, s.pb, s.x, s.v);
    plant->target = plant->turns_to;
    plant->friction = direction == 0.0 ? force : slip(plant->p, direction, s.v);
    plant->history[ACCELERATION][n] = plant->acceleration = (force - plant->friction) * c->per_mass;
    Edges e = edges(c, opening(valve, spool));
    plant->supply_flow = e.edge * root(c, ps - s.pa) + e.counter * root(c, ps - s.pb);
}

static inline uint32_t next_bits(int64_t *w) {
    uint32_t a = w[0], b = w[1], c = w[2], counter = w[3], out = a + b + counter;
    w[0] = b ^ (b >> 9);
    w[1] = (uint32_t)(c + (c << 3));
    w[2] = (uint32_t)(((c << 21) | (c >> 11)) + out);
    w[3] = (uint32_t)(counter + 1);
    return out;
}

static inline Pair gaussian_pair(int64_t *w) {
    double unit = 1.0 / 4294967296.0;
    double radius = sqrt(-2.0 * log((next_bits(w) + 0.5) * unit));
    double angle = 2.0 * 3.14159265358979323846 * (next_bits(w) + 0.5) * unit;
    return (Pair){radius * cos(angle), radius * sin(angle)};
}

static double pick(Transducer *t, const double *history, int64_t substeps) {
    double picked = 0.0;
    if (!t->filtered) {
        double before = history[t->pick], after = history[t->pick + 1];
        picked = before + (after - before) * t->pick_share;
    } else {
        double first = t->first_pole, second = t->second_pole;
        for (int64_t j = 0; j < substeps; j++) {
            double was_first = first, was_second = second;
            first = t->keep * first + t->take_old * history[j] + t->take_new * history[j + 1];
            second = t->keep * second + t->take_old * was_first + t->take_new * first;
            if (j == t->pick) picked = was_second + (second - was_second) * t->pick_share;
        }
        t->first_pole = first, t->second_pole = second;
    }
    t->queue[t->at] = picked;
    double arrived = t->queue[(t->at - t->wait) & (QUEUE - 1)];
    t->at = (t->at + 1) & (QUEUE - 1);
    return arrived;
}

static inline double show(const Transducer *t, double arrived, double normal) {
    double shown = t->gain * arrived + t->bias + t->noise * normal;
    return t->quantum > 0.0 ? t->quantum * floor(shown / t->quantum + 0.5) : shown;
}

static void advance(Twin *own) {
    Plant *plant = &own->plant;
    const Valve *valve = &plant->valve;
    int stopped = own->tick >= own->input_from[EMERGENCY_STOP];
    own->tick++;
    if (own->enable == 0 || stopped) {
        plant->turns_to = 0.0;
    } else {
        double u = isnan(own->valve_command) ? 0.0 : own->valve_command;
        u = fmin(fmax(u, -1.0), 1.0) * valve->polarity;
        own->played = fmin(fmax(own->played, u - valve->play), u + valve->play);
        if (fabs(own->played - own->held) > valve->threshold) own->held = own->played;
        plant->turns_to = own->held + valve->null_bias;
    }
    plant->turns_at = 0;
    if (own->late_share > 0.0 && own->enable && !stopped && next_bits(own->chance) < own->late_share * 4294967296.0)
        plant->turns_at = (int64_t)(next_bits(own->chance) / 4294967296.0 * (own->late_substeps + 1.0));
    plant_period(plant);

    double wanted = 0.0;
    if (!stopped && own->tick < own->supply_lost_from) wanted = own->supply == 1 ? own->low : own->supply == 2 ? own->high : 0.0;
    own->source += (wanted - own->source) * (wanted > own->source ? own->rise : own->fall);
    own->lost += (own->droop * fmax(plant->supply_flow, 0.0) - own->lost) * own->droop_share;
    plant->ps = fmax(own->source - own->lost, 0.0);

    int64_t n = plant->substeps;
    Pair one = gaussian_pair(own->random), two = gaussian_pair(own->random), three = gaussian_pair(own->random);
    Shown *shown = &own->shown;
    shown->displacement_m = show(&own->displacement, pick(&own->displacement, plant->history[own->senses[0]], n), one.a);
    double felt = pick(&own->acceleration, plant->history[own->senses[1]], n) + own->gravity;
    shown->acceleration_m_s2 = show(&own->acceleration, felt, one.b);
    shown->pressure_a_pa = show(&own->pressure_a, pick(&own->pressure_a, plant->history[own->senses[2]], n), two.a);
    shown->pressure_b_pa = show(&own->pressure_b, pick(&own->pressure_b, plant->history[own->senses[3]], n), two.b);
    shown->supply_pressure_pa = plant->ps + own->supply_noise * three.a;
    shown->spool = plant->spool + own->spool_noise * three.b;
    shown->oil_temperature_degc = own->oil_temperature;
    for (int k = 0; own->holding && k < SENSORS; k++) {
        double *value = (double *)shown + k;
        if (own->tick - own->taken[k] >= own->every[k]) own->sample[k] = *value, own->taken[k] = own->tick;
        *value = own->sample[k];
    }
    static const int input_at[INPUTS] = INPUT_AT;
    for (int i = 0; i < INPUTS; i++)
        ((double *)shown)[input_at[i]] = own->input[i] + (own->tick >= own->input_from[i] ? 1.0 : 0.0);
}

int64_t twin_size(void) { return sizeof(Twin); }

/* Runs `count` periods with these valve commands, enabled, at high pressure; keeps displacement and velocity. */
void twin_run(Twin *own, const double *commands, int64_t count, double *seen) {
    for (int64_t k = 0; k < count; k++) {
        advance(own);
        own->valve_command = commands[k], own->enable = 1, own->supply = 2;
        seen[2 * k] = own->shown.displacement_m;
        seen[2 * k + 1] = own->plant.v;
    }
}
