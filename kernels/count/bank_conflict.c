/* bank_conflict.c - bank conflicts of local memory
 *
 * Local memory has n_banks banks of 32-bit words, word w in bank w mod n_banks.  A bank
 * serves one word per pass, to all lanes that access it.  So the passes of a sub-group's
 * access are the distinct words in the bank that has most of them; of an atomic operation,
 * the lanes in that bank.
 *
 * Where a subscript depends on data, lanes are taken to be at random places of its range:
 * the mean is that of a fixed number of throws, within about half a per cent of the
 * expectation.
 */
#include <math.h>
#include <stdlib.h>

#include "kernels/base/error.h"
#include "kernels/base/random.h"
#include "kernels/model/dtype.h"
#include "kernels/count/private.h"

enum { WORD_BYTES = 4, THROWS = 2048 };

/* Places of a range that is not known: so many that lanes do not meet on one. */
#define MANY_VALUES ((int64_t)1 << 24)

/* Sorted by bank, then by word. */
struct word {
    int64_t bank, word;
};

static int compare_words(const void *a, const void *b)
{
    const struct word *x = a, *y = b;

    if (x->bank != y->bank)
        return x->bank < y->bank ? -1 : 1;
    return (x->word > y->word) - (x->word < y->word);
}

size_t gcal_count_bank_conflict(size_t n_lanes, const int64_t *offset, size_t bytes,
                                size_t n_banks, bool atomic)
{
    size_t most_words = (bytes + WORD_BYTES - 1) / WORD_BYTES + 1, n = 0, ways = 0;
    struct word *words = calloc(n_lanes * most_words, sizeof(*words));
    size_t in_bank = 0;

    if (!words)
        return 0;
    for (size_t lane = 0; lane < n_lanes; lane++) {
        int64_t first = gcal_poly_floor_divide(offset[lane], WORD_BYTES);
        int64_t last =
            gcal_poly_floor_divide(offset[lane] + (int64_t)bytes - 1, WORD_BYTES);

        for (int64_t w = first; w <= last; w++) {
            int64_t banks = (int64_t)n_banks;

            words[n++] = (struct word){ w - banks * gcal_poly_floor_divide(w, banks), w };
        }
    }
    qsort(words, n, sizeof(*words), compare_words);
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && words[i].word == words[i - 1].word && !atomic)
            continue;
        in_bank = i > 0 && words[i].bank == words[i - 1].bank ? in_bank + 1 : 1;
        ways = in_bank > ways ? in_bank : ways;
    }
    free(words);
    return ways;
}

/* Whether lanes at one word are served one after another. */
static bool is_apart(const struct gcal_sets_access_event *e)
{
    return e->atomic && !e->joins;
}

/* A lane's offset from the first one's, in elements; false when it is not constant. */
static bool lane_distance(struct gcal_count_builder *m, const struct gcal_poly *offset,
                          int64_t lane, const struct gcal_poly *first, int64_t *distance)
{
    const struct gcal_sets_nest *nest = m->nest;

    for (size_t d = 0; d < nest->n_dims; d++) {
        int64_t size = nest->local_size[d];

        offset = gcal_poly_substitute(m->c, offset, gcal_poly_atom_index(nest->lid[d]),
                                      gcal_poly_integer(m->c, lane % size));
        lane /= size;
    }
    return gcal_poly_is_constant(gcal_poly_sub(m->c, offset, first), distance);
}

static const struct gcal_poly *first_lane(struct gcal_count_builder *m,
                                          const struct gcal_poly *offset)
{
    for (size_t d = 0; d < m->nest->n_dims; d++)
        offset = gcal_poly_substitute(m->c, offset, gcal_poly_atom_index(m->nest->lid[d]),
                                      gcal_poly_integer(m->c, 0));
    return offset;
}

size_t gcal_count_access_bank_conflict(struct gcal_count_builder *m,
                                       const struct gcal_sets_access_event *event)
{
    size_t lanes = m->request->sub_group_size, ways = 0;
    size_t items = (size_t)gcal_sets_nest_group_items(m->nest);
    size_t bytes = gcal_dtype_size(event->dtype);
    const struct gcal_poly *first;
    int64_t *offset;
    bool known = true;

    if (!event->offset)
        return 0;
    lanes = lanes < items ? lanes : items;
    if (!(offset = calloc(lanes, sizeof(*offset))))
        return 0;
    first = first_lane(m, event->offset);
    for (size_t i = 0; i < lanes && known; i++) {
        known = lane_distance(m, event->offset, (int64_t)i, first, &offset[i]);
        offset[i] *= (int64_t)bytes;
    }
    if (known)
        ways = gcal_count_bank_conflict(lanes, offset, bytes * (size_t)event->width,
                                        m->request->n_banks, is_apart(event));
    free(offset);
    return ways;
}

