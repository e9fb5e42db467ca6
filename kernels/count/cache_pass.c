/* cache_pass.c - passes of accesses to global memory over the banks of a first-level cache
 *
 * A first-level cache that shares its memory with local memory has the same banks: of a
 * line, word w is in bank w mod n_banks.  Lanes in different rows meet in a bank when the
 * length of a row is a multiple of a power of two: of r rows whose stride has g bytes as
 * its largest common divisor with all banks' b bytes, r*g/b begin in the same bank.
 */
#include <math.h>

#include "kernels/model/dtype.h"
#include "kernels/count/private.h"

enum { WORD_BYTES = 4 };

/* The distinct rows. */
static int64_t measure_rows(const struct gcal_lanes *lanes, int64_t residue, void *data)
{
    int64_t rows = 0;

    (void)residue;
    (void)data;
    for (size_t i = 0; i < lanes->n; i++) {
        size_t j = 0;

        while (j < i && lanes->row[j] != lanes->row[i])
            j++;
        rows += j == i;
    }
    return rows;
}

/* 1 where p is a multiple of 'number', else 0. */
static const struct gcal_poly *is_multiple(struct gcal_poly_context *c,
                                           const struct gcal_poly *p, int64_t number)
{
    const struct gcal_poly *before = gcal_poly_sub(c, p, gcal_poly_integer(c, 1));

    return gcal_poly_sub(c, gcal_poly_floor(c, p, number),
                         gcal_poly_floor(c, before, number));
}

/* The largest common divisor of all strides and 'most', a power of two. */
static const struct gcal_poly *divisor(struct gcal_poly_context *c,
                                       const struct gcal_lanes_strides *strides,
                                       int64_t most)
{
    const struct gcal_poly *sum = gcal_poly_integer(c, 1);

    for (int64_t k = 2; k <= most; k *= 2) {
        const struct gcal_poly *divides = gcal_poly_integer(c, 1);

        for (size_t i = 0; i < strides->n; i++)
            divides = gcal_poly_mul(c, divides, is_multiple(c, strides->all[i], k));
        sum = gcal_poly_add(c, sum, gcal_poly_scale(c, divides, k / 2, 1));
    }
    return sum;
}

static bool is_power_of_two(int64_t n)
{
    return n > 0 && (n & (n - 1)) == 0;
}

/* The sum over executions by sub-groups; by those complete, on average, otherwise.  NULL:
 * unknown.
 */
static const struct gcal_poly *sum_rows(struct gcal_count_builder *m,
                                        const struct gcal_sets_access_event *e,
                                        const struct gcal_poly *executions)
{
    struct gcal_lanes_sum sum = { .modulus = 1,
                                  .width = e->width,
                                  .measure = measure_rows };
    const struct gcal_poly *rows = gcal_lanes_sum(m->nest, e, &sum);

    if (rows)
        return rows;
    sum.all_lanes = true;
    rows = gcal_lanes_sum(m->nest, e, &sum);
    return rows ? gcal_poly_mul(m->c, executions, rows) : NULL;
}

/* One pass for each execution, or more where rows meet in a bank. */
static const struct gcal_poly *sum_conflicts(struct gcal_count_builder *m,
                                             const struct gcal_sets_access_event *e,
                                             const struct gcal_lanes_strides *strides,
                                             const struct gcal_poly *executions)
{
    int64_t all = (int64_t)m->request->n_banks * WORD_BYTES;
    int64_t bytes = (int64_t)gcal_dtype_size(e->dtype);
    const struct gcal_poly *rows = sum_rows(m, e, executions), *passes;

    if (!rows || !is_power_of_two(all) || !is_power_of_two(bytes) || bytes >= all ||
        !gcal_count_builder_begin_attempt(m))
        return executions;
    passes = gcal_poly_mul(m->c, rows, divisor(m->c, strides, all / bytes));
    passes = gcal_poly_max(m->c, executions, gcal_poly_scale(m->c, passes, bytes, all));
    passes = gcal_count_builder_end_attempt(m, passes);
    return passes ? passes : executions;
}

/* Passes of lanes in one row: those of complete sub-groups, on average, where the lanes
 * that take part are unknown; one for each execution where their distances are, unless these
 * depend on data.
 */
static struct gcal_count_counter sum_passes(struct gcal_count_builder *m,
                                            const struct gcal_sets_access_event *e,
                                            const struct gcal_poly *executions)
{
    struct gcal_count_counter counter = { gcal_count_access_passes(m, e), false };
    const struct gcal_poly *mean;

    if (e->on_data && (!e->near || gcal_sets_differs_by_lane(m->nest, e->near))) {
        mean = gcal_poly_integer(m->c, lround(1000 * gcal_count_random_most(m, e)));
        mean = gcal_poly_scale(m->c, mean, 1, 1000);
        return (struct gcal_count_counter){ gcal_poly_mul(m->c, executions, mean), true };
    }
    if (counter.count && !gcal_count_builder_is_long(m, counter.count))
        return counter;
    mean = gcal_count_mean_passes(m, e);
    counter.count = mean ? gcal_poly_mul(m->c, executions, mean) : executions;
    counter.estimated = true;
    return counter;
}

struct gcal_count_counter gcal_count_cache_passes(struct gcal_count_builder *m,
                                                  const struct gcal_sets_access_event *e)
{
    bool estimated = false;
    struct gcal_lanes_strides strides = { 0 };
    const struct gcal_poly *executions =
        gcal_sets_scope_count(m->nest, e->scope, GCAL_SETS_COUNT_SUB_GROUPS, &estimated);

    if (!executions)
        return gcal_count_counter_zero(m);
    gcal_lanes_find_strides(m->nest, e, &strides);
    return strides.n
               ? (struct gcal_count_counter){ sum_conflicts(m, e, &strides, executions),
                                              true }
               : sum_passes(m, e, executions);
}
