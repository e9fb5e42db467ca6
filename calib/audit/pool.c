/* pool.c - pooled statistics of a device type: repeatability, and medians by epoch */
#include <math.h>
#include <string.h>

#include "calib/audit/private.h"
#include "kernels/base/arena.h"
#include "kernels/base/median.h"
#include "fit/change.h"

/* Values of a column from all devices that have it. */
struct gathered {
    double *difference, *error, *level;
    size_t n_differences, n_errors, n_levels;
};

static size_t at_column(const struct gcal_audit_sample *s, size_t column)
{
    size_t at = column; /* usually the position */

    if (at < s->n && s->column[at] == column)
        return at;
    for (at = 0; at < s->n && s->column[at] != column; at++)
        ;
    return at;
}

static struct gcal_audit_epoch *add_epoch(struct gcal_arena *arena,
                                          struct gcal_audit_type *t, const char *key)
{
    struct gcal_audit_epoch *e;

    t->epochs = gcal_arena_grow(arena, t->epochs, t->n_epochs, &t->epochs_capacity,
                                sizeof(*t->epochs));
    e = &t->epochs[t->n_epochs++];
    *e = (struct gcal_audit_epoch){
        gcal_arena_strdup(arena, key),
        gcal_arena_alloc(arena, t->n_columns, sizeof(*e->n)),
        gcal_arena_alloc(arena, t->n_columns, sizeof(*e->median)),
        gcal_arena_alloc(arena, t->n_columns, sizeof(*e->spread))
    };
    return e;
}

static void pool_type(struct gcal_arena *arena, struct gcal_audit_type *t,
                      struct gathered *g)
{
    t->repeatability = gcal_arena_alloc(arena, t->n_columns, sizeof(double));
    for (size_t c = 0; c < t->n_columns; c++) {
        g->n_differences = g->n_errors = 0;
        for (size_t i = 0; i < t->n_sampled; i++) {
            const struct gcal_audit_sample *s = &t->sampled[i];
            size_t at = at_column(s, c);

            if (at == s->n)
                continue;
            for (size_t j = 0; j < s->n_differences[at]; j++)
                g->difference[g->n_differences++] =
                    s->difference[at * GCAL_AUDIT_MOST_DIFFERENCES + j];
            if (!isnan(s->error[at]))
                g->error[g->n_errors++] = s->error[at];
        }
        t->repeatability[c] = gcal_fit_change_repeatability(
            g->difference, g->n_differences, gcal_median(g->error, g->n_errors));
    }
    for (size_t i = 0; i < t->n_sampled; i++) {
        const char *key = t->sampled[i].epoch;
        struct gcal_audit_epoch *e;

        if (gcal_audit_find_epoch(t, key))
            continue;
        e = add_epoch(arena, t, key);
        /* The median of distances from the median is 0.6745 standard deviations. */
        for (size_t c = 0; c < t->n_columns; c++) {
            g->n_levels = 0;
            for (size_t k = 0; k < t->n_sampled; k++) {
                const struct gcal_audit_sample *s = &t->sampled[k];
                size_t at = strcmp(s->epoch, e->key) == 0 ? at_column(s, c) : s->n;

                if (at < s->n && !isnan(s->level[at]))
                    g->level[g->n_levels++] = s->level[at];
            }
            e->n[c] = g->n_levels;
            e->median[c] = gcal_median(g->level, g->n_levels);
            for (size_t k = 0; k < g->n_levels; k++)
                g->level[k] = fabs(g->level[k] - e->median[c]);
            e->spread[c] = 1.4826 * gcal_median(g->level, g->n_levels);
        }
    }
    t->n_sampled = 0;
}

void gcal_audit_types_pool(struct gcal_audit_types *types)
{
    enum { MOST = GCAL_AUDIT_MOST_DEVICES };
    struct gathered g = {
        .difference = gcal_arena_alloc(types->samples, MOST * GCAL_AUDIT_MOST_DIFFERENCES,
                                       sizeof(double)),
        .error = gcal_arena_alloc(types->samples, MOST, sizeof(double)),
        .level = gcal_arena_alloc(types->samples, MOST, sizeof(double)),
    };

    for (size_t i = 0; i < types->n; i++)
        pool_type(types->arena, types->types[i], &g);
    gcal_arena_destroy(types->samples);
    types->samples = NULL;
}
