/* advice.c - the few changes of a kernel that would help most, by its model */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "kernels/base/buf.h"
#include "kernels/model/expr.h"
#include "kernels/model/feature.h"
#include "kernels/model/named_expr.h"
#include "kernels/model/profile.h"
#include "kernels/base/file.h"
#include "mpi/commands/explain/private.h"

/* ---- constants without the suffix f, which make operations on floats double
 *
 * In a source without a double, its constants alone can be: what is computed with them is converted to
 * double and back.
 */

enum { MOST_LINES = 6 };

/* The end of a comment or of a text in quotes that begins at 'at'; 'at' if none does. */
static const char *skip_passive(const char *at)
{
    const char *end;

    if (strncmp(at, "//", 2) == 0)
        return at + strcspn(at, "\n");
    if (strncmp(at, "/*", 2) == 0)
        return (end = strstr(at + 2, "*/")) ? end + 2 : at + strlen(at);
    if (*at != '"')
        return at;
    for (end = at + 1; *end && *end != '"'; end++)
        end += *end == '\\' && end[1];
    return *end ? end + 1 : end;
}

/* Returns whether the number or name of 'length' characters is a constant of type double. */
static bool is_double(const char *word, size_t length)
{
    char last = word[length - 1];

    return isdigit((unsigned char)word[*word == '.']) &&
           strncasecmp(word, "0x", 2) != 0 && !strchr("fFhH", last) &&
           (memchr(word, '.', length) || memchr(word, 'e', length) ||
            memchr(word, 'E', length));
}

static bool is_word(const char *at, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(at, word, length) == 0;
}

/* The length of the name or number at 'at'. */
static size_t measure_word(const char *at)
{
    bool is_number = isdigit((unsigned char)at[*at == '.']);
    size_t n = 0;

    while (isalnum((unsigned char)at[n]) || at[n] == '_' || (is_number && at[n] == '.') ||
           (is_number && n && (at[n] == '+' || at[n] == '-') && strchr("eE", at[n - 1])))
        n++;
    return n;
}

/* "5, 12": the lines of constants of type double, but for other kernels; empty if the text names the
 * type, or includes what may.
 */
static void list_lines(const char *text, const char *kernel, struct gcal_buf *lines)
{
    int line = 1, last = 0, n = 0, depth = 0;
    bool is_kernel = false, is_own = false;

    while (*text) {
        const char *end = skip_passive(text);
        size_t length = end > text ? 0 : measure_word(text);

        if (is_word(text, length, "include") ||
            (length >= 6 && strncmp(text, "double", 6) == 0)) {
            gcal_buf_free(lines);
            return;
        }
        if (!depth &&
            (is_word(text, length, "kernel") || is_word(text, length, "__kernel"))) {
            is_kernel = true;
            is_own = false;
        }
        is_own = is_own || (!depth && is_word(text, length, kernel));
        if (length && is_double(text, length) && line != last && n < MOST_LINES &&
            (!is_kernel || is_own)) {
            gcal_buf_printf(lines, "%s%d%s", n ? ", " : "", line,
                            n + 1 == MOST_LINES ? ", .." : "");
            n++;
            last = line;
        }
        depth += (*text == '{') - (*text == '}');
        is_kernel = is_kernel && (depth || *text != '}');
        end = end > text ? end : text + (length ? length : 1);
        for (; text < end; text++)
            line += *text == '\n';
    }
}

/* Makes a profile that of the kernel with constants of type float, and says so; NULL if its operations on
 * doubles are not due to constants alone.
 */
static const char *find_literals(const struct gcal_explain_case *c,
                                 struct gcal_profile *p)
{
    enum { MOST_BYTES = 16 << 20 };
    const char *file = c->options->count.file, *what = NULL;
    const char *macros = c->options->count.build_options;
    struct gcal_buf lines = { 0 };
    bool has_double = false;
    size_t size;
    char *text;

