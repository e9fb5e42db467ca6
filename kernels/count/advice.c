/* advice.c - which sizes to assume something about, where a count is not exact or refused
 *
 * Sizes are tried out: the scope is counted with a size that is at least 1, or is a number,
 * and what makes the count exact is the advice.  So is a whole kernel that is refused.
 */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/count/private.h"

enum { MOST_NAMES = 12, MOST_FIXED = 3 };

struct names {
    size_t n;
    const char *all[MOST_NAMES];
};

/* What is tried: values for the sizes. */
struct trial {
    struct gcal_poly_context *c;
    size_t n;
    unsigned atoms[MOST_FIXED];
    const struct gcal_poly *values[MOST_FIXED];
};

/* ---- the sizes in a scope ---- */

static void add_name(const char *name, void *data)
{
    struct names *names = data;

    for (size_t i = 0; i < names->n; i++)
        if (strcmp(names->all[i], name) == 0)
            return;
    if (names->n < MOST_NAMES)
        names->all[names->n++] = name;
}

static void add_of_condition(struct gcal_poly_context *c,
                             const struct gcal_sets_condition *x, struct names *names)
{
    if (x->p)
        gcal_poly_visit_parameters(c, x->p, add_name, names);
    if (x->a)
        add_of_condition(c, x->a, names);
    if (x->b)
        add_of_condition(c, x->b, names);
}

/* Of the innermost loop or condition first, and of the global size last. */
static void find_names(const struct gcal_count_builder *m,
                       const struct gcal_sets_scope *scope, struct names *names)
{
    for (; scope; scope = scope->parent) {
        if (scope->condition)
            add_of_condition(m->c, scope->condition, names);
        if (scope->trips)
            gcal_poly_visit_parameters(m->c, scope->trips, add_name, names);
    }
    for (size_t d = 0; d < m->nest->n_dims; d++)
        gcal_poly_visit_parameters(m->c, m->nest->groups[d], add_name, names);
}

/* ---- trials ---- */

static const struct gcal_poly *replace(const struct gcal_poly *p, void *data)
{
    const struct trial *trial = data;

    for (size_t i = 0; i < trial->n; i++)
        p = gcal_poly_substitute(trial->c, p, trial->atoms[i], trial->values[i]);
    return p;
}

static const struct gcal_sets_scope *replaced(struct trial *trial,
                                              const struct gcal_sets_scope *scope)
{
    struct gcal_sets_scope *same;

    if (!scope || !(same = gcal_poly_alloc(trial->c, sizeof(*same))))
        return scope;
    *same = *scope;
    same->parent = replaced(trial, scope->parent);
    if (same->trips)
        same->trips = replace(same->trips, trial);
    if (same->condition)
        same->condition =
            gcal_sets_condition_map(trial->c, same->condition, replace, trial);
    return same;
}

static bool succeeds(struct gcal_count_builder *m, const struct gcal_sets_scope *scope,
                     enum gcal_sets_count_mode mode, struct trial *trial)
{
    const struct gcal_poly *groups[GCAL_MAX_DIMS];
    bool estimated = false, exact;
    struct gcal_sets_mark mark;

    if (!m->nest->context || !gcal_poly_may_attempt(m->c))
        return false;
    mark = gcal_sets_nest_mark(m->nest);
    memcpy(groups, m->nest->groups, sizeof(groups));
    for (size_t d = 0; d < m->nest->n_dims; d++)
        m->nest->groups[d] = replace(groups[d], trial);
    exact = gcal_sets_scope_count(m->nest, replaced(trial, scope), mode, &estimated) &&
            !estimated;
    memcpy(m->nest->groups, groups, sizeof(groups));
    exact = exact && !gcal_poly_context_has_failed(m->c);
    gcal_sets_nest_rewind(m->nest, &mark);
    return exact;
}

/* The atom that stands for the size, possibly the hidden one of an assumption; false when
 * the size is a number.
 */
