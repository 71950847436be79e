#include "plant.h"

/* No C library: a first-order lag takes dt / (T + dt) of the way in a tick, and the root is Newton's, from the last one. */

static const double FULL_SPEED = 1.54, FULL_PA = 21.0e6, LOW_PA = 5.0e6, AREA = 3.0e-3, MASS = 500.0;
static const double VALVE_S = 2.7e-3, TABLE_S = 5.0e-3, SUPPLY_S = 0.05, STROKE = 0.1;

/* -1 to 1 */
static double noise(struct hil_plant *p) {
    p->noise = p->noise * 1664525u + 1013904223u;
    return (double)(p->noise >> 8) / 8388608.0 - 1.0;
}

static double lag(double dt_s, double time_s) { return dt_s / (time_s + dt_s); }

static double root(double of, double near) {
    if (of < 1e-6) {
        return 0.0;
    }
    if (near < 1e-3) near = 1e-3;
    for (int i = 0; i < 12; i++) {
        near = 0.5 * (near + of / near);
    }
    return near;
}

void plant_tick(struct hil_plant *p, const struct hil_outputs *out, double dt_s, struct hil_inputs *in) {
    double wanted_pa = out->supply == 2 ? FULL_PA : out->supply == 1 ? LOW_PA : 0.0;
    double wanted = out->enable ? (double)out->valve / (double)HIL_ONE : 0.0;
    p->supply += (wanted_pa - p->supply) * lag(dt_s, SUPPLY_S);
    p->spool += (wanted - p->spool) * lag(dt_s, VALVE_S);
    p->flow = root(p->supply / FULL_PA, p->flow);
    double speed = FULL_SPEED * p->spool * p->flow;
    double a = (speed - p->v) / TABLE_S;
    p->v += (speed - p->v) * lag(dt_s, TABLE_S);
    p->x += p->v * dt_s;
    if (p->x > STROKE || p->x < -STROKE) {
        p->x = p->x > 0 ? STROKE : -STROKE;
        p->v = 0.0;
    }
    double load = MASS * a / AREA;
    in->displacement = (int32_t)((p->x + 2e-6 * noise(p)) * 1e9);
    in->acceleration = (int32_t)((a + 0.02 * noise(p)) * 1e6);
    in->pressure_a = (int32_t)((0.5 * (p->supply + load) + 20e3 * noise(p)) * 10.0);
    in->pressure_b = (int32_t)((0.5 * (p->supply - load) + 20e3 * noise(p)) * 10.0);
    in->supply_pressure = (int16_t)(p->supply / 2000.0);
    in->spool = (int16_t)(p->spool * 1e4);
    in->oil_temperature = 4000;
}
