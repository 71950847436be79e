/* The twin with its parameters: everything that an FMU state holds, and no pointer in it. */
#pragma once
#include <stddef.h>
#include <string.h>

#include "sizes.h"
#include "twin.h"

typedef enum { INSTANTIATED, INITIALISING, STEPPING, TERMINATED } Phase;

typedef struct {
    Twin twin;
    Command command;
    Readings readings;
    double time;
    int64_t phase, seed, noise; /* noise: 1 or 0 */
    double parameter[PARAMETERS];
} Model;

/* A word of the twin, or several alike in a row, by one parameter: a + b x, or the start value times (x / start)^b. */
typedef enum { SET, SCALE } Rule;
typedef struct {
    int32_t parameter, word, count;
    Rule rule;
    double a, b;
} Effect;

typedef struct {
    int32_t word;
    double value;
} RealStart;

typedef struct {
    int32_t word;
    int64_t value;
} WholeStart;

typedef struct {
    uint32_t reference;
    char type; /* r Float64, b Boolean, i Int32, l Int64; the word itself is a double or an int64_t */
    char use;  /* i input, o output, p fixed parameter, t tunable parameter */
    size_t offset;
    double low, high;
    const char *name;
} Variable;

#include "tables.h"

static double *model_words(Model *model) { return (double *)&model->twin; }

/* The words of the twin that a parameter sets or scales, where it was `before` until now. */
static void model_apply(Model *model, int32_t parameter, double before)
{
    double *words = model_words(model), x = model->parameter[parameter];
    for (size_t k = 0; k < EFFECT_COUNT; k++) {
        const Effect *effect = &effects[k];
        if (effect->parameter != parameter)
            continue;
        for (int32_t i = effect->word; i < effect->word + effect->count; i++) {
            if (effect->rule == SET)
                words[i] = effect->a + effect->b * x;
            else if (x != before)
                words[i] *= pow(x / before, effect->b);
        }
    }
}

static void model_apply_noise(Model *model)
{
    double *words = model_words(model);
    for (size_t k = 0; model->noise == 0 && k < NOISE_COUNT; k++)
        words[noise_words[k]] *= 0.0; /* nan, where the rig has no such sensor, stays nan */
}

/* The twin's record as its constants and parameters make it. */
static void model_fill(Model *model)
{
    double *words = model_words(model);
    memset(&model->twin, 0, sizeof model->twin);
    for (size_t k = 0; k < REAL_COUNT; k++)
        words[real_start[k].word] = real_start[k].value;
    for (size_t k = 0; k < WHOLE_COUNT; k++)
        memcpy(&words[whole_start[k].word], &whole_start[k].value, sizeof(int64_t));
    for (int32_t k = 0; k < PARAMETER_USED; k++)
        model_apply(model, k, parameter_start[k]);
    model_apply_noise(model);
    twin_seed(&model->twin, model->seed);
}

/* Takes the command and shows the readings, `periods` later. */
static int64_t model_exchange(Model *model, int64_t periods)
{
    model->command.periods = periods;
    return twin_exchange(&model->twin, &model->command, &model->readings);
}

/* Readings before the first period: what each transducer has shown for long. */
static void model_begin(Model *model)
{
    Twin *twin = &model->twin;
    model_fill(model);
    twin->shown.displacement_m = twin->displacement.gain * twin->displacement.last + twin->displacement.bias;
    twin->shown.acceleration_m_s2 = twin->acceleration.gain * twin->acceleration.last + twin->acceleration.bias;
    twin->shown.pressure_a_pa = twin->pressure_a.gain * twin->pressure_a.last + twin->pressure_a.bias;
    twin->shown.pressure_b_pa = twin->pressure_b.gain * twin->pressure_b.last + twin->pressure_b.bias;
    (void)model_exchange(model, 0);
}

static void model_reset(Model *model)
{
    memset(model, 0, sizeof *model);
    model->command.enable = 1;
    model->command.supply = 2;
    model->noise = 1;
    model->seed = SEED;
    memcpy(model->parameter, parameter_start, sizeof model->parameter);
    model_begin(model);
}