static bool find_atom(struct gcal_poly_context *c, const char *name, unsigned *atom)
{
    const struct gcal_poly *p = gcal_poly_parameter(c, name);

    for (size_t i = 0; i < p->n_terms; i++)
        if (p->terms[i].n_factors == 1) {
            *atom = p->terms[i].factors[0].atom;
            return true;
        }
    return false;
}

/* Whether the size need only be at least 1. */
static bool needs_one(struct gcal_count_builder *m, const struct gcal_sets_scope *scope,
                      enum gcal_sets_count_mode mode, const char *name)
{
    struct trial trial = { .c = m->c, .n = 1 };
    const struct gcal_poly *size = gcal_poly_parameter(m->c, name);

    if (!find_atom(m->c, name, &trial.atoms[0]) ||
        gcal_poly_is_nonnegative(m->c,
                                 gcal_poly_sub(m->c, size, gcal_poly_integer(m->c, 1))))
        return false;
    trial.values[0] = gcal_poly_add(m->c, gcal_poly_from_atom(m->c, trial.atoms[0]),
                                    gcal_poly_integer(m->c, 1));
    return succeeds(m, scope, mode, &trial);
}

/* Whether numbers for these sizes suffice. */
static bool needs_numbers(struct gcal_count_builder *m,
                          const struct gcal_sets_scope *scope,
                          enum gcal_sets_count_mode mode, size_t n, const char **names)
{
    static const int64_t numbers[] = { 3, 64 };

    for (int k = 0; k < 2; k++) {
        struct trial trial = { .c = m->c };

        for (size_t i = 0; i < n; i++)
            if (find_atom(m->c, names[i], &trial.atoms[trial.n]))
                trial.values[trial.n++] = gcal_poly_integer(m->c, numbers[k]);
        if (!succeeds(m, scope, mode, &trial))
            return false;
    }
    return true;
}

static const char *fix(struct gcal_count_builder *m, size_t n, const char **names)
{
    const char *list = "", *assumed = "";

    for (size_t i = 0; i < n; i++) {
        list = gcal_poly_format(m->c, "%s%s'%s'", list, i ? " and " : "", names[i]);
        assumed =
            gcal_poly_format(m->c, "%s%s%s = 4", assumed, i ? " and " : "", names[i]);
    }
    return gcal_poly_format(m->c, "give %s as %s, as in --assume \"%s\"", list,
                            n == 1 ? "a number" : "numbers", assumed);
}

const char *gcal_count_advice(struct gcal_count_builder *m,
                              const struct gcal_sets_scope *scope,
                              enum gcal_sets_count_mode mode)
{
    struct names names = { 0 };
    const char *pair[MOST_FIXED];

    if (gcal_poly_context_has_failed(m->c))
        return NULL;
    find_names(m, scope, &names);
    for (size_t i = 0; i < names.n; i++)
        if (needs_one(m, scope, mode, names.all[i]))
            return gcal_poly_format(m->c, "assume \"%s >= 1\"", names.all[i]);
    for (size_t i = 0; i < names.n; i++)
        if (needs_numbers(m, scope, mode, 1, &names.all[i]))
            return fix(m, 1, &names.all[i]);
    for (size_t i = 0; i < names.n; i++)
        for (size_t j = i + 1; j < names.n; j++) {
            pair[0] = names.all[i];
            pair[1] = names.all[j];
            if (needs_numbers(m, scope, mode, 2, pair))
                return fix(m, 2, pair);
        }
    return NULL;
}

/* ---- kernels that are refused ---- */

/* Conditions that are tried together. */
struct assumed {
    const struct gcal_count_walked *refused;
    bool (*counts)(const struct gcal_count_walked *refused, const char *assume);
    struct gcal_strings clauses;
};

/* All conditions but 'left_out', after those of the request; the caller's to free. */
static char *text_of(const struct assumed *a, size_t left_out)
{
    const char *given = a->refused->request.assume;
    struct gcal_buf buf = { 0 };
    size_t n = 0;

    if (given && given[strspn(given, " \t")]) {
        gcal_buf_puts(&buf, given);
        n++;
    }
    for (size_t i = 0; i < a->clauses.n; i++)
        if (i != left_out)
            gcal_buf_printf(&buf, "%s%s", n++ ? " and " : "", a->clauses.items[i]);
    return gcal_buf_take(&buf, NULL);
}

