/* A table that moves: a valve and a mass on oil without elasticity, in the sizes of the reference rig. Enough to arm and track. */
#ifndef HIL_PLANT_H
#define HIL_PLANT_H

#include "../core/device.h"

struct hil_plant {
    double x, v, spool, supply, flow;
    uint32_t noise;
};

/* One device tick under these outputs; writes what sensors would say. */
void plant_tick(struct hil_plant *plant, const struct hil_outputs *outputs, double dt_s, struct hil_inputs *inputs);

#endif
