/* points_walk.c - the true counts of a case, from all work-items and iterations */
#include <string.h>

#include "tests/kernels/sets/points_case.h"

enum { MOST_TRIPS = 40, MOST_VISITS = 60000, MOST_OFFSETS = 1 << 16 };

/* Lanes of one group that reach an iteration, and those where the branch holds. */
struct lanes {
    uint64_t active, held;
};

struct walk {
    const struct test_case *t;
    struct happened *happened;
    int64_t values[N_VARIABLES];
    size_t lane, n_touched;
    long left;
    bool too_much;
};

static struct lanes iterations[MOST_TRIPS * MOST_TRIPS * MOST_TRIPS];
static size_t touched[MOST_VISITS];
static unsigned seen[2 * MOST_OFFSETS], now; /* by offset: when it was last seen */

static void touch(struct walk *w, size_t level)
{
    const struct test_case *t = w->t;

    for (size_t i = 0; i < t->n_accesses; i++) {
        int64_t offset;

        if (level != (t->accesses[i].inner ? t->n_levels : t->n_levels / 2))
            continue;
        offset = tree_value(t->accesses[i].offset, w->values);
        if (offset < w->happened->first)
            w->happened->first = offset;
        if (offset + t->accesses[i].width - 1 > w->happened->last)
            w->happened->last = offset + t->accesses[i].width - 1;
        offset += MOST_OFFSETS;
        for (int64_t k = offset; k < offset + t->accesses[i].width; k++) {
            if (k < 0 || k >= 2 * MOST_OFFSETS) {
                w->too_much = true;
                return;
            }
            w->happened->elements += seen[k] != now;
            seen[k] = now;
        }
    }
}

static void visit(struct walk *w)
{
    size_t at = 0;
    uint64_t bit = UINT64_C(1) << w->lane;

    for (size_t i = 0; i < 3; i++)
        at = at * MOST_TRIPS + (size_t)w->values[AT_LOOP + i];
    if (!iterations[at].active)
        touched[w->n_touched++] = at;
    iterations[at].active |= bit;
    if (tree_value(w->t->branch, w->values))
        iterations[at].held |= bit;
}

static void walk(struct walk *w, size_t level, size_t loop)
{
    const struct level *l = &w->t->levels[level];
    int64_t trips;

    if (w->left-- <= 0 || w->too_much) {
        w->too_much = true;
        return;
    }
    touch(w, level);
    if (level == w->t->n_levels) {
        visit(w);
        return;
    }
    trips = tree_value(l->what, w->values);
    if (!l->is_loop) {
        if (trips)
            walk(w, level + 1, loop);
        return;
    }
    if (trips > MOST_TRIPS) {
        w->too_much = true;
        return;
    }
    for (int64_t i = 0; i < trips; i++) {
        w->values[AT_LOOP + loop] = i;
        walk(w, level + 1, loop + 1);
    }
    w->values[AT_LOOP + loop] = 0;
}

static void count_iteration(struct happened *happened, const struct lanes *lanes)
{
    happened->work_items += __builtin_popcountll(lanes->active);
    happened->groups++;
    for (size_t i = 0; i < N_SUB_GROUP_SIZES; i++)
        for (int64_t first = 0; first < 64; first += sub_group_sizes[i]) {
            uint64_t mask = ((UINT64_C(1) << sub_group_sizes[i]) - 1) << first;
            uint64_t active = lanes->active & mask, held = lanes->held & mask;

            happened->sub_groups[i] += active != 0;
            happened->differing[i] += held != 0 && held != active;
        }
}

static void walk_group(struct walk *w)
{
    const int64_t *local = w->t->local;
    int64_t n = 1;

    w->n_touched = 0;
    now += w->t->in_local;
    for (size_t d = 0; d < w->t->n_dims; d++)
        n *= local[d];
    for (int64_t lane = 0; lane < n; lane++) {
        int64_t rest = lane;

        for (size_t d = 0; d < w->t->n_dims; d++) {
            w->values[AT_LID + d] = rest % local[d];
            rest /= local[d];
        }
        w->lane = (size_t)lane;
        walk(w, 0, 0);
    }
    for (size_t i = 0; i < w->n_touched; i++) {
        count_iteration(w->happened, &iterations[touched[i]]);
        iterations[touched[i]] = (struct lanes){ 0, 0 };
    }
}

bool case_walk(const struct test_case *t, int64_t n, int64_t m, struct happened *happened)
{
    struct walk w = {
        .t = t, .happened = happened, .values = { n, m }, .left = MOST_VISITS
    };
    int64_t groups[3] = { 1, 1, 1 };

    *happened = (struct happened){ .first = INT64_MAX, .last = INT64_MIN };
    now++;
    for (size_t d = 0; d < t->n_dims; d++)
        groups[d] = tree_value(t->groups[d], w.values);
    for (int64_t i = 0; i < groups[0] * groups[1] * groups[2]; i++) {
        int64_t ids[3] = { i % groups[0], i / groups[0] % groups[1],
                           i / groups[0] / groups[1] };

        memcpy(&w.values[AT_GID], ids, sizeof(ids));
        walk_group(&w);
    }
    return !w.too_much;
}