static bool suffices(const struct assumed *a, size_t left_out)
{
    char *text = text_of(a, left_out);
    bool counts = text && a->counts(a->refused, text);

    free(text);
    return counts;
}

/* Adds 'NAME RELATION NUMBER' for all sizes. */
static void add_for_all(struct assumed *a, const struct names *names,
                        const char *relation, int64_t number)
{
    for (size_t i = 0; i < names->n; i++)
        gcal_strings_take(
            &a->clauses,
            gcal_buf_format("%s %s %lld", names->all[i], relation, (long long)number),
            NULL);
}

/* Whether 'NAME RELATION NUMBER' for all sizes suffices: these are the conditions then. */
static bool all_suffice(struct assumed *a, const struct names *names,
                        const char *relation, int64_t number)
{
    gcal_strings_clear(&a->clauses);
    add_for_all(a, names, relation, number);
    return suffices(a, SIZE_MAX);
}

/* The fewest sizes that have to be at least some number, and the least such number; false
 * where a large one does not suffice.
 */
static bool find_least(struct assumed *a, struct names names)
{
    int64_t low = 0, high = all_suffice(a, &names, ">=", 1) ? 1 : 1024;

    if (high > 1 && !all_suffice(a, &names, ">=", high))
        return false;
    for (size_t i = names.n; i-- > 0 && names.n > 1;) {
        struct names fewer = names;

        memmove(&fewer.all[i], &fewer.all[i + 1], (--fewer.n - i) * sizeof(fewer.all[0]));
        if (all_suffice(a, &fewer, ">=", high))
            names = fewer;
    }
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;

        *(all_suffice(a, &names, ">=", middle) ? &high : &low) = middle;
    }
    gcal_strings_clear(&a->clauses);
    add_for_all(a, &names, ">=", high);
    return true;
}

/* A number that the size may be, 64 or more. */
static int64_t number_for(const struct assumed *a, const char *name, size_t times)
{
    struct gcal_poly_context *c = a->refused->nest.c;
    const struct gcal_poly *size = gcal_poly_parameter(c, name);
    int64_t number = 64 * (int64_t)times;

    while (number < 1 << 20 &&
           gcal_poly_is_nonnegative(
               c, gcal_poly_sub(c, size, gcal_poly_integer(c, number + 1))))
        number *= 2;
    return number;
}

/* Numbers for all sizes, rising or falling from size to size, or the same. */
static bool find_numbers(struct assumed *a, const struct names *names)
{
    for (int order = 0; order < 3; order++) {
        gcal_strings_clear(&a->clauses);
        for (size_t i = 0; i < names->n; i++)
            gcal_strings_take(
                &a->clauses,
                gcal_buf_format("%s = %lld", names->all[i],
                                (long long)number_for(a, names->all[i],
                                                      order == 0   ? 1
                                                      : order == 1 ? i + 1
                                                                   : names->n - i)),
                NULL);
        if (suffices(a, SIZE_MAX))
            return true;
    }
    return false;
}

/* Whether the clause begins with the name. */
static bool has_name(const char *clause, const char *name)
{
    size_t n = strlen(name);

    return strncmp(clause, name, n) == 0 && clause[n] == ' ';
}

static bool is_among(const struct names *names, const char *name)
{
    for (size_t i = 0; i < names->n; i++)
        if (names->all[i] == name)
            return true;
    return false;
}

/* The conditions that suffice so far, instead of others. */
static void keep_found(struct assumed *a, struct gcal_strings *found)
{
    gcal_strings_clear(found);
    *found = a->clauses;
    a->clauses = (struct gcal_strings){ 0 };
}

/* Those instead of what was tried last; false if there are none. */
static bool take_found(struct assumed *a, struct gcal_strings *found)
{
    gcal_strings_clear(&a->clauses);
    a->clauses = *found;
    return found->n;
}

