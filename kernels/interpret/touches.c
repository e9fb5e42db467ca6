/* touches.c - counts of what work-items access, from a sample of work-groups */
#include "kernels/interpret/touches.h"

#include <math.h>
#include <stdlib.h>

void gcal_interp_touches_clear(struct gcal_interp_touches *t)
{
    free(t->all);
    t->all = NULL;
    t->n = t->capacity = 0;
}

uint64_t gcal_interp_touch_mix(uint64_t a, uint64_t b)
{
    a = (a ^ b) * 0x9e3779b97f4a7c15;
    return (a ^ a >> 29) * 0xbf58476d1ce4e5b9 ^ a >> 32;
}

static int compare_blocks(const void *a, const void *b)
{
    const struct gcal_interp_block *x = a, *y = b;

    if (x->within != y->within)
        return x->within < y->within ? -1 : 1;
    return (x->block > y->block) - (x->block < y->block);
}

size_t gcal_interp_sort_blocks(size_t n, struct gcal_interp_block *blocks)
{
    size_t n_left = 0;

    if (n)
        qsort(blocks, n, sizeof(*blocks), compare_blocks);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || compare_blocks(&blocks[i], &blocks[n_left - 1]) != 0)
            blocks[n_left++] = blocks[i];
    return n_left;
}

static size_t count_execution(size_t n, const struct gcal_interp_block *words,
                              size_t n_banks, size_t *most)
{
    size_t in_bank[n_banks], end = 0;

    for (size_t b = 0; b < n_banks; b++)
        in_bank[b] = 0;
    *most = 0;
    for (; end < n && words[end].within == words[0].within; end++) {
        size_t of_bank = ++in_bank[(uint64_t)words[end].block % n_banks];

        *most = of_bank > *most ? of_bank : *most;
    }
    return end;
}

double gcal_interp_count_passes(size_t n, const struct gcal_interp_block *words,
                                size_t n_banks)
{
    double passes = 0;
    size_t most;

    for (size_t i = 0; i < n; passes += (double)most)
        i += count_execution(n - i, words + i, n_banks, &most);
    return passes;
}

static int64_t divide(int64_t a, int64_t b)
{
    return a >= 0 ? a / b : -((b - 1 - a) / b);
}

static uint64_t within(const struct gcal_interp_touches *t,
                       const struct gcal_interp_touch *touch,
                       const struct gcal_interp_measure *m)
{
    uint64_t lanes =
        touch->item / (m->private_lanes ? m->private_lanes : t->sub_group_size) + 1;

    switch (m->within) {
    case GCAL_INTERP_WITHIN_EXECUTION:
        return gcal_interp_touch_mix(gcal_interp_touch_mix(touch->site, lanes),
                                     touch->instance);
    case GCAL_INTERP_WITHIN_LOOP:
        return gcal_interp_touch_mix(lanes, touch->loop);
    case GCAL_INTERP_WITHIN_SUB_GROUP:
        return lanes;
    default:
        return 0;
    }
}

/* Blocks of the group's touches from 'first' on, in 'blocks' with room for all of them. */
static size_t collect_blocks(const struct gcal_interp_touches *t, const bool *chosen,
                             size_t unit, const struct gcal_interp_measure *m,
                             size_t first, size_t end, struct gcal_interp_block *blocks)
{
    size_t n = 0;

    for (size_t i = first; i < end; i++) {
        const struct gcal_interp_touch *touch = &t->all[i];
        int64_t last;

        if (!chosen[touch->site])
            continue;
        last = divide(touch->offset + (int64_t)t->sites[touch->site].bytes - 1,
                      (int64_t)unit);
        for (int64_t at = divide(touch->offset, (int64_t)unit); at <= last; at++)
            blocks[n++] = (struct gcal_interp_block){ within(t, touch, m), at };
    }
    return n;
}

/* Room for the blocks of any group; NULL: out of memory. */
static struct gcal_interp_block *make_room(const struct gcal_interp_touches *t,
                                           size_t unit)
{
    size_t most = 1;

    for (size_t i = 0; i < t->n_sites; i++)
        most = t->sites[i].bytes > most ? t->sites[i].bytes : most;
    return calloc((t->n + 1) * (most / unit + 2), sizeof(struct gcal_interp_block));
}

static size_t find_end(const struct gcal_interp_touches *t, size_t first)
{
    size_t end = first;

    while (end < t->n && t->all[end].group == t->all[first].group)
        end++;
    return end;
}

/* Of sorted units, the blocks of 'per_block' of them that have less. */
static double count_partial(size_t n, const struct gcal_interp_block *units,
                            int64_t per_block)
{
    double partial = 0;

    for (size_t i = 0, end; i < n; i = end) {
        for (end = i;
             end < n && units[end].within == units[i].within &&
             divide(units[end].block, per_block) == divide(units[i].block, per_block);)
            end++;
        partial += (int64_t)(end - i) < per_block;
    }
    return partial;
}

