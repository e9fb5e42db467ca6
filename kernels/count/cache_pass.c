/* cache_pass.c - passes of accesses to global memory over the banks of a first-level cache
 *
 * A first-level cache that shares its memory with local memory has the same banks: of a
 * line, word w is in bank w mod n_banks.  Lanes in different rows meet in a bank when the
 * length of a row is a multiple of a power of two: of r rows whose stride has g bytes as
 * its largest common divisor with all banks' b bytes, r*g/b begin in the same bank.
 */
#include "calib/model/dtype.h"
#include "kernels/count/private.h"

enum { WORD_BYTES = 4, MOST_STEPS = 20000 };

/* The distinct rows; into 'data' the largest common divisor of the distances between them. */
static int64_t measure_rows(const struct gcal_lanes *lanes, int64_t residue, void *data)
{
    int64_t rows = 0, *apart = data;

    (void)residue;
    for (size_t i = 0; i < lanes->n; i++) {
        size_t j = 0;

        while (j < i && lanes->row[j] != lanes->row[i])
            j++;
        rows += j == i;
        *apart = gcal_poly_gcd(*apart, lanes->row[i] - lanes->row[0]);
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

/* The largest common divisor of p and 'most', a power of two. */
static const struct gcal_poly *divisor(struct gcal_poly_context *c,
                                       const struct gcal_poly *p, int64_t most)
{
    const struct gcal_poly *sum = gcal_poly_integer(c, 1);

    for (int64_t k = 2; k <= most; k *= 2)
        sum = gcal_poly_add(c, sum, gcal_poly_scale(c, is_multiple(c, p, k), k / 2, 1));
    return sum;
}

static bool is_power_of_two(int64_t n)
{
    return n > 0 && (n & (n - 1)) == 0;
}

/* The sum over executions by sub-groups; by those complete, on average, otherwise. */
static const struct gcal_poly *sum_rows(struct gcal_count_builder *m,
                                        const struct gcal_sets_access_event *e,
                                        const struct gcal_poly *executions,
                                        const struct gcal_poly **stride)
{
    int64_t apart = 0;
    struct gcal_lanes_sum sum = {
        .modulus = 1, .width = e->width, .measure = measure_rows, .data = &apart
    };
    const struct gcal_poly *rows = gcal_lanes_sum(m->nest, e, &sum);

    if (!rows) {
        sum.all_lanes = true;
        rows = gcal_lanes_sum(m->nest, e, &sum);
        rows = rows ? gcal_poly_mul(m->c, executions, rows) : NULL;
    }
    *stride = sum.stride ? gcal_poly_scale(m->c, sum.stride, apart ? apart : 1, 1) : NULL;
    return rows;
}

/* The passes of 'rows' whose distance is a multiple of the stride, or 'executions'. */
static const struct gcal_poly *sum_conflicts(struct gcal_count_builder *m, int64_t bytes,
                                             const struct gcal_poly *rows,
                                             const struct gcal_poly *stride,
                                             const struct gcal_poly *executions)
{
    int64_t all = (int64_t)m->request->n_banks * WORD_BYTES;
    const struct gcal_poly *passes;

    if (!is_power_of_two(all) || !is_power_of_two(bytes) || bytes >= all ||
        !gcal_poly_begin_attempt(m->c, MOST_STEPS))
        return executions;
    passes = gcal_poly_mul(m->c, rows, divisor(m->c, stride, all / bytes));
    passes = gcal_poly_max(m->c, executions, gcal_poly_scale(m->c, passes, bytes, all));
    return gcal_poly_end_attempt(m->c) || gcal_count_builder_is_long(m, passes)
               ? executions
               : passes;
}

struct gcal_count_counter gcal_count_cache_passes(struct gcal_count_builder *m,
                                                  const struct gcal_sets_access_event *e)
{
    struct gcal_count_counter counter = { NULL, true };
    bool estimated = false;
    const struct gcal_poly *stride = NULL, *rows = NULL;
    const struct gcal_poly *executions =
        gcal_sets_scope_count(m->nest, e->scope, GCAL_SETS_COUNT_SUB_GROUPS, &estimated);

    if (!executions)
        return gcal_count_counter_zero(m);
    if (e->offset)
        rows = sum_rows(m, e, executions, &stride);
    if (!stride && (counter.count = gcal_count_access_passes(m, e)) &&
        !gcal_count_builder_is_long(m, counter.count))
        return (struct gcal_count_counter){ counter.count, false };
    /* one pass for each execution, or more where rows meet */
    counter.count = rows && stride ? sum_conflicts(m, (int64_t)gcal_dtype_size(e->dtype),
                                                   rows, stride, executions)
                                   : executions;
    return counter;
}
