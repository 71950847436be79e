/* On-line learning of the valve in C, as in hilctl/law/adapt.py and adapting.py. */
#ifndef TICK_ADAPT_H
#define TICK_ADAPT_H
#include "tick_modes.h"

static inline void adapt_start(const Adapt *c, AdaptState *a) {
    memset(a->theta, 0, sizeof a->theta);
    memset(a->p, 0, sizeof a->p);
    a->running = 1; a->learning = a->ended = 0;
    a->calm_s = a->null = a->overlap = a->flow = 0;
    a->p[0] = 1 / c->time_s; a->p[3] = ADAPT_SURE / c->time_s; a->p[5] = ADAPT_GAIN / c->time_s;
    a->wanted[0] = a->wanted[1] = a->feed[0] = a->feed[1] = 0;
}

static inline void adapt_stop(AdaptState *a) {
    a->running = a->learning = a->ended = 0;
    a->null = a->overlap = a->flow = 0;
}

static inline double adapt_scale(const State *s) {
    double qn = s->now.machine.Qn;
    return qn / (qn + s->now.law.adapt.share * s->adapt.flow);
}

static inline double flow_opening(const Machine *m, double v, double x, double pa, double pb, double rate_a,
                                  double rate_b, double supply_pa, int up) {
    double supply = isfinite(supply_pa) ? supply_pa : m->Ps;
    double half = 0.5 * m->Vt, swept = m->A * x, floor_pa = ADAPT_DROP * m->Ps;
    double drop_a = most(up ? supply - pa : pa, floor_pa), drop_b = most(up ? pb : supply - pb, floor_pa);
    double root = sqrt(0.5 * drop_a / m->Ps) + sqrt(0.5 * drop_b / m->Ps);
    double squeezed = ((half + swept) * rate_a - (half - swept) * rate_b) / (2 * m->beta);
    return (m->A * v + (m->Ctc + m->Kc) * (pa - pb) + squeezed) / (m->Qn * root);
}

static inline double spool_at(double opening, double overlap, double side) {
    return opening + overlap * (side - opening);
}

static inline void adapt_fit(const Adapt *c, double y, double one, double two, double w, AdaptState *a) {
    double *p = a->p, *t = a->theta, rate = 1 / c->time_s, near = 1 / (1 + (two / ADAPT_NEAR) * (two / ADAPT_NEAR));
    w /= 1 + (two / ADAPT_FAR) * (two / ADAPT_FAR);
    double keep = 1 - w / ADAPT_FORGETS_S;
    for (int i = 0; i < 6; i++) p[i] *= keep;
    p[0] += w * rate * rate;
    p[3] += w * (ADAPT_OVERLAP * rate * one) * (ADAPT_OVERLAP * rate * one) * near * near;
    p[5] += w * (ADAPT_GAIN * rate * two) * (ADAPT_GAIN * rate * two);
    double f0 = p[0] + p[1] * one + p[2] * two;
    double f1 = p[1] + p[3] * one + p[4] * two;
    double f2 = p[2] + p[4] * one + p[5] * two;
    double gain = w / (1 + w * (f0 + f1 * one + f2 * two));
    double step = gain * least(most(y - t[0] - t[1] * one - t[2] * two, -ADAPT_MOST), ADAPT_MOST);
    t[0] += step * f0; t[1] += step * f1; t[2] += step * f2;
    p[0] -= gain * f0 * f0; p[1] -= gain * f0 * f1; p[2] -= gain * f0 * f2;
    p[3] -= gain * f1 * f1; p[4] -= gain * f1 * f2; p[5] -= gain * f2 * f2;
}

static inline double adapt_bounded(double value, double bound, int64_t bit, AdaptState *a) {
    if (fabs(value) >= bound) a->ended |= bit;
    return least(most(value, -bound), bound);
}

static inline double adapt_use(const Adapt *c, double qn, double share, AdaptState *a) {
    double gain = a->theta[2], null = adapt_bounded(a->theta[0], c->null_max, ADAPT_NULL_ENDS, a);
    double overlap = adapt_bounded(a->theta[1], c->overlap_max, ADAPT_OVERLAP_ENDS, a);
    double flow = qn * adapt_bounded(-gain / most(1 + gain, 0.1), c->gain_max, ADAPT_GAIN_ENDS, a);
    double moved = share * (null - a->null);
    a->null += moved;
    a->overlap += share * (overlap - a->overlap);
    a->flow += share * (flow - a->flow);
    return moved;
}