/* Of sorted elements, as often as lanes are on each. */
static double count_meetings(size_t n, const struct gcal_interp_block *elements,
                             const struct gcal_interp_measure *m)
{
    const size_t n_places = m->n_banks ? 4 * m->n_banks / m->element : 1;
    const int64_t per_block = (int64_t)(m->bytes / m->element);
    size_t on[n_places];
    double sum = 0;

    for (size_t i = 0, first; i < n;) {
        size_t most = 0;

        first = i;
        for (size_t k = 0; k < n_places; k++)
            on[k] = 0;
        while (i < n && elements[i].within == elements[first].within &&
               (!per_block || divide(elements[i].block, per_block) ==
                                  divide(elements[first].block, per_block))) {
            size_t at = (uint64_t)elements[i].block % n_places, end = i + 1;

            while (end < n && compare_blocks(&elements[end], &elements[i]) == 0)
                end++;
            on[at] = (m->n_banks ? on[at] : 0) + (m->is_once ? 1 : end - i);
            most = on[at] > most ? on[at] : most;
            i = end;
        }
        sum += (double)most;
    }
    return sum;
}

/* The launch's, from sums over parts; 'n' groups are in them. */
static void extrapolate(const struct gcal_interp_touches *t, size_t n_parts,
                        size_t n_groups, const double *sums,
                        struct gcal_interp_counted *counted)
{
    double parts = (double)n_parts, n = (double)n_groups, all = (double)t->n_all;
    double sum = 0, squares = 0;

    for (size_t i = 0; i < n_parts; i++)
        sum += sums[i];
    for (size_t i = 0; i < n_parts; i++)
        squares += (sums[i] - sum / parts) * (sums[i] - sum / parts);
    *counted = (struct gcal_interp_counted){ sum / n * all, 0 };
    if (n < all)
        counted->error = parts < 2 ? 1
                         : sum > 0
                             ? sqrt(squares * parts / (parts - 1) * (1 - n / all)) / sum
                             : 0;
}

bool gcal_interp_touches_count(const struct gcal_interp_touches *t, const bool *chosen,
                               const struct gcal_interp_measure *m,
                               struct gcal_interp_counted *counted)
{
    size_t unit = m->element ? m->element : m->n_banks ? 4 : m->partial ? 1 : m->bytes;
    struct gcal_interp_block *blocks = make_room(t, unit);
    double sums[GCAL_INTERP_MOST_GROUPS] = { 0 };
    size_t n_groups = m->private_lanes ? t->n_private_groups : t->n_groups;
    size_t n_parts = m->private_lanes ? n_groups : t->n_parts;
    size_t per_part = n_parts ? n_groups / n_parts : 0;

    if (!blocks || !n_parts) {
        free(blocks);
        return false;
    }
    for (size_t i = 0, end; i < t->n && t->all[i].group < n_groups; i = end) {
        double *sum = &sums[t->all[i].group / per_part];
        size_t n;

        end = find_end(t, i);
        n = collect_blocks(t, chosen, unit, m, i, end, blocks);
        if (m->element) {
            qsort(blocks, n, sizeof(*blocks), compare_blocks);
            *sum += count_meetings(n, blocks, m);
            continue;
        }
        n = gcal_interp_sort_blocks(n, blocks);
        *sum += m->n_banks   ? gcal_interp_count_passes(n, blocks, m->n_banks)
                : m->partial ? count_partial(n, blocks, (int64_t)(m->bytes / unit))
                             : (double)n;
    }
    free(blocks);
    extrapolate(t, n_parts, n_groups, sums, counted);
    counted->count *= m->private_lanes ? (double)t->n_sub_groups : 1;
    return true;
}

/* ---- groups together ---- */

static size_t count_common(size_t n, const struct gcal_interp_block *a, size_t m,
                           const struct gcal_interp_block *b)
{
    size_t common = 0;

    for (size_t i = 0, k = 0; i < n && k < m;) {
        common += a[i].block == b[k].block;
        if (a[i].block <= b[k].block)
            i++;
        else
            k++;
    }
    return common;
}

static int compare_places(const void *a, const void *b)
{
    const struct gcal_interp_block *x = a, *y = b;

    return (x->block > y->block) - (x->block < y->block);
}

/* Of 'n' groups' blocks, all that the launch's groups would have: Chao's estimate of those that
 * none of them has, from the blocks that one and two of them have, and how many of these 'more'
 * groups find.
 */