/* ---- random places ---- */

double gcal_count_random_bank_conflict(size_t n_lanes, const int64_t *apart,
                                       const struct gcal_sets_range *sum, int64_t values,
                                       int64_t unit, size_t bytes, size_t n_banks,
                                       bool atomic)
{
    int64_t *offset = calloc(n_lanes, sizeof(*offset)), row = 0;
    uint64_t state = 0;
    size_t all = 0;

    for (size_t i = 0; offset && i < THROWS; i++) {
        for (size_t lane = 0; lane < n_lanes; lane++) {
            int64_t k = 0;

            if (!sum || !gcal_count_throw(sum, &state, &k, &row))
                k = (int64_t)(gcal_random_next(&state) % (uint64_t)values);
            offset[lane] = apart[lane] + unit * k;
        }
        all += gcal_count_bank_conflict(n_lanes, offset, bytes, n_banks, atomic);
    }
    free(offset);
    return (double)all / THROWS;
}

/* The parts of lanes' offsets that do not depend on data, in bytes; false where they are not
 * known but for a part that all lanes have.
 */
static bool find_apart(struct gcal_count_builder *m, const struct gcal_poly *apart,
                       size_t lanes, int64_t bytes, int64_t *offset)
{
    const struct gcal_poly *first = first_lane(m, apart);

    for (size_t i = 0; i < lanes; i++) {
        if (!lane_distance(m, apart, (int64_t)i, first, &offset[i]))
            return false;
        offset[i] *= bytes;
    }
    return true;
}

/* A complete sub-group at random places of what a subscript may be. */
struct throw
{
    size_t lanes;
    int64_t *apart, values,
        unit; /* values: 0 where a size decides, MANY_VALUES: anything */
    const struct gcal_poly *size;
    struct gcal_sets_range sum; /* of ranges whose numbers are known; or none */
};

/* False where memory is out. */
static bool find_throw(struct gcal_count_builder *m,
                       const struct gcal_sets_access_event *e, struct throw *to)
{
    int64_t bytes = (int64_t)gcal_dtype_size(e->dtype);
    size_t items = (size_t)gcal_sets_nest_group_items(m->nest);
    struct gcal_sets_range range;
    uint64_t random = 0;
    int64_t at = 0, row = 0;

    *to = (struct throw){ .lanes = m->request->sub_group_size,
                          .values = MANY_VALUES,
                          .unit = e->width };
    to->lanes = to->lanes < items ? to->lanes : items;
    if (!(to->apart = calloc(to->lanes, sizeof(*to->apart)))) {
        m->failed = true;
        gcal_error_memory(m->err);
        return false;
    }
    if (gcal_count_find_range(m, e, &range) &&
        gcal_poly_is_constant(range.unit, &to->unit) && to->unit &&
        find_apart(m, range.apart, to->lanes, bytes, to->apart)) {
        to->size = range.values;
        if (!gcal_poly_is_constant(range.values, &to->values))
            to->values = 0;
        else if (to->values < 1 || to->values > MANY_VALUES)
            to->values = to->values < 1 ? 1 : MANY_VALUES;
        if (range.a && gcal_count_throw(&range, &random, &at, &row)) {
            to->sum = range;
            to->unit = 1;
        }
    } else {
        to->unit = e->width;
    }
    to->unit *= bytes;
    return true;
}

static double mean_of(const struct gcal_count_builder *m,
                      const struct gcal_sets_access_event *e, const struct throw *of,
                      int64_t values)
{
    return gcal_count_random_bank_conflict(
        of->lanes, of->apart, of->sum.a ? &of->sum : NULL, values, of->unit,
        gcal_dtype_size(e->dtype) * (size_t)e->width, m->request->n_banks, is_apart(e));
}