static inline int adapt_calm(const State *s, int64_t status) {
    const int64_t needed = 1 << DISPLACEMENT | 1 << ACCELERATION | 1 << PRESSURE_A | 1 << PRESSURE_B | 1 << SUPPLY;
    int held = closed_loop(s) && s->mode != Mode_STANDBY && !own_loop(s) && s->authority >= 1;
    int whole = s->blend >= 1 && s->pid_share == (s->now.law.feedback == PID_FEEDBACK)
                && s->now.law.valve.inverse >= 1;
    int read = s->periods == 1 && !failed(status) && !(s->checked.rejected & needed) && s->fresh.live;
    int unlimited = s->output.refused == 0 && !s->output.saturated && s->head_tick >= s->rejoin.until;
    return held && whole && read && unlimited && integral_lives(s);
}

static inline double adapt(State *s, double lag_s, double late_s, int calm) {
    const Adapt *c = &s->now.law.adapt;
    const Machine *m = &s->now.machine;
    AdaptState *a = &s->adapt;
    const double *value = s->checked.value;
    double dt = s->now.dt_s, keep = lag_s / (lag_s + 2 * dt), feed = s->u_feed / adapt_scale(s);
    double pa = value[PRESSURE_A], pb = value[PRESSURE_B];
    a->calm_s = calm ? a->calm_s + dt : 0;
    if (!calm) {
        a->wanted[0] = a->wanted[1] = s->valve.opening;
        a->feed[0] = a->feed[1] = feed;
        a->pa = pa; a->pb = pb; a->learning = 0;
        return 0;
    }
    a->wanted[0] += (1 - keep) * (s->valve.opening - a->wanted[0]);
    a->wanted[1] += (1 - keep) * (a->wanted[0] - a->wanted[1]);
    a->feed[0] += (1 - keep) * (feed - a->feed[0]);
    a->feed[1] += (1 - keep) * (a->feed[0] - a->feed[1]);
    double young = dt / (dt + late_s), change_a = young * (pa - a->pa), change_b = young * (pb - a->pb);
    a->pa += change_a; a->pb += change_b;
    double f = a->feed[1], changes = 2 / lag_s * (a->feed[0] - a->feed[1]);
    int edges = m->overlap_a + m->overlap_b > 0;
    int clear = !edges || (fabs(f) > ADAPT_LEAST && fabs(f) > ADAPT_CLEAR_S * fabs(changes));
    a->learning = a->calm_s >= ADAPT_CALM_S && clear && !a->ended;
    if (a->calm_s < ADAPT_CALM_S) return 0;
    if (a->learning) {
        double side = copysign(1, f), identified = 0.5 * (m->overlap_a + m->overlap_b);
        double flows = flow_opening(m, s->estimate.v, s->estimate.x, a->pa, a->pb, change_a / dt, change_b / dt,
                                    value[SUPPLY], a->wanted[1] >= 0);
        double beyond = edges ? side - (1 + a->theta[2]) * f : 0;
        double y = spool_at(a->wanted[1], identified + c->share * a->overlap, side) - spool_at(flows, identified, side);
        adapt_fit(c, y + c->share * a->null, beyond, (1 - identified) * f, dt, a);
    }
    if (!a->ended)
        for (int i = 0; i < 3; i++) a->theta[i] *= 1 - dt / ADAPT_LEAK_S;
    return adapt_use(c, m->Qn, clear || a->ended ? dt / (ADAPT_USED * c->time_s) : 0, a);
}

static inline void adapt_tick(State *s, int64_t status) {
    const Settings *now = &s->now;
    if (now->law.adapt.share <= 0) {
        if (s->adapt.running) adapt_stop(&s->adapt);
        return;
    }
    if (!s->adapt.running) adapt_start(&now->law.adapt, &s->adapt);
    double lag_s = (1.5 + s->estimate.delay_ticks) * now->dt_s + 2 * now->machine.zv / now->machine.wv;
    double moved = now->law.adapt.share
        * adapt(s, most(lag_s + now->law.feed.extra_preview_s, now->dt_s),
                s->estimate.delay_ticks * now->dt_s, adapt_calm(s, status));
    if (s->pid_share > 0) s->pid.integral -= moved;
    else s->three_state.integral -= moved;
    landing_shift(moved, &s->landing);
}
#endif
