/* touches.c - what work-items touch, collected and compared */
#include "tests/kernels/count/traffic/touches.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/error.h"
#include "kernels/model/profile.h"

/* ---- collecting ---- */

static void sort(struct touches *t)
{
    t->n = t->n_sorted = gcal_interp_sort_blocks(t->n, t->all);
}

static void touch(struct touches_run *run, struct touches *t, uint64_t within,
                  int64_t block)
{
    struct gcal_interp_block *moved;

    if (t->n && t->all[t->n - 1].within == within && t->all[t->n - 1].block == block)
        return;
    if (t->n == t->capacity && t->n > 2 * t->n_sorted + 100000)
        sort(t);
    moved = gcal_array_grow(t->all, t->n, &t->capacity, sizeof(*moved), NULL);
    if (!moved) {
        run->failed = true;
        return;
    }
    t->all = moved;
    moved[t->n++] = (struct gcal_interp_block){ within, block };
}

void touches_observe(void *context, const struct gcal_interp_execution *e)
{
    struct touches_run *run = context;
    uint64_t lanes = e->group << 8 | e->item / TOUCHES_LANES;
    /* Places are pointers, which lanes may not turn into each other. */
    uint64_t place = gcal_interp_touch_mix(0, (uint64_t)(uintptr_t)e->place),
             execution =
                 gcal_interp_touch_mix(gcal_interp_touch_mix(place, lanes), e->instance),
             loop = gcal_interp_touch_mix(e->loop, lanes);
    bool local = e->space == GCAL_FEATURE_SPACE_LOCAL,
         store = e->kind == GCAL_INTERP_EXECUTION_STORE,
         atomic = e->kind == GCAL_INTERP_EXECUTION_ATOMIC;
    const int64_t last = e->offset + (int64_t)e->bytes - 1;
    struct touches_array *array = run->arrays;

    if (e->kind != GCAL_INTERP_EXECUTION_LOAD && !store && !atomic)
        return;
    while (array < run->arrays + run->n && array->base != (local ? NULL : e->base))
        array++;
    if (array == run->arrays + run->n)
        return;
    if (atomic) {
        touch(run, &array->atomics, execution,
              e->offset / 4 * TOUCHES_LANES + (int64_t)(e->item % TOUCHES_LANES));
        touch(run, &array->updated, local ? e->group : 0, e->offset / 4);
        return;
    }
    array->used[store] = true;
    for (int64_t at = e->offset / 4; local && at <= last / 4; at++)
        touch(run, &array->of[store][TOUCHES_PASSES], execution, at);
    for (int64_t at = e->offset / TOUCHES_SECTOR; !local && at <= last / TOUCHES_SECTOR;
         at++) {
        touch(run, &array->of[store][TOUCHES_SECTORS], execution, at);
        touch(run, &array->of[store][TOUCHES_LOOP_SECTORS], loop, at);
        touch(run, &array->of[store][TOUCHES_LINES], execution,
              at / (TOUCHES_LINE / TOUCHES_SECTOR));
        touch(run, &array->of[store][TOUCHES_BY_GROUP], e->group, at);
        touch(run, &array->of[store][TOUCHES_BY_LAUNCH], 0, at);
    }
}

void touches_clear(struct touches_run *run)
{
    for (size_t i = 0; i < run->n; i++) {
        free(run->arrays[i].atomics.all);
        free(run->arrays[i].updated.all);
        for (int what = 0; what < TOUCHES_N_WHAT; what++) {
            free(run->arrays[i].of[0][what].all);
            free(run->arrays[i].of[1][what].all);
        }
    }
}

/* ---- comparing ---- */

static const struct quantity {
    enum gcal_feature_kind kind;
    const char *name;
} quantities[TOUCHES_N_WHAT] = { { GCAL_FEATURE_SECTOR, "sectors" },
                                 { GCAL_FEATURE_LOOP_SECTOR, "sectors of loops" },
                                 { GCAL_FEATURE_LINE, "lines" },
                                 { GCAL_FEATURE_FOOTPRINT_GROUP, "sectors of groups" },
                                 { GCAL_FEATURE_FOOTPRINT_LAUNCH,
                                   "sectors of the launch" },
                                 { GCAL_FEATURE_LOCAL_PASS, "passes" } };

static bool has_atomics(const struct gcal_profile *p, const char *array)
{
    for (size_t i = 0; i < p->n_entries; i++)
        if (p->entries[i].kind == GCAL_FEATURE_ATOMIC &&
            strcmp(p->entries[i].array, array) == 0)
            return true;
    return false;
}

/* Compares what was seen with the sum of a kind's entries, all or those of an array. */
static int compare_seen(const struct gcal_profile *p, size_t n_sizes,
                        const struct gcal_size *sizes, const struct touches_array *array,
                        bool store, const struct quantity *quantity, double seen,
                        struct touches_tally *tally, struct gcal_error *err)
{
    double counted = 0, ratio;
    bool estimated = false, good;

