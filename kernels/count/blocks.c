/* blocks.c - the aligned blocks of memory that the lanes of a sub-group access together */
#include <stdlib.h>

#include "kernels/base/array.h"
#include "kernels/count/private.h"

/* An element, or a block, of a row. */
struct gcal_count_block {
    int64_t row, at;
};

static int compare(const void *a, const void *b)
{
    const struct gcal_count_block *x = a, *y = b;

    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

static bool same(const struct gcal_count_block *a, const struct gcal_count_block *b)
{
    return a->row == b->row && a->at == b->at;
}

static bool add(struct gcal_count_blocks *b, size_t n, int64_t row, int64_t at)
{
    struct gcal_count_block *moved =
        gcal_array_grow(b->all, n, &b->capacity, sizeof(*moved), NULL);

    if (!moved) {
        b->failed = true;
        return false;
    }
    b->all = moved;
    moved[n] = (struct gcal_count_block){ row, at };
    return true;
}

static void sort(struct gcal_count_blocks *b, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (compare(&b->all[i - 1], &b->all[i]) > 0) {
            qsort(b->all, n, sizeof(*b->all), compare);
            return;
        }
}

int64_t gcal_count_blocks_measure(const struct gcal_lanes *lanes, int64_t residue,
                                  void *data)
{
    struct gcal_count_blocks *b = data;
    int64_t unit = b->what == GCAL_COUNT_BLOCKS ? b->size : 1;
    size_t n = 0;

    for (size_t i = 0; i < lanes->n; i++) {
        int64_t first = lanes->at[i] + residue;

        for (int64_t at = gcal_poly_floor_divide(first, unit);
             at <= gcal_poly_floor_divide(first + b->width - 1, unit); at++)
            if (!add(b, n++, lanes->row[i], at))
                return 0;
    }
    sort(b, n);
    switch (b->what) {
    case GCAL_COUNT_BLOCKS_PARTIAL: {
        /* Of sorted elements, the blocks that have fewer elements than their size. */
        int64_t partial = 0, covered = 0;
        struct gcal_count_block last = { 0, 0 };

        for (size_t i = 0; i < n; i++) {
            struct gcal_count_block block = { b->all[i].row, gcal_poly_floor_divide(
                                                                 b->all[i].at, b->size) };

            if (i > 0 && same(&b->all[i], &b->all[i - 1]))
                continue;
            if (covered && !same(&block, &last)) {
                partial += covered < b->size;
                covered = 0;
            }
            last = block;
            covered++;
        }
        return partial + (covered && covered < b->size);
    }
    case GCAL_COUNT_BLOCKS_MEETING: {
        /* Of each block the most lanes on one element. */
        struct gcal_count_block last = { 0 };
        int64_t sum = 0, most = 0, run = 0;

        for (size_t i = 0; i < n; i++) {
            struct gcal_count_block block = { b->all[i].row, gcal_poly_floor_divide(
                                                                 b->all[i].at, b->size) };

            if (i > 0 && !same(&block, &last)) {
                sum += most;
                most = 0;
            }
            run = i > 0 && same(&b->all[i], &b->all[i - 1]) ? run + 1 : 1;
            most = run > most ? run : most;
            last = block;
        }
        return sum + most;
    }
    default: {
        int64_t distinct = 0;

        for (size_t i = 0; i < n; i++)
            distinct += i == 0 || !same(&b->all[i], &b->all[i - 1]);
        return distinct;
    }
    }
}