double gcal_count_random_most(struct gcal_count_builder *m,
                              const struct gcal_sets_access_event *e)
{
    struct throw of;
    double most = 1;

    if (find_throw(m, e, &of))
        most = mean_of(m, e, &of, of.values ? of.values : MANY_VALUES);
    free(of.apart);
    return most;
}

const char *gcal_count_random_ways(struct gcal_count_builder *m,
                                   const struct gcal_sets_access_event *e)
{
    /* elements in which each bank has a word, or a byte of each */
    int64_t all = (int64_t)m->request->n_banks * WORD_BYTES;
    struct throw of;
    const char *text = "1";
    double most, two;

    if (!find_throw(m, e, &of))
        return text;
    most = mean_of(m, e, &of, of.values ? of.values : MANY_VALUES);
    text = gcal_poly_format(m->c, "%.3f", most);
    all = all / of.unit > 1 ? all / of.unit : 1;
    two = of.values ? most : mean_of(m, e, &of, 2 * all);
    if (!of.values && two - 1 > 0.001 && most - two > 0.001)
        text = gcal_poly_format(m->c, "(1+%.3f*(1-%lld/max(%lld,%s))^%.3f)", most - 1,
                                (long long)all, (long long)all,
                                gcal_count_builder_name_text(m, of.size),
                                log2((most - 1) / (two - 1)));
    free(of.apart);
    return text;
}

/* ---- passes by the lanes that take part ---- */

struct passes {
    int64_t bytes, width; /* of an element; elements per lane */
    size_t n_banks;
    bool atomic;
    int64_t *offset;
    size_t capacity;
};

static int64_t measure_passes(const struct gcal_lanes *lanes, int64_t residue, void *data)
{
    struct passes *p = data;

    if (lanes->n > p->capacity) {
        int64_t *moved = reallocarray(p->offset, lanes->n, sizeof(*moved));

        if (!moved)
            return 0;
        p->offset = moved;
        p->capacity = lanes->n;
    }
    for (size_t i = 0; i < lanes->n; i++)
        p->offset[i] = (lanes->at[i] + residue) * p->bytes;
    return (int64_t)gcal_count_bank_conflict(
        lanes->n, p->offset, (size_t)(p->bytes * p->width), p->n_banks, p->atomic);
}

int64_t gcal_count_pass_period(const struct gcal_sets_access_event *event)
{
    int64_t bytes = (int64_t)gcal_dtype_size(event->dtype);

    return bytes < WORD_BYTES ? WORD_BYTES / bytes : 1;
}

/* By all executions, or with 'all_lanes' the mean of one by all lanes; NULL: unknown, or
 * an estimate of the former.
 */
static const struct gcal_poly *sum_passes(struct gcal_count_builder *m,
                                          const struct gcal_sets_access_event *event,
                                          bool all_lanes)
{
    struct passes passes = { .bytes = (int64_t)gcal_dtype_size(event->dtype),
                             .width = event->width,
                             .n_banks = m->request->n_banks,
                             .atomic = is_apart(event) };
    struct gcal_lanes_sum sum = { .modulus = gcal_count_pass_period(event),
                                  .width = event->width,
                                  .measure = measure_passes,
                                  .data = &passes,
                                  .all_lanes = all_lanes };
    const struct gcal_poly *count = gcal_lanes_sum(m->nest, event, &sum);

    free(passes.offset);
    return sum.rows || (!all_lanes && sum.known < sum.modulus) ? NULL : count;
}

const struct gcal_poly *
gcal_count_access_passes(struct gcal_count_builder *m,
                         const struct gcal_sets_access_event *event)
{
    return sum_passes(m, event, false);
}

const struct gcal_poly *
gcal_count_sample_passes(struct gcal_count_builder *m,
                         const struct gcal_sets_access_event *event)
{
    struct gcal_sets_access_event near = gcal_count_near_event(event);
    struct passes passes = { .bytes = (int64_t)gcal_dtype_size(event->dtype),
                             .width = event->width,
                             .n_banks = m->request->n_banks,
                             .atomic = is_apart(event) };
    struct gcal_lanes_sum sum = { .measure = measure_passes, .data = &passes };
    const struct gcal_poly *mean = gcal_lanes_sample(m->nest, &near, &sum);

    free(passes.offset);
    return mean;
}

const struct gcal_poly *gcal_count_mean_passes(struct gcal_count_builder *m,
                                               const struct gcal_sets_access_event *event)
{
    return sum_passes(m, event, true);
}
