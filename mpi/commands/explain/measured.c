/* measured.c - measured times, and whether on-chip work hides behind memory
 *
 * The verdict is that of Stevens and Kloeckner 2020, section 8.1: the time of the kernel without
 * on-chip work and the time of the removed work, against the whole.
 */
#include <math.h>
#include <stdio.h>

#include "kernels/base/error.h"
#include "mpi/cli/json.h"
#include "mpi/commands/explain/private.h"

/* The share of the shorter part above which it is hidden, and below which it is not. */
#define HIDDEN     0.8
#define NOT_HIDDEN 0.2

int gcal_explain_measure(struct gcal_explain_case *c, const struct gcal_own_options *own,
                         struct gcal_error *err)
{
    struct gcal_explain_measured *m = gcal_arena_alloc(c->arena, 1, sizeof(*m));
    struct gcal_error inner = { 0 };
    double shorter;
    size_t launches;

    *m = (struct gcal_explain_measured){ NAN, NAN, NAN, 0, NAN, NULL, NULL };
    c->measured = m;
    if (gcal_predict_subject_measure(c->options, own, c->subject, GCAL_KERNEL_COMPLETE,
                                     &m->whole_s, &m->launches, err) < 0)
        return -1;
    if (gcal_predict_subject_measure(c->options, own, c->subject, GCAL_KERNEL_MEMORY,
                                     &m->memory_s, &launches, &inner) < 0 ||
        gcal_predict_subject_measure(c->options, own, c->subject, GCAL_KERNEL_ONCHIP,
                                     &m->onchip_s, &launches, &inner) < 0) {
        m->why_not = gcal_arena_strdup(c->arena, inner.text);
        return 0;
    }
    shorter = fmin(m->memory_s, m->onchip_s);
    if (!(shorter > 0))
        return 0;
    m->hidden = fmin(1, fmax(0, (m->memory_s + m->onchip_s - m->whole_s) / shorter));
    m->verdict = m->hidden >= HIDDEN       ? "hidden"
                 : m->hidden <= NOT_HIDDEN ? "not hidden"
                                           : "partly hidden";
    return 0;
}

void gcal_explain_measured_print(const struct gcal_explain_case *c)
{
    const struct gcal_explain_measured *m = c->measured;
    char whole[GCAL_UNITS_SIZE], memory[GCAL_UNITS_SIZE], onchip[GCAL_UNITS_SIZE];

    printf("\nmeasured %s (median of %zu launches): prediction error %+.1f %%\n",
           gcal_units(m->whole_s, "s", whole), m->launches,
           100 * (c->prediction.time_s / m->whole_s - 1));
    if (m->why_not)
        printf("overlap: unknown, as a part cannot be timed alone: %s\n", m->why_not);
    else
        printf(
            "overlap: memory accesses alone %s, on-chip work alone %s: %s %s (%.0f %%)\n",
            gcal_units(m->memory_s, "s", memory), gcal_units(m->onchip_s, "s", onchip),
            m->memory_s >= m->onchip_s ? "on-chip work is" : "memory accesses are",
            m->verdict ? m->verdict : "partly hidden", 100 * m->hidden);
}

json_t *gcal_explain_measured_json(const struct gcal_explain_measured *m)
{
    return json_pack("{s:f, s:i, s:o, s:o, s:o, s:s?, s:s?}", "whole_s", m->whole_s,
                     "launches", (int)m->launches, "memory_s",
                     gcal_json_number(m->memory_s), "onchip_s",
                     gcal_json_number(m->onchip_s), "hidden", gcal_json_number(m->hidden),
                     "verdict", m->verdict, "why_not", m->why_not);
}
