/* FMI 3.0, co-simulation, around one twin. Everything but FMI's own functions is static: several units link together. */
#include <stdarg.h>
#include <stdio.h>

#include "fmi3.h"
#include "model.h"

#define MESSAGE 512
static const double NEAR = 1e-6; /* of a period: a communication step that is a whole number of them, as sums round */

typedef struct {
    Model model;
    bool logging;
    fmi3InstanceEnvironment environment;
    fmi3LogMessageCallback log;
} Instance;

static fmi3Status say(Instance *own, fmi3Status status, const char *format, ...)
{
    char text[MESSAGE];
    va_list given;
    va_start(given, format);
    (void)vsnprintf(text, sizeof text, format, given);
    va_end(given);
    if (own->log != NULL && own->logging)
        own->log(own->environment, status, status == fmi3OK ? "logAll" : "logStatusError", text);
    return status;
}

static const Variable *variable(fmi3ValueReference reference, char type)
{
    for (size_t k = 0; k < VARIABLE_COUNT; k++)
        if (variables[k].reference == reference && variables[k].type == type)
            return &variables[k];
    return NULL;
}

static fmi3Status unknown(Instance *own, fmi3ValueReference reference)
{
    return say(own, fmi3Error, "value reference %u: no variable of this type has it; see modelDescription.xml", reference);
}

static double *real_at(Instance *own, const Variable *v) { return (double *)((char *)&own->model + v->offset); }
static int64_t *whole_at(Instance *own, const Variable *v) { return (int64_t *)((char *)&own->model + v->offset); }

/* Whether a variable may be set now to this value. */
static fmi3Status may_set(Instance *own, const Variable *v, double value)
{
    bool before = own->model.phase <= INITIALISING;
    if (v->use == 'o')
        return say(own, fmi3Error, "%s is an output and cannot be set", v->name);
    if (v->use == 'p' && !before)
        return say(own, fmi3Error, "%s is a fixed parameter; set it before initialization ends", v->name);
    if (own->model.phase == TERMINATED)
        return say(own, fmi3Error, "%s: the simulation is terminated; reset it first", v->name);
    if (!(value >= v->low && value <= v->high))
        return say(own, fmi3Error, "%s: %g refused, must be from %g to %g", v->name, value, v->low, v->high);
    return fmi3OK;
}

FMI(const char *, fmi3GetVersion)(void) { return fmi3Version; }

FMI(fmi3Status, fmi3SetDebugLogging)(fmi3Instance instance, fmi3Boolean on, size_t count, const fmi3String categories[])
{
    (void)count, (void)categories;
    ((Instance *)instance)->logging = on;
    return fmi3OK;
}

FMI(fmi3Instance, fmi3InstantiateCoSimulation)(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging,
    fmi3Boolean event_mode, fmi3Boolean early_return, const fmi3ValueReference intermediate[], size_t intermediates,
    fmi3InstanceEnvironment environment, fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update)
{
    Instance temporary = {.logging = logging, .environment = environment, .log = log};
    Instance *own = NULL;
    (void)name, (void)resources, (void)visible, (void)event_mode, (void)early_return, (void)intermediate;
    (void)intermediates, (void)update;
    if (token == NULL || strcmp(token, TOKEN) != 0) {
        say(&temporary, fmi3Error, "the instantiation token is not %s: this modelDescription.xml is of another unit", TOKEN);
        return NULL;
    }
    own = calloc(1, sizeof *own);
    if (own == NULL) {
        say(&temporary, fmi3Error, "no memory for an instance of %u bytes", (unsigned)sizeof *own);
        return NULL;
    }
    own->logging = logging, own->environment = environment, own->log = log;
    model_reset(&own->model);
    return own;
}

FMI(void, fmi3FreeInstance)(fmi3Instance instance) { free(instance); }

