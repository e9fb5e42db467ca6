/* search_points.c - configurations as points: positions of values, shares of roofs */
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

    if (!text)
        return false;
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
static double find_position(const struct gcal_tune_parameter *parameter, size_t value)
{
    double mine = 0, other;
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
        coordinates[0] = find_position(parameter, value) / PARAMETER_LENGTH;
    for (size_t i = 0; n > 1 && i < n; i++)
        coordinates[i] = (i == value) * M_SQRT1_2 / PARAMETER_LENGTH;
}

/* ---- roofs ---- */

/* ---- all ---- */

struct gcal_fit_points gcal_tune_search_points(struct gcal_arena *arena,
                                               const struct gcal_tune_space *space)
{
    size_t n = space->n_roofs, at = 0;
    double *coordinates, *next;
    size_t *group;

    for (size_t i = 0; i < space->n_parameters; i++)
        n += count_coordinates(&space->parameters[i]);
    group = gcal_arena_alloc(arena, n, sizeof(*group));
    next = coordinates = gcal_arena_alloc(arena, space->n_configs * n, sizeof(*next));
    for (size_t i = 0; i < space->n_parameters; i++)
        for (size_t k = count_coordinates(&space->parameters[i]); k; k--)
            group[at++] = i;
    while (at < n)
        group[at++] = space->n_parameters;
    for (size_t i = 0; i < space->n_configs; i++) {
        const struct gcal_tune_config *config = &space->configs[i];

        for (size_t k = 0; k < space->n_parameters; k++) {
            put_parameter(&space->parameters[k], config->values[k], next);
            next += count_coordinates(&space->parameters[k]);
        }
        for (size_t k = 0; k < space->n_roofs; k++) {
            double share = config->roofs && config->predicted_s > 0
                               ? log(fmax(config->roofs[k], 1e-300) / config->predicted_s)
                               : 0;
            *next++ = fmax(LEAST_ROOF, share) / ROOF_LENGTH;
        }
    }
    return (struct gcal_fit_points){ .n = space->n_configs,
                                     .n_coordinates = n,
                                     .coordinates = coordinates,
                                     .group = group,
                                     .n_groups = space->n_parameters + 1 };
}