    for (size_t i = 0; i < p->n_entries; i++) {
        const struct gcal_profile_entry *e = &p->entries[i];

        if (!e->dtype || strcmp(e->dtype, "float64") != 0)
            continue;
        if (!gcal_feature_is_op(e->kind))
            return NULL;
        has_double = true;
    }
    if (!file || !has_double || (macros && strstr(macros, "double")) ||
        !(text = gcal_file_read(file, MOST_BYTES, &size, NULL)))
        return NULL;
    list_lines(text, p->kernel, &lines);
    free(text);
    for (size_t i = 0; lines.size && i < p->n_entries; i++) {
        struct gcal_profile_entry *e = &p->entries[i];

        if (!e->dtype || strcmp(e->dtype, "float64") != 0)
            continue;
        memcpy(e->dtype, "float32", sizeof("float32"));
        if (strcmp(e->op, "convert") == 0)
            memcpy(e->count, "0", sizeof("0"));
    }
    if (lines.size)
        what = gcal_arena_format(c->arena,
                                 "constants of type float (1.5f): those of type double "
                                 "(line %s) make operations on floats double",
                                 lines.data);
    gcal_buf_free(&lines);
    return what;
}

/* ---- the few changes of a kernel that would help most, by its model ---- */

enum {
    MOST_ADVICE = 6,
    MOST_CLASSES = 3, /* of costs that are halved */
};

/* Changes that gain less than this share of the time are not worth a line. */
#define LEAST_GAIN 0.01

/* Costs with a part of the time below this are not worth a trial. */
#define LEAST_PART 0.03

/* ---- more resident work-groups ---- */

/* The largest value of the lab's 'what' below its own at which 'resident' is 'wanted'; 0:
 * there is none.
 */
static double find_value(struct gcal_explain_lab *lab, double *what, double wanted,
                         double step)
{
    double old = *what, low = 0, high = old;

    while (high - low > step) {
        *what = floor((low + high) / 2 / step) * step;
        gcal_explain_lab_eval(lab);
        if (*what <= low)
            break;
        if (gcal_explain_lab_value(lab, "resident") >= wanted)
            low = *what;
        else
            high = *what;
    }
    *what = old;
    gcal_explain_lab_eval(lab);
    return low;
}

static void advise_local_memory(struct gcal_explain_case *c)
{
    struct gcal_explain_lab *lab = c->lab;
    double *bytes = &lab->features[gcal_explain_lab_feature(lab, "f_local_memory_bytes")];
    double old = *bytes, value = find_value(lab, bytes, c->occupancy.resident + 1, 4);
    char from[GCAL_UNITS_SIZE], to[GCAL_UNITS_SIZE];

    if (!(value > 0))
        return;
    *bytes = value;
    gcal_explain_changes_add(
        &c->advice, lab,
        gcal_arena_format(c->arena, "local memory of %s instead of %s",
                          gcal_units(value, "B", to), gcal_units(old, "B", from)));
    *bytes = old;
    gcal_explain_lab_eval(lab);
}

/* Named, as the model estimates them for kernels that nobody has built. */
static void advise_registers(struct gcal_explain_case *c)
{
    struct gcal_explain_lab *lab = c->lab;
    size_t text = gcal_explain_lab_find(lab, "registers");
    double old = c->occupancy.registers, value = floor(old);

    if (text == lab->n_texts || !(old > 0))
        return;
    do {
        lab->factors[text] = --value / old;
        gcal_explain_lab_eval(lab);
    } while (value > 16 &&
             gcal_explain_lab_value(lab, "resident") <= c->occupancy.resident);
    if (gcal_explain_lab_value(lab, "resident") > c->occupancy.resident)
        gcal_explain_changes_add(
            &c->advice, lab,
            gcal_arena_format(c->arena, "%.0f registers for a work-item instead of %.0f",
                              value, old));
    lab->factors[text] = 1;
    gcal_explain_lab_eval(lab);
}

/* ---- other counts ---- */

GCAL_ARENA_DESTROYER(destroy_profile, gcal_profile_destroy)

static struct gcal_profile *copy_profile(const struct gcal_explain_case *c)
{
    return gcal_arena_own(c->arena, gcal_profile_copy(c->subject->target.profile, NULL),
                          destroy_profile);
}

/* Replaces the count by a number, or multiplies it. */
static void set_count(struct gcal_profile_entry *e, bool multiply, double value)
{
    char *count = multiply ? gcal_buf_format("(%s)*%.17g", e->count, value)
                           : gcal_buf_format("%.17g", value);

    if (count) {
        free(e->count);
        e->count = count;
    }
}