    for (size_t i = 0; i < p->n_entries; i++) {
        const struct gcal_profile_entry *e = &p->entries[i];
        double value;

        if (e->kind != quantity->kind ||
            (array->base && strcmp(e->array, array->name) != 0) ||
            (!array->base && e->space != GCAL_FEATURE_SPACE_LOCAL) ||
            (e->direction == GCAL_FEATURE_STORE) != store)
            continue;
        if (oracle_value(e->count, n_sizes, sizes, &value, err) < 0)
            return -1;
        counted += value;
        estimated = estimated || e->estimated;
    }
    ratio = counted / seen;
    good = estimated ? ratio <= tally->within && ratio >= 1 / tally->within
                     : fabs(counted - seen) < 1e-6 * seen + 1e-6;
    tally->n_equal += good && !estimated;
    tally->n_near += good && estimated;
    tally->n_wrong += !good;
    if (!good || tally->verbose)
        printf("  %s %s of %s of %s: %g%s, seen %g: %.3f\n", good ? "     " : "WRONG",
               quantity->name, store ? "stores" : "loads", array->name, counted,
               estimated ? " (estimated)" : "", seen, ratio);
    return 0;
}

static int compare(const struct gcal_profile *p, size_t n_sizes,
                   const struct gcal_size *sizes, struct touches_array *array, bool store,
                   enum touches_what what, struct touches_tally *tally,
                   struct gcal_error *err)
{
    struct touches *of = &array->of[store][what];

    sort(of);
    return compare_seen(p, n_sizes, sizes, array, store, &quantities[what],
                        what == TOUCHES_PASSES
                            ? gcal_interp_count_passes(of->n, of->all, TOUCHES_BANKS)
                            : (double)of->n,
                        tally, err);
}

/* Lanes on elements, sorted by execution: all passes, and so on. */
static void count_meetings(const struct touches_array *array, double *seen)
{
    const struct gcal_interp_block *all = array->atomics.all;
    size_t n = array->atomics.n, most = 0, most_of_sector = 0, lanes = 0;
    size_t in_bank[TOUCHES_BANKS] = { 0 };

    for (size_t i = 0; i < n; i++) {
        int64_t element = all[i].block / TOUCHES_LANES,
                sector = element * 4 / TOUCHES_SECTOR;
        bool same = i > 0 && all[i - 1].within == all[i].within;
        bool ends = i + 1 == n || all[i + 1].within != all[i].within;
        bool is_new = !same || all[i - 1].block / TOUCHES_LANES != element;
        bool is_new_sector =
            !same || all[i - 1].block / TOUCHES_LANES * 4 / TOUCHES_SECTOR != sector;
        size_t *bank = &in_bank[element % TOUCHES_BANKS];

        if (!same)
            memset(in_bank, 0, sizeof(in_bank));
        lanes = is_new ? 1 : lanes + 1;
        *bank += is_new; /* which joins the lanes on one address */
        most = same ? most : 0;
        most = array->base ? (lanes > most ? lanes : most) : *bank > most ? *bank : most;
        if (is_new_sector) {
            seen[TOUCHES_ATOMIC_SECTOR_PASSES] += (double)most_of_sector;
            most_of_sector = 0;
        }
        most_of_sector = lanes > most_of_sector ? lanes : most_of_sector;
        seen[TOUCHES_ATOMIC_ADDRESSES] += is_new;
        seen[TOUCHES_ATOMIC_SECTORS] += is_new_sector;
        seen[TOUCHES_ATOMIC_PASSES] += ends ? (double)most : 0;
    }
    seen[TOUCHES_ATOMIC_SECTOR_PASSES] += (double)most_of_sector;
    seen[TOUCHES_ATOMIC_FOOTPRINT] = (double)array->updated.n;
}

static int compare_atomics(const struct gcal_profile *p, size_t n_sizes,
                           const struct gcal_size *sizes, struct touches_array *array,
                           struct touches_tally *tally, struct gcal_error *err)
{
    static const struct quantity meetings[TOUCHES_N_MEETINGS] = {
        { GCAL_FEATURE_ATOMIC_PASS, "passes of atomics" },
        { GCAL_FEATURE_ATOMIC_ADDRESS, "addresses of atomics" },
        { GCAL_FEATURE_ATOMIC_SECTOR, "sectors of atomics" },
        { GCAL_FEATURE_ATOMIC_SECTOR_PASS, "passes of sectors of atomics" },
        { GCAL_FEATURE_ATOMIC_FOOTPRINT, "all addresses of atomics" }
    };
    double seen[TOUCHES_N_MEETINGS] = { 0 };
    int rc = 0;

    sort(&array->atomics);
    sort(&array->updated);
    count_meetings(array, seen);
    for (int i = 0; i < TOUCHES_N_MEETINGS && rc == 0; i++)
        if (array->base || (i != TOUCHES_ATOMIC_SECTORS && /* of global memory alone */
                            i != TOUCHES_ATOMIC_SECTOR_PASSES))
            rc = compare_seen(p, n_sizes, sizes, array, false, &meetings[i], seen[i],
                              tally, err);
    return rc;
}

int touches_compare(const struct gcal_profile *p, size_t n_sizes,
                    const struct gcal_size *sizes, struct touches_run *run,
                    struct touches_tally *tally, struct gcal_error *err)
{
    int rc = 0;

    for (struct touches_array *a = run->arrays; a < run->arrays + run->n; a++) {
        if (a->atomics.n && rc == 0)
            rc = compare_atomics(p, n_sizes, sizes, a, tally, err);
        for (int store = 0; store < 2; store++)
            for (int what = 0; what < TOUCHES_N_WHAT && rc == 0; what++)
                if (a->used[store] && (what == TOUCHES_PASSES) == !a->base &&
                    !has_atomics(p, a->name))
                    rc = compare(p, n_sizes, sizes, a, store, (enum touches_what)what,
                                 tally, err);
    }
    return rc;
}