FMI(fmi3Status, fmi3EnterInitializationMode)(
    fmi3Instance instance, fmi3Boolean tolerance_given, fmi3Float64 tolerance, fmi3Float64 start, fmi3Boolean stop_given,
    fmi3Float64 stop)
{
    Instance *own = instance;
    (void)tolerance_given, (void)tolerance, (void)stop_given, (void)stop;
    if (own->model.phase != INSTANTIATED)
        return say(own, fmi3Error, "initialization begins once, right after instantiation or reset");
    own->model.time = start;
    own->model.phase = INITIALISING;
    return fmi3OK;
}

FMI(fmi3Status, fmi3ExitInitializationMode)(fmi3Instance instance)
{
    Instance *own = instance;
    if (own->model.phase != INITIALISING)
        return say(own, fmi3Error, "initialization has not begun");
    model_begin(&own->model);
    own->model.phase = STEPPING;
    return fmi3OK;
}

FMI(fmi3Status, fmi3Terminate)(fmi3Instance instance)
{
    ((Instance *)instance)->model.phase = TERMINATED;
    return fmi3OK;
}

FMI(fmi3Status, fmi3Reset)(fmi3Instance instance)
{
    model_reset(&((Instance *)instance)->model);
    return fmi3OK;
}

FMI(fmi3Status, fmi3DoStep)(
    fmi3Instance instance, fmi3Float64 now, fmi3Float64 step, fmi3Boolean no_return, fmi3Boolean *event,
    fmi3Boolean *terminate, fmi3Boolean *early, fmi3Float64 *reached)
{
    Instance *own = instance;
    Model *model = &own->model;
    double periods = nearbyint(step / PERIOD_S);
    int64_t status = 0;
    (void)no_return;
    *event = *terminate = *early = false;
    *reached = model->time;
    if (model->phase != STEPPING)
        return say(own, fmi3Error, "a step needs an initialized unit");
    if (!(fabs(now - model->time) <= NEAR * PERIOD_S + 1e-12 * fabs(now)))
        return say(own, fmi3Error, "a step from %.17g s, but the unit is at %.17g s", now, model->time);
    if (!(periods >= 1 && periods < 1e9 && fabs(step - periods * PERIOD_S) <= NEAR * PERIOD_S))
        return say(own, fmi3Discard, "communication step %g s: must be a multiple of %g s, the rig's period", step, PERIOD_S);
    (void)model_exchange(model, 0); /* the inputs hold from here on */
    status = model_exchange(model, (int64_t)periods);
    model->time = *reached = now + step;
    if (status == STATUS_EXCEPTION)
        return say(own, fmi3Error, "the simulation has diverged at %g s; take a smaller twin.substep_s", model->time);
    return fmi3OK;
}

FMI(fmi3Status, fmi3GetFloat64)(
    fmi3Instance instance, const fmi3ValueReference references[], size_t count, fmi3Float64 values[], size_t value_count)
{
    Instance *own = instance;
    (void)value_count;
    for (size_t k = 0; k < count; k++) {
        const Variable *v = variable(references[k], 'r');
        if (v == NULL)
            return unknown(own, references[k]);
        values[k] = *real_at(own, v);
    }
    return fmi3OK;
}

FMI(fmi3Status, fmi3SetFloat64)(
    fmi3Instance instance, const fmi3ValueReference references[], size_t count, const fmi3Float64 values[],
    size_t value_count)
{
    Instance *own = instance;
    (void)value_count;
    for (size_t k = 0; k < count; k++) {
        const Variable *v = variable(references[k], 'r');
        fmi3Status status = v == NULL ? unknown(own, references[k]) : may_set(own, v, values[k]);
        double before = 0.0;
        if (status != fmi3OK)
            return status;
        before = *real_at(own, v);
        *real_at(own, v) = values[k];
        if (v->use == 't' && own->model.phase == STEPPING) {
            model_apply(&own->model, (int32_t)(real_at(own, v) - own->model.parameter), before);
            model_apply_noise(&own->model);
        }
    }
    return fmi3OK;
}