static double extrapolate_blocks(size_t n_blocks, struct gcal_interp_block *blocks,
                                 double n, double more)
{
    double all = 0, one = 0, two = 0, none;

    if (n_blocks)
        qsort(blocks, n_blocks, sizeof(*blocks), compare_places);
    for (size_t i = 0, end; i < n_blocks; i = end) {
        for (end = i; end < n_blocks && blocks[end].block == blocks[i].block;)
            end++;
        all++;
        one += end - i == 1;
        two += end - i == 2;
    }
    if (two == 0) /* how many there are is not known, or all are in all groups */
        return one > 0 ? INFINITY : all;
    none = (n - 1) / n * one * one / (2 * two);
    return none > 0 ? all + none * -expm1(more * log1p(-one / (n * none + one))) : all;
}

/* Of each group in the sample. */
struct group_blocks {
    size_t n;
    struct gcal_interp_block *all;
};

/* The share of blocks that a group has and the one before it along each axis has not. */
static void find_fresh(const struct gcal_interp_touches *t, const struct group_blocks *of,
                       double *fresh)
{
    double common[GCAL_MAX_DIMS] = { 0 }, all[GCAL_MAX_DIMS] = { 0 };
    size_t per_part = t->n_groups / t->n_parts;

    for (size_t a = 0; a < t->n_groups; a += per_part)
        for (size_t d = 0, stride = 1, b = a; d < GCAL_MAX_DIMS;
             stride *= t->extents[d++]) {
            if (t->extents[d] == 1)
                continue;
            b = t->n_groups == t->n_all ? a + stride : b + 1;
            if (t->groups[a] / stride % t->extents[d] + 1 == t->extents[d])
                continue; /* the last one */
            common[d] += (double)count_common(of[a].n, of[a].all, of[b].n, of[b].all);
            all[d] += (double)of[b].n;
        }
    for (size_t d = 0; d < GCAL_MAX_DIMS; d++)
        fresh[d] = all[d] > 0 ? 1 - common[d] / all[d] : 1;
}

/* The launch: by what neighbours do not share along each axis; by what groups at random do not;
 * and at most the places from the first to the last one, which lie further apart than those of the
 * sample where its groups lie apart.
 */
static double find_launch(const struct gcal_interp_touches *t,
                          const struct group_blocks *of, struct gcal_interp_block *room,
                          const struct gcal_interp_overlap *o)
{
    size_t per_part = t->n_groups / t->n_parts, n = 0;
    int64_t least = INT64_MAX, most = INT64_MIN;
    size_t low = t->groups[0], high = low;
    double launch = o->group, own = 0, extent;

    for (size_t g = 0; g < t->n_groups; g++)
        if (of[g].n) {
            int64_t first = of[g].all[0].block, last = of[g].all[of[g].n - 1].block;

            least = first < least ? first : least;
            most = last > most ? last : most;
            own = fmax(own, (double)(last - first + 1));
            low = t->groups[g] < low ? t->groups[g] : low;
            high = t->groups[g] > high ? t->groups[g] : high;
        }
    extent = (double)(most - least + 1);
    if (high > low)
        extent = own + (extent - own) * (double)(t->n_all - 1) / (double)(high - low);
    for (size_t d = 0; d < GCAL_MAX_DIMS; d++)
        launch *= 1 + ((double)t->extents[d] - 1) * o->fresh[d];
    for (size_t g = 0; g < t->n_groups; g += per_part)
        for (size_t i = 0; i < of[g].n; i++)
            room[n++] = of[g].all[i]; /* never behind what is still to be read */
    launch = fmin(launch, extrapolate_blocks(n, room, (double)t->n_parts,
                                             (double)(t->n_all - t->n_parts)));
    return n ? fmin(launch, extent) : 0;
}

bool gcal_interp_touches_overlap(const struct gcal_interp_touches *t, const bool *chosen,
                                 size_t block_bytes, struct gcal_interp_overlap *o)
{
    const struct gcal_interp_measure whole = { .within = GCAL_INTERP_WITHIN_GROUP };
    struct gcal_interp_block *blocks = make_room(t, block_bytes), *to = blocks;
    struct group_blocks of[GCAL_INTERP_MOST_GROUPS] = { 0 };

    if (!blocks)
        return false;
    for (size_t i = 0, end; i < t->n; i = end) {
        struct group_blocks *g = &of[t->all[i].group];

        end = find_end(t, i);
        g->all = to;
        g->n = gcal_interp_sort_blocks(
            collect_blocks(t, chosen, block_bytes, &whole, i, end, to), to);
        to += g->n;
    }
    o->group = (double)(to - blocks) / (double)t->n_groups;
    find_fresh(t, of, o->fresh);
    o->launch = find_launch(t, of, blocks, o);
    free(blocks);
    return true;
}