/* A kernel that cannot be predicted, or that the device cannot run, is no advice. */
static void add_profile(struct gcal_explain_case *c, const struct gcal_profile *profile,
                        const char *what)
{
    struct gcal_explain_lab *lab = gcal_explain_lab_open(
        c->arena, c->lab->device, gcal_predictor_model(c->lab->predictor), profile,
        c->sizes, NULL);

    if (lab)
        gcal_explain_changes_add(&c->advice, lab, what);
}

/* An access by each sub-group that moves no more than it wants; what loops and sub-groups touch
 * of the array shrinks with it.
 */
static void advise_access(struct gcal_explain_case *c,
                          const struct gcal_explain_access *a)
{
    const struct gcal_profile_entry *accessed = a->entry;
    double wanted_sectors = a->wanted_bytes / c->accesses.sector_bytes, all = 0;
    struct gcal_profile *p;

    if (!(a->wanted_bytes < 0.75 * a->moved_bytes) || !(a->wanted_bytes > 0) ||
        !(p = copy_profile(c)))
        return;
    for (size_t i = 0; i < c->accesses.n_accesses; i++)
        if (gcal_explain_same_array(c->accesses.accesses[i].entry, accessed))
            all += c->accesses.accesses[i].sectors;
    for (size_t i = 0; i < p->n_entries; i++) {
        struct gcal_profile_entry *e = &p->entries[i];

        if ((e->kind == GCAL_FEATURE_LOOP_SECTOR ||
             e->kind == GCAL_FEATURE_FOOTPRINT_SUB_GROUP) &&
            gcal_explain_same_array(e, accessed))
            set_count(e, true, 1 - (a->sectors - wanted_sectors) / all);
        if (!gcal_explain_same_place(e, accessed))
            continue;
        if (e->kind == GCAL_FEATURE_SECTOR)
            set_count(e, false, wanted_sectors);
        else if (e->kind == GCAL_FEATURE_LINE || e->kind == GCAL_FEATURE_CACHE_PASS)
            set_count(e, false, fmax(a->executions, a->wanted_bytes / 128));
        else if (e->kind == GCAL_FEATURE_PARTIAL_SECTOR)
            set_count(e, false, 0);
    }
    add_profile(
        c, p,
        gcal_arena_format(c->arena, "%d:%d: neighbours %s neighbouring elements of %s",
                          accessed->line, accessed->column,
                          accessed->direction == GCAL_FEATURE_STORE ? "store" : "load",
                          accessed->array));
}

/* Passes over the banks of local memory: one for each access. */
static void advise_banks(struct gcal_explain_case *c)
{
    struct gcal_profile *p = copy_profile(c);
    size_t n = 0;
    int line = 0;

    for (size_t i = 0; p && i < c->accesses.n_accesses; i++) {
        const struct gcal_explain_access *a = &c->accesses.accesses[i];

        if (a->entry->space != GCAL_FEATURE_SPACE_LOCAL ||
            !(a->passes > 1.01 * a->executions))
            continue;
        for (size_t k = 0; k < p->n_entries; k++)
            if (p->entries[k].kind == GCAL_FEATURE_LOCAL_PASS &&
                gcal_explain_same_place(&p->entries[k], a->entry))
                set_count(&p->entries[k], false, a->executions);
        line = line ? line : a->entry->line;
        n++;
    }
    if (n)
        add_profile(c, p,
                    gcal_arena_format(c->arena, "no bank conflicts (line %d%s)", line,
                                      n > 1 ? " and others" : ""));
}

/* All counts of a kind times a factor. */
static void advise_kind(struct gcal_explain_case *c, enum gcal_feature_kind kind,
                        double factor, const char *what)
{
    struct gcal_profile *p = copy_profile(c);
    bool found = false;

    for (size_t i = 0; p && i < p->n_entries; i++)
        if (p->entries[i].kind == kind) {
            found = true;
            set_count(&p->entries[i], true, factor);
        }
    if (found)
        add_profile(c, p, what);
}

/* ---- less work ---- */

