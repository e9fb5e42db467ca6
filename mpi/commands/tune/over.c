/* over.c - the best configuration by size, and what the choice of one size costs at the others
 *
 * Of each size only names and times are kept: spaces of thousands of configurations take much
 * memory.
 */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/units.h"
#include "kernels/generate/generate.h"
#include "mpi/cli/json.h"
#include "mpi/commands/tune/private.h"

enum { MOST_COLUMNS = 12 };

struct row {
    const char *variant, *name;
    double predicted_s;
    json_t *configuration;
};

/* A size: its covered configurations, the fastest first. */
struct size {
    const char *name; /* "n:512" */
    size_t n;
    struct row *rows;
    double median_s;
};

struct gcal_tune_over {
    struct gcal_arena *arena;
    const char *kernel, *device, *node, *model;
    size_t n;
    struct size *sizes;
};

struct gcal_tune_over *gcal_tune_over_create(struct gcal_arena *arena, size_t n)
{
    struct gcal_tune_over *over = gcal_arena_alloc(arena, 1, sizeof(*over));

    over->arena = arena;
    over->sizes = gcal_arena_alloc(arena, n, sizeof(*over->sizes));
    return over;
}

/* ---- filling ---- */

/* The kernel's name without its sizes. */
static const char *name_without_sizes(struct gcal_arena *arena,
                                      const struct gcal_tune_space *space)
{
    const struct gcal_kernel *kernel = space->kernels->kernels[0];
    char *rest = gcal_arena_strdup(arena, space->kernel), *word;
    const char *name = "";

    while ((word = strsep(&rest, " "))) {
        bool is_size = false;

        for (size_t i = 0; i < kernel->n_sizes; i++) {
            size_t n = strlen(kernel->sizes[i].name);

            is_size = is_size ||
                      (strncmp(word, kernel->sizes[i].name, n) == 0 && word[n] == ':');
        }
        if (!is_size)
            name = gcal_arena_format(arena, "%s%s%s", name, *name ? " " : "", word);
    }
    return name;
}

static void release_json(void *json)
{
    json_decref(json);
}

int gcal_tune_over_add(struct gcal_tune_over *over, const char *name,
                       const struct gcal_tune_space *space, struct gcal_error *err)
{
    struct size *size = &over->sizes[over->n++];

    if (!over->kernel) {
        over->kernel = name_without_sizes(over->arena, space);
        over->device = space->device;
        over->node = space->node;
        over->model = space->model;
    }
    size->name = name;
    size->median_s = gcal_tune_median_s(space);
    size->rows = gcal_arena_alloc(over->arena, space->n_covered, sizeof(*size->rows));
    for (size_t i = 0; i < space->n_covered; i++) {
        size_t config = space->ranking[i];
        const struct gcal_tune_config *c = &space->configs[config];

        size->rows[size->n++] = (struct row){
            .variant = gcal_arena_strdup(over->arena, c->kernel->variant),
            .name = gcal_arena_strdup(over->arena, c->name),
            .predicted_s = c->predicted_s,
            .configuration = gcal_arena_own(
                over->arena, gcal_tune_config_json(space, config), release_json),
        };
    }
    return size->n ? 0
                   : gcal_error_set(err, GCAL_EINPUT,
                                    "%s: model %s covers no configuration at %s",
                                    space->kernel, space->model, size->name);
}

/* ---- comparing ---- */

/* The time of a configuration over that of the best; infinite if it cannot run. */
static double find_slowdown(const struct size *size, const char *variant)
{
    for (size_t i = 0; i < size->n; i++)
        if (strcmp(size->rows[i].variant, variant) == 0)
            return size->rows[i].predicted_s / size->rows[0].predicted_s;
    return INFINITY;
}

struct compromise {
    const struct row *row; /* NULL: none can run at all sizes */
    double mean, worst;    /* geometric */
};

/* The configuration with the least mean slowdown over all sizes. */
static struct compromise find_compromise(const struct gcal_tune_over *over)
{
    struct compromise best = { .mean = INFINITY };

    for (size_t i = 0; i < over->sizes[0].n; i++) {
        const struct row *row = &over->sizes[0].rows[i];
        double sum = 0, worst = 1;

        for (size_t k = 0; k < over->n && exp(sum / (double)over->n) < best.mean; k++) {
            double s = find_slowdown(&over->sizes[k], row->variant);

            sum += log(s);
            worst = fmax(worst, s);
        }
        if (exp(sum / (double)over->n) < best.mean)
            best = (struct compromise){ row, exp(sum / (double)over->n), worst };
    }
    return best;
}

/* ---- text ---- */

void gcal_tune_over_print(const struct gcal_tune_over *over)
{
    struct compromise c = find_compromise(over);

    printf("%s on %s of node %s, model %s\n", over->kernel, over->device, over->node,
           over->model);
    printf("%-16s %9s %8s  slowdown with the choice of size\n", "", "predicted",
           "over the");
    printf("%-16s %9s %8s", "size", "time", "median");
    for (size_t k = 0; k < over->n && k < MOST_COLUMNS; k++)
        printf(" %6zu", k + 1);
    printf("  best configuration\n");
    for (size_t i = 0; i < over->n; i++) {
        const struct size *size = &over->sizes[i];
        char time[GCAL_UNITS_SIZE];

        printf("%-16s %9s %8.3f", size->name,
               gcal_units(size->rows[0].predicted_s, "s", time),
               size->rows[0].predicted_s / size->median_s);
        for (size_t k = 0; k < over->n && k < MOST_COLUMNS; k++) {
            double s = find_slowdown(size, over->sizes[k].rows[0].variant);

            if (isfinite(s))
                printf(" %6.3f", s);
            else
                printf(" %6s", "-");
        }
        printf("  %s\n", size->rows[0].name);
    }
    if (c.row)
        printf("one for all sizes: %s (slower by %.1f %% in the mean, by %.1f %% at "
               "most)\n",
               c.row->name, 100 * (c.mean - 1), 100 * (c.worst - 1));
    else
        printf("one for all sizes: none can run at all of them\n");
}

/* ---- JSON ---- */

json_t *gcal_tune_over_json(const struct gcal_tune_over *over)
{
    struct compromise c = find_compromise(over);
    json_t *sizes = json_array(), *one = json_null();

    for (size_t i = 0; i < over->n; i++) {
        const struct size *size = &over->sizes[i];
        json_t *slowdowns = json_array();

        for (size_t k = 0; k < over->n; k++)
            json_array_append_new(slowdowns, gcal_json_number(find_slowdown(
                                                 size, over->sizes[k].rows[0].variant)));
        json_array_append_new(
            sizes,
            json_pack("{s:s, s:O, s:f, s:f, s:o}", "size", size->name, "configuration",
                      size->rows[0].configuration, "time_s", size->rows[0].predicted_s,
                      "median_s", size->median_s, "slowdown_with_choice_of", slowdowns));
    }
    if (c.row)
        one = json_pack("{s:O, s:f, s:f}", "configuration", c.row->configuration,
                        "mean_slowdown", c.mean, "worst_slowdown", c.worst);
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o}", "node", over->node, "device",
                     over->device, "model", over->model, "kernel", over->kernel, "sizes",
                     sizes, "one_for_all", one);
}
