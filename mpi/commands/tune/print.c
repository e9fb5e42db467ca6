/* print.c - a ranked space as a table for people */
#include <math.h>
#include <stdio.h>

#include "kernels/base/units.h"
#include "mpi/cli/quiet.h"
#include "mpi/commands/tune/private.h"

double gcal_tune_median_s(const struct gcal_tune_space *space)
{
    size_t n = space->n_covered;

    if (!n)
        return NAN;
    return (space->configs[space->ranking[(n - 1) / 2]].predicted_s +
            space->configs[space->ranking[n / 2]].predicted_s) /
           2;
}

size_t gcal_tune_count_equal(const struct gcal_tune_space *space)
{
    size_t n = 0;

    for (size_t i = 0; i < space->n_covered; i++)
        n += space->configs[space->ranking[i]].beats_first > GCAL_TUNE_DISTINGUISHED;
    return n;
}

void gcal_tune_print(const struct gcal_tune_space *space, size_t most)
{
    printf("%s on %s of node %s, model %s\n", space->kernel, space->device, space->node,
           space->model);
    printf("%zu configuration%s", space->n_configs, space->n_configs == 1 ? "" : "s");
    if (space->n_left_out)
        printf("; %zu left out", space->n_left_out);
    printf("\n");
    for (size_t i = 0; i < space->n_reasons; i++)
        printf("  %s\n", space->reasons[i]);
    gcal_quiet_result(true);
    printf("%5s %10s %22s %8s %10s\n", "", "predicted", "90 % interval", "ratio to",
           "chance to");
    printf("%5s %10s %22s %8s %10s  %s\n", "place", "time", "low to high  ", "first",
           "be faster", "configuration");
    for (size_t i = 0; i < space->n_configs && i < most; i++) {
        const struct gcal_tune_config *c = &space->configs[space->ranking[i]];
        const struct gcal_tune_config *first = &space->configs[space->ranking[0]];
        char time[GCAL_UNITS_SIZE], low[GCAL_UNITS_SIZE], high[GCAL_UNITS_SIZE],
            chance[GCAL_UNITS_SIZE], place[24] = "-";
        bool covered = i < space->n_covered;

        if (covered)
            snprintf(place, sizeof(place), "%zu", i + 1);
        if (c->not_predicted)
            printf("%5s %9s  %22s %8s %10s  %s\n", place, "none", "", "", "", c->name);
        else
            printf("%5s %9s%c %9s to %-9s %8.3f %10s  %s\n", place,
                   gcal_units(c->predicted_s, "s", time),
                   !covered          ? '!'
                   : c->extrapolates ? '*'
                                     : ' ',
                   gcal_units(c->low_s, "s", low), gcal_units(c->high_s, "s", high),
                   c->predicted_s / first->predicted_s,
                   i && covered ? gcal_units_probability(c->beats_first, chance) : "-",
                   c->name);
    }
    /* What has no place, and why. */
    size_t n_gaps = 0;
    const char *why = NULL;
    for (size_t i = space->n_covered; i < space->n_configs; i++) {
        const struct gcal_tune_config *c = &space->configs[space->ranking[i]];

        n_gaps += !c->not_predicted;
        why = why ? why : c->not_predicted;
    }
    if (n_gaps)
        printf("! not ranked: %zu with work that the model has no cost for\n", n_gaps);
    if (why)
        printf("not predicted: %zu, the first: %s\n",
               space->n_configs - space->n_covered - n_gaps, why);
    if (space->n_covered) {
        const struct gcal_tune_config *first = &space->configs[space->ranking[0]];
        size_t n_equal = gcal_tune_count_equal(space);
        bool marked = false;
        char chance[GCAL_UNITS_SIZE];

        for (size_t i = 0; i < space->n_covered && i < most; i++)
            marked = marked || space->configs[space->ranking[i]].extrapolates;
        if (marked)
            printf("* outside the calibrated range\n");
        printf("time of the first over the median: %.3g\n",
               first->predicted_s / gcal_tune_median_s(space));
        if (space->n_covered < 2)
            return;
        printf("probability that the first is the fastest: %s\n",
               gcal_units_probability(space->fastest, chance));
        if (n_equal > 1)
            printf(
                "not distinguished from the first: %zu, with a chance above %.0f %% each "
                "of being faster (--json names them; --measure times them)\n",
                n_equal - 1, 100 * GCAL_TUNE_DISTINGUISHED);
    }
}