/* What is halved, in words where the model has an expression. */
static const char *name_half(const struct gcal_explain_case *c,
                             const struct gcal_explain_cost *cost)
{
    const char *limit =
        cost->limit < c->lab->n_roofs ? c->lab->names[cost->limit + 1] : "time";

    switch (cost->unit) {
    case GCAL_EXPLAIN_BYTES:
        return gcal_arena_format(c->arena, "half of the bytes of %s (%s)", limit,
                                 cost->parameter);
    case GCAL_EXPLAIN_PASSES:
        return gcal_arena_format(c->arena, "half of the passes of %s (%s)", limit,
                                 cost->parameter);
    case GCAL_EXPLAIN_GROUPS:
        return "half as many work-groups";
    case GCAL_EXPLAIN_ATOMICS:
        return gcal_arena_format(c->arena, "half of the atomic operations (%s)",
                                 cost->parameter);
    default:
        return gcal_arena_format(c->arena, "half of the operations %.60s",
                                 gcal_explain_cost_words(cost));
    }
}

/* Returns whether an expression of the model counts the entry's operations. */
static bool counts_entry(const struct gcal_expr *counted,
                         const struct gcal_profile_entry *e)
{
    bool counts = false;

    for (size_t i = 0; !counts && i < gcal_expr_symbol_count(counted); i++) {
        struct gcal_feature f;

        if (gcal_feature_parse(gcal_expr_symbol(counted, i), &f, NULL) < 0)
            continue;
        counts = gcal_feature_counted_kind(f.kind) == e->kind &&
                 gcal_feature_field_has(f.dtype, e->dtype) &&
                 gcal_feature_field_has(f.op, e->op);
        gcal_feature_clear(&f);
    }
    return counts;
}

/* Operations are halved wherever the model counts them: both pipes of a norm may have them. */
static void advise_operations(struct gcal_explain_case *c,
                              const struct gcal_explain_cost *cost)
{
    char *text = gcal_expr_names_resolve(c->lab->names_of_uses, cost->counted, NULL);
    struct gcal_expr *counted = text ? gcal_expr_parse(text, NULL) : NULL;
    struct gcal_profile *p = counted ? copy_profile(c) : NULL;

    for (size_t i = 0; p && i < p->n_entries; i++)
        if (counts_entry(counted, &p->entries[i]))
            set_count(&p->entries[i], true, 0.5);
    if (p)
        add_profile(c, p, name_half(c, cost));
    gcal_expr_destroy(counted);
    free(text);
}

static void advise_costs(struct gcal_explain_case *c)
{
    /* Bytes that the accesses want at least once, loads and stores; NaN: unknown. */
    double sum = 0;

    for (size_t i = 0; i < c->accesses.n_arrays; i++) {
        double wanted = 0;

        for (size_t k = 0; k < c->accesses.n_accesses; k++) {
            const struct gcal_profile_entry *e = c->accesses.accesses[k].entry;

            if (strcmp(e->array, c->accesses.arrays[i].entry->array) == 0 &&
                e->direction == c->accesses.arrays[i].entry->direction)
                wanted += c->accesses.accesses[k].wanted_bytes;
        }
        sum += fmin(wanted, c->accesses.arrays[i].launch * c->accesses.sector_bytes);
    }
    double needed_bytes =
        c->accesses.n_arrays && c->accesses.sector_bytes > 0 ? sum : NAN;
    struct gcal_explain_lab *lab = c->lab;
    size_t n = 0;

    for (size_t i = 0; i < c->limits.n_costs && n < MOST_CLASSES; i++) {
        const struct gcal_explain_cost *cost = &c->limits.costs[i];

        if (cost->adds_s < LEAST_PART * c->limits.time_s)
            break;
        /* Of bytes, there must be twice as many as are needed: fewer cannot be halved without
         * leaving work out.
         */
        if (cost->unit == GCAL_EXPLAIN_NO_RATE ||
            (cost->unit == GCAL_EXPLAIN_BYTES &&
             cost->count * cost->per_unit < 2 * needed_bytes))
            continue;
        n++;
        if (cost->unit == GCAL_EXPLAIN_OPERATIONS) {
            advise_operations(c, cost);
            continue;
        }
        lab->parameters[cost->use] /= 2;
        gcal_explain_changes_add(&c->advice, lab, name_half(c, cost));
        lab->parameters[cost->use] *= 2;
        gcal_explain_lab_eval(lab);
    }
}