/* A size that is more than another, or at least it; one of them is among 'sizes'. */
static bool find_order(struct assumed *a, const struct names *names,
                       const struct names *sizes)
{
    enum { MOST_ORDERED = 5 };
    static const char *const relations[] = { ">", ">=" };

    for (size_t i = 0; i < names->n && i < MOST_ORDERED; i++)
        for (size_t j = 0; j < names->n && j < MOST_ORDERED; j++) {
            struct gcal_strings found = { 0 };

            if (i == j ||
                (!is_among(sizes, names->all[i]) && !is_among(sizes, names->all[j])))
                continue;
            for (int k = 0; k < 2;
                 k++) { /* where the first does not suffice, none does */
                gcal_strings_clear(&a->clauses);
                gcal_strings_take(&a->clauses,
                                  gcal_buf_format("%s %s %s", names->all[i], relations[k],
                                                  names->all[j]),
                                  NULL);
                add_for_all(a, names, ">=", 1);
                if (!suffices(a, SIZE_MAX))
                    break;
                keep_found(a, &found);
            }
            if (take_found(a, &found))
                return true;
        }
    return false;
}

/* The least power of two that 'sizes' have to be multiples of. */
static bool find_multiple(struct assumed *a, const struct names *names,
                          const struct names *sizes)
{
    struct gcal_strings found = { 0 };

    for (int64_t of = 64; of >= 2; of /= 2) {
        gcal_strings_clear(&a->clauses);
        for (size_t i = 0; i < sizes->n; i++)
            gcal_strings_take(
                &a->clauses,
                gcal_buf_format("%s %% %lld = 0", sizes->all[i], (long long)of), NULL);
        add_for_all(a, names, ">=", 1);
        if (!suffices(a, SIZE_MAX))
            break;
        keep_found(a, &found);
    }
    return take_found(a, &found);
}

static void leave_out_unneeded(struct assumed *a)
{
    for (size_t i = 0; i < a->clauses.n && a->clauses.n > 1;) {
        if (!suffices(a, i)) {
            i++;
            continue;
        }
        free(a->clauses.items[i]);
        memmove(&a->clauses.items[i], &a->clauses.items[i + 1],
                (--a->clauses.n - i) * sizeof(a->clauses.items[0]));
    }
}

/* Conditions that suffice; false: there are none.  Where numbers do not help, nothing does, and the
 * sizes that have to be numbers are those that relations may be of.
 */
static bool find_conditions(struct assumed *a, const struct names *names)
{
    struct gcal_strings numbers = { 0 };
    struct names sizes = { 0 };

    if (find_least(a, *names)) {
        leave_out_unneeded(a);
        return true;
    }
    if (!find_numbers(a, names))
        return false;
    leave_out_unneeded(a);
    keep_found(a, &numbers);
    for (size_t i = 0; i < names->n; i++)
        for (size_t k = 0; k < numbers.n; k++)
            if (has_name(numbers.items[k], names->all[i]))
                sizes.all[sizes.n++] = names->all[i];
    if (find_order(a, names, &sizes) || find_multiple(a, names, &sizes)) {
        leave_out_unneeded(a);
        gcal_strings_clear(&numbers);
        return true;
    }
    return take_found(a, &numbers);
}

void gcal_count_advise_refused(const struct gcal_count_walked *refused,
                               bool (*counts)(const struct gcal_count_walked *refused,
                                              const char *assume),
                               struct gcal_error *err)
{
    const struct gcal_error first = *err;
    struct assumed a = { .refused = refused, .counts = counts };
    struct names names = { 0 };
    char *text;

    gcal_poly_visit_all_parameters(refused->nest.c, add_name, &names);
    if (names.n && find_conditions(&a, &names) && (text = text_of(&a, SIZE_MAX))) {
        gcal_error_set(err, first.code, "%s: it can be counted with --assume \"%s\"",
                       first.text, text);
        err->reason = first.reason;
        free(text);
    }
    gcal_strings_clear(&a.clauses);
}