#define WHOLE_FUNCTIONS(Name, Type, code)                                                                              \
    FMI(fmi3Status, fmi3Get##Name)(fmi3Instance instance, const fmi3ValueReference references[], size_t count,         \
                                   Type values[], size_t value_count)                                                  \
    {                                                                                                                  \
        (void)value_count;                                                                                             \
        for (size_t k = 0; k < count; k++) {                                                                           \
            const Variable *v = variable(references[k], code);                                                         \
            if (v == NULL)                                                                                             \
                return unknown(instance, references[k]);                                                               \
            values[k] = (Type)*whole_at(instance, v);                                                                  \
        }                                                                                                              \
        return fmi3OK;                                                                                                 \
    }                                                                                                                  \
    FMI(fmi3Status, fmi3Set##Name)(fmi3Instance instance, const fmi3ValueReference references[], size_t count,         \
                                   const Type values[], size_t value_count)                                            \
    {                                                                                                                  \
        (void)value_count;                                                                                             \
        for (size_t k = 0; k < count; k++) {                                                                           \
            const Variable *v = variable(references[k], code);                                                         \
            fmi3Status status = v == NULL ? unknown(instance, references[k]) : may_set(instance, v, (double)values[k]); \
            if (status != fmi3OK)                                                                                      \
                return status;                                                                                         \
            *whole_at(instance, v) = (int64_t)values[k];                                                               \
        }                                                                                                              \
        return fmi3OK;                                                                                                 \
    }

WHOLE_FUNCTIONS(Boolean, fmi3Boolean, 'b')
WHOLE_FUNCTIONS(Int32, fmi3Int32, 'i')
WHOLE_FUNCTIONS(Int64, fmi3Int64, 'l')

/* The state of the unit: the model, which holds no pointer. */
FMI(fmi3Status, fmi3GetFMUState)(fmi3Instance instance, fmi3FMUState *state)
{
    Instance *own = instance;
    if (*state == NULL)
        *state = malloc(sizeof(Model));
    if (*state == NULL)
        return say(own, fmi3Error, "no memory for a state of %u bytes", (unsigned)sizeof(Model));
    memcpy(*state, &own->model, sizeof(Model));
    return fmi3OK;
}

FMI(fmi3Status, fmi3SetFMUState)(fmi3Instance instance, fmi3FMUState state)
{
    memcpy(&((Instance *)instance)->model, state, sizeof(Model));
    return fmi3OK;
}

FMI(fmi3Status, fmi3FreeFMUState)(fmi3Instance instance, fmi3FMUState *state)
{
    (void)instance;
    free(*state);
    *state = NULL;
    return fmi3OK;
}

FMI(fmi3Status, fmi3SerializedFMUStateSize)(fmi3Instance instance, fmi3FMUState state, size_t *size)
{
    (void)instance, (void)state;
    *size = sizeof(Model);
    return fmi3OK;
}

FMI(fmi3Status, fmi3SerializeFMUState)(fmi3Instance instance, fmi3FMUState state, fmi3Byte bytes[], size_t size)
{
    if (size < sizeof(Model))
        return say(instance, fmi3Error, "a state takes %u bytes, not %u", (unsigned)sizeof(Model), (unsigned)size);
    memcpy(bytes, state, sizeof(Model));
    return fmi3OK;
}

FMI(fmi3Status, fmi3DeserializeFMUState)(fmi3Instance instance, const fmi3Byte bytes[], size_t size, fmi3FMUState *state)
{
    if (size != sizeof(Model))
        return say(instance, fmi3Error, "a state has %u bytes, not %u", (unsigned)sizeof(Model), (unsigned)size);
    if (*state == NULL)
        *state = malloc(sizeof(Model));
    if (*state == NULL)
        return say(instance, fmi3Error, "no memory for a state of %u bytes", (unsigned)sizeof(Model));
    memcpy(*state, bytes, sizeof(Model));
    return fmi3OK;
}

#include "absent.h"