/* Loads that wait for others: fewer rounds of more loads each. */
static void advise_rounds(struct gcal_explain_case *c)
{
    struct gcal_explain_lab *lab = c->lab;
    size_t text = gcal_explain_lab_find(lab, "rounds");

    if (text == lab->n_texts || !(lab->values[text] > 1))
        return;
    lab->factors[text] = 0.5;
    gcal_explain_lab_eval(lab);
    gcal_explain_changes_add(
        &c->advice, lab,
        "half as many rounds of loads that wait (more loads in flight: unrolled loops, "
        "wider loads, more work-items)");
    lab->factors[text] = 1;
    gcal_explain_lab_eval(lab);
}

/* ---- other work-groups ---- */

/* A work-group with each axis multiplied by 2^times, and its name; false: it is none. */
static bool resize_local(const struct gcal_profile *old, const int *times, size_t *local,
                         struct gcal_buf *name)
{
    for (size_t d = 0; d < old->n_dims; d++) {
        size_t from = old->local_size[d];

        local[d] = times[d] < 0 ? from >> -times[d] : from << times[d];
        if (!local[d] || (times[d] < 0 && local[d] << -times[d] != from))
            return false;
        gcal_buf_printf(name, "%s%zu", d ? "x" : "work-groups of ", local[d]);
    }
    return true;
}

/* The best of a few, where the kernel does not know its work-group: it has no local memory. */
static void advise_local(struct gcal_explain_case *c)
{
    static const int tries[][GCAL_MAX_DIMS] = {
        { -1, 0, 0 }, { 1, 0, 0 },  { 0, -1, 0 }, { 0, 1, 0 },
        { -1, 1, 0 }, { 1, -1, 0 }, { -2, 2, 0 }, { 2, -2, 0 },
    };
    const struct gcal_profile *old = c->subject->target.profile, *p;
    const size_t n = old->n_dims == 1 ? 2 : 8, first = c->advice.n;

    if (!c->options->count.file || !c->options->count.n_dims ||
        c->occupancy.local_bytes > 0)
        return;
    for (size_t i = 0; i < n; i++) {
        size_t local[GCAL_MAX_DIMS] = { 0 };
        struct gcal_buf name = { 0 };
        const char *global;

        /* A launch that its assumptions exclude is no advice, either. */
        if (resize_local(old, tries[i], local, &name) &&
            (p = gcal_explain_recount(c, c->sizes, old->n_dims, local, &global, NULL))) {
            if (global)
                gcal_buf_printf(&name, ", as many as now (--global '%s')", global);
            add_profile(c, p, gcal_arena_take(c->arena, &name));
        }
        gcal_buf_free(&name);
    }
    gcal_explain_changes_keep(&c->advice, first, 1);
}

/* ---- all ---- */

void gcal_explain_advise(struct gcal_explain_case *c)
{
    const struct gcal_explain_occupancy *o = &c->occupancy;
    const char *bound = o->known && o->n_bounds ? o->bounds[0].by : "";
    size_t n = 0;

    if (strcmp(bound, "local memory") == 0)
        advise_local_memory(c);
    if (strcmp(bound, "registers") == 0)
        advise_registers(c);
    for (size_t i = 0; i < c->accesses.n_accesses; i++)
        advise_access(c, &c->accesses.accesses[i]);
    advise_banks(c);
    advise_costs(c);
    struct gcal_profile *p = copy_profile(c);
    const char *what = p ? find_literals(c, p) : NULL;
    if (what)
        add_profile(c, p, what);
    advise_rounds(c);
    advise_kind(c, GCAL_FEATURE_DIVERGENT_BRANCH, 0, "no branches that diverge");
    advise_kind(c, GCAL_FEATURE_BARRIER_LOCAL, 0.5, "half of the barriers");
    advise_local(c);
    gcal_explain_changes_keep(&c->advice, 0, MOST_ADVICE);
    while (n < c->advice.n &&
           c->advice.all[n].time_s < (1 - LEAST_GAIN) * c->limits.time_s)
        n++;
    c->advice.n = n;
}
