/* search_points.c - configurations as points: positions of values, shares of roofs */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "mpi/commands/tune/search_private.h"

/* Distances over which errors of predictions differ, as a rule: half of a parameter's
 * range, a factor of 4.5 in the share of a roof.
 */
#define PARAMETER_LENGTH 0.5
#define ROOF_LENGTH      1.5

/* Roofs that take a smaller share of the time, as a logarithm, do not matter. */
#define LEAST_ROOF (-3.0)

/* ---- parameters ---- */

static bool is_number(const char *text, double *value)
{
    char *end;

    *value = strtod(text, &end);
    return *text && !*end && isfinite(*value);
}

static bool is_numeric(const struct gcal_tune_parameter *parameter)
{
    double value;

    for (size_t i = 0; i < parameter->n_values; i++)
        if (!is_number(parameter->values[i], &value))
            return false;
    return true;
}

/* Numbers have one coordinate, and more than two names one each. */
static size_t count_coordinates(const struct gcal_tune_parameter *parameter)
{
    if (parameter->n_values < 2)
        return 0;
    return parameter->n_values == 2 || is_numeric(parameter) ? 1 : parameter->n_values;
}

/* The position of a value among the others, from 0 to 1. */
static double position(const struct gcal_tune_parameter *parameter, size_t value)
{
    double mine, other;
    size_t below = 0;

    if (!is_numeric(parameter))
        return (double)value / (double)(parameter->n_values - 1);
    is_number(parameter->values[value], &mine);
    for (size_t i = 0; i < parameter->n_values; i++)
        below += is_number(parameter->values[i], &other) && other < mine;
    return (double)below / (double)(parameter->n_values - 1);
}

/* All pairs of names are at the same distance. */
static void put_parameter(const struct gcal_tune_parameter *parameter, size_t value,
                          double *coordinates)
{
    size_t n = count_coordinates(parameter);

    if (n == 1)
        coordinates[0] = position(parameter, value) / PARAMETER_LENGTH;
    for (size_t i = 0; n > 1 && i < n; i++)
        coordinates[i] = (i == value) * M_SQRT1_2 / PARAMETER_LENGTH;
}

/* ---- roofs ---- */

static double share_of_roof(const struct gcal_tune_config *config, size_t roof)
{
    double share = config->roofs && config->predicted_s > 0
                       ? log(fmax(config->roofs[roof], 1e-300) / config->predicted_s)
                       : 0;

    return fmax(LEAST_ROOF, share) / ROOF_LENGTH;
}

/* ---- all ---- */

static void put(const struct gcal_tune_space *space,
                const struct gcal_tune_config *config, double *coordinates)
{
    for (size_t i = 0; i < space->n_parameters; i++) {
        put_parameter(&space->parameters[i], config->values[i], coordinates);
        coordinates += count_coordinates(&space->parameters[i]);
    }
    for (size_t i = 0; i < space->n_roofs; i++)
        coordinates[i] = share_of_roof(config, i);
}

int gcal_tune_search_points(const struct gcal_tune_space *space,
                            struct gcal_tune_points_of_space *made,
                            struct gcal_error *err)
{
    size_t n = space->n_roofs, at = 0;

    for (size_t i = 0; i < space->n_parameters; i++)
        n += count_coordinates(&space->parameters[i]);
    made->group = calloc(n + 1, sizeof(*made->group));
    made->coordinates = calloc(space->n_configs * n + 1, sizeof(*made->coordinates));
    if (!made->group || !made->coordinates)
        return gcal_error_memory(err);
    for (size_t i = 0; i < space->n_parameters; i++)
        for (size_t k = count_coordinates(&space->parameters[i]); k; k--)
            made->group[at++] = i;
    while (at < n)
        made->group[at++] = space->n_parameters;
    for (size_t i = 0; i < space->n_configs; i++)
        put(space, &space->configs[i], made->coordinates + i * n);
    made->points = (struct gcal_fit_points){ .n = space->n_configs,
                                             .n_coordinates = n,
                                             .coordinates = made->coordinates,
                                             .group = made->group,
                                             .n_groups = space->n_parameters + 1 };
    return 0;
}

void gcal_tune_search_points_clear(struct gcal_tune_points_of_space *made)
{
    free(made->coordinates);
    free(made->group);
    *made = (struct gcal_tune_points_of_space){ 0 };
}
