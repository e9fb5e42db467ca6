/* measured.c - measured times, and whether on-chip work hides behind memory
 *
 * The verdict is that of Stevens and Kloeckner 2020, section 8.1: the time of the kernel without
 * on-chip work and the time of the removed work, against the whole.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/units.h"
#include "mpi/cli/json.h"
#include "mpi/commands/explain/private.h"

/* Of the shorter part: above, it is hidden; below, it is not. */
#define HIDDEN     0.8
#define NOT_HIDDEN 0.2

void gcal_explain_measured_clear(struct gcal_explain_measured *m)
{
    free(m->why_not);
    *m = (struct gcal_explain_measured){ 0 };
}

static double hidden_share(double whole, double memory, double onchip)
{
    double shorter = fmin(memory, onchip);

    return shorter > 0 ? fmin(1, fmax(0, (memory + onchip - whole) / shorter)) : NAN;
}

int gcal_explain_measure(const struct gcal_explain_case *c,
                         const struct gcal_predict_subject_options *o,
                         const struct gcal_own_options *own,
                         struct gcal_explain_measured *m, struct gcal_error *err)
{
    struct gcal_error inner = { 0 };
    size_t launches;

    *m = (struct gcal_explain_measured){ NAN, NAN, NAN, 0, NAN, NULL };
    if (gcal_predict_subject_measure(o, own, c->subject, &m->whole_s, &m->launches, err) <
        0)
        return -1;
    if (gcal_predict_subject_measure_form(o, own, c->subject, GCAL_KERNEL_MEMORY,
                                          &m->memory_s, &launches, &inner) < 0 ||
        gcal_predict_subject_measure_form(o, own, c->subject, GCAL_KERNEL_ONCHIP,
                                          &m->onchip_s, &launches, &inner) < 0)
        return (m->why_not = strdup(inner.text)) ? 0 : gcal_error_memory(err);
    m->hidden = hidden_share(m->whole_s, m->memory_s, m->onchip_s);
    return 0;
}

static const char *verdict_of(double hidden)
{
    return hidden >= HIDDEN       ? "hidden"
           : hidden <= NOT_HIDDEN ? "not hidden"
                                  : "partly hidden";
}

void gcal_explain_measured_print(const struct gcal_explain_case *c,
                                 const struct gcal_explain_measured *m)
{
    char whole[GCAL_UNITS_SIZE], memory[GCAL_UNITS_SIZE], onchip[GCAL_UNITS_SIZE];
    bool memory_longer = m->memory_s >= m->onchip_s;

    printf("\nmeasured %s (median of %zu launches): prediction error %+.1f %%\n",
           gcal_units(m->whole_s, "s", whole), m->launches,
           100 * (c->prediction.time_s / m->whole_s - 1));
    if (m->why_not)
        printf("overlap: unknown, as a part cannot be timed alone: %s\n", m->why_not);
    else
        printf(
            "overlap: memory accesses alone %s, on-chip work alone %s: %s %s (%.0f %%)\n",
            gcal_units(m->memory_s, "s", memory), gcal_units(m->onchip_s, "s", onchip),
            memory_longer ? "on-chip work is" : "memory accesses are",
            verdict_of(m->hidden), 100 * m->hidden);
}

json_t *gcal_explain_measured_json(const struct gcal_explain_measured *m)
{
    return json_pack(
        "{s:f, s:i, s:o, s:o, s:o, s:s?, s:s?}", "whole_s", m->whole_s, "launches",
        (int)m->launches, "memory_s", gcal_json_number(m->memory_s), "onchip_s",
        gcal_json_number(m->onchip_s), "hidden", gcal_json_number(m->hidden), "verdict",
        isnan(m->hidden) ? NULL : verdict_of(m->hidden), "why_not", m->why_not);
}
