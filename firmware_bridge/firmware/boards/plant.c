#include "plant.h"

#include <math.h>

static const double FULL_SPEED = 1.54, FULL_PA = 21.0e6, LOW_PA = 5.0e6, AREA = 3.0e-3, MASS = 500.0;
static const double VALVE_S = 2.7e-3, TABLE_S = 5.0e-3, SUPPLY_S = 0.05, STROKE = 0.1;

/* -1 to 1 */
static double noise(struct hil_plant *p) {
    p->noise = p->noise * 1664525u + 1013904223u;
    return (double)(p->noise >> 8) / 8388608.0 - 1.0;
}

void plant_tick(struct hil_plant *p, const struct hil_outputs *out, double dt_s, struct hil_inputs *in) {
    double wanted_pa = out->supply == 2 ? FULL_PA : out->supply == 1 ? LOW_PA : 0.0;
    double wanted = out->enable ? (double)out->valve / (double)HIL_ONE : 0.0;
    p->supply += (wanted_pa - p->supply) * -expm1(-dt_s / SUPPLY_S);
    p->spool += (wanted - p->spool) * -expm1(-dt_s / VALVE_S);
    double speed = FULL_SPEED * p->spool * sqrt(p->supply / FULL_PA);
    double a = (speed - p->v) / TABLE_S;
    p->v += (speed - p->v) * -expm1(-dt_s / TABLE_S);
    p->x += p->v * dt_s;
    if (fabs(p->x) > STROKE) {
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
