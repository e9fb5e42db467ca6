/* sizes.c - the sizes of --at: lists, ranges and expressions */
#include "mpi/commands/count/sizes.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/model/expr.h"
#include "kernels/model/profile.h"
#include "kernels/generate/generate.h"
#include "mpi/commands/count/options.h"

enum { MOST_POINTS = 100000 };

/* ---- one value ---- */

/* "64Ki", "1Mi", "2Gi" */
static bool parse_binary(const char *text, double *value)
{
    static const char letters[] = "KMG";
    char *end;
    double number = strtod(text, &end);
    const char *letter = *end ? strchr(letters, *end) : NULL;

    if (end == text || !letter || strcmp(end + 1, "i") != 0)
        return false;
    *value = ldexp(number, 10 * (int)(letter - letters + 1));
    return true;
}

int gcal_count_value_parse(const char *text, double *value, struct gcal_error *err)
{
    struct gcal_expr *expr;
    char *end;

    *value = strtod(text, &end);
    if ((end == text || *end) && !parse_binary(text, value)) {
        *value = NAN;
        if ((expr = gcal_expr_parse_in(text, 0, NULL, NULL)))
            *value = gcal_expr_eval(expr, NULL);
        gcal_expr_destroy(expr);
    }
    if (isfinite(*value))
        return 0;
    return gcal_error_set(err, GCAL_EINPUT,
                          "--at: expected a number or an expression of numbers such as "
                          "4096, 2^20 or 1Mi, found '%s'",
                          text);
}

/* ---- the values of each name ---- */

struct axis {
    const char *name;
    size_t n, capacity;
    double *values;
};

struct axes {
    struct gcal_arena *arena; /* of all values and names */
    size_t n, capacity;
    struct axis *all;
};

static int add_value(struct axes *axes, double value, struct gcal_error *err)
{
    struct axis *axis = &axes->all[axes->n - 1];

    axis->values = gcal_arena_grow(axes->arena, axis->values, axis->n, &axis->capacity,
                                   sizeof(*axis->values));
    axis->values[axis->n++] = value;
    return axis->n <= MOST_POINTS
               ? 0
               : gcal_error_set(err, GCAL_EINPUT, "--at: more than %d values of '%s'",
                                MOST_POINTS, axis->name);
}

/* "2048", or "1024:8192" */
static int add_values(struct axes *axes, char *text, struct gcal_error *err)
{
    char *colon = strchr(text, ':');
    double from, to;
    int rc = 0;

    if (colon)
        *colon = '\0';
    if (gcal_count_value_parse(text, &from, err) < 0)
        return -1;
    if (!colon)
        return add_value(axes, from, err);
    if (gcal_count_value_parse(colon + 1, &to, err) < 0)
        return -1;
    if (!(from > 0) || to < from)
        return gcal_error_set(err, GCAL_EINPUT,
                              "--at: expected a range such as 1024:8192, found '%s:%s'",
                              text, colon + 1);
    for (; from <= to && rc == 0; from *= 2)
        rc = add_value(axes, from, err);
    return rc;
}

static int add_axis(struct axes *axes, const char *name, struct gcal_error *err)
{
    for (size_t i = 0; i < axes->n; i++)
        if (strcmp(axes->all[i].name, name) == 0)
            return gcal_error_set(err, GCAL_EINPUT,
                                  "--at: '%s' is given twice; write %s=1024,2048 for "
                                  "several values",
                                  name, name);
    axes->all = gcal_arena_grow(axes->arena, axes->all, axes->n, &axes->capacity,
                                sizeof(*axes->all));
    axes->all[axes->n++] = (struct axis){ .name = name };
    return 0;
}

/* Items end at a comma outside of parentheses. */
static int read_axes(const char *at, struct axes *axes, struct gcal_error *err)
{
    char *item = gcal_arena_strdup(axes->arena, at), *end, *equals;
    bool last = false;
    int rc = 0;

    for (; !last && *item && rc == 0; item = end + 1) {
        int depth = 0;

        for (end = item; *end && (depth > 0 || *end != ','); end++)
            depth += (*end == '(') - (*end == ')');
        last = !*end;
        *end = '\0';
        if ((equals = strchr(item, '='))) {
            *equals = '\0';
            rc = add_axis(axes, item, err);
            item = equals + 1;
        } else if (!axes->n) {
            rc = gcal_error_set(err, GCAL_EINPUT, "--at: expected NAME=VALUE, found '%s'",
                                item);
        }
        if (rc == 0)
            rc = add_values(axes, item, err);
    }
    return rc;
}

/* ---- names ---- */

/* What may be named. */
struct known {
    const struct gcal_profile *profile;
    const struct gcal_count_options *source; /* NULL: the arguments are not known */
    struct gcal_count_description description;
    bool described;
};

/* The index of the size, or the number of sizes. */
static size_t find_name(const struct gcal_profile *profile, const char *name)
{
    size_t i = 0;

    while (i < profile->n_parameters && strcmp(profile->parameters[i], name) != 0)
        i++;
    return i;
}

static bool is_size(const struct gcal_profile *profile, const char *name)
{
    return find_name(profile, name) < profile->n_parameters;
}

static int refuse_name(const struct known *known, const char *name,
                       struct gcal_error *err)
{
    const struct gcal_profile *p = known->profile;
    const struct gcal_strings *arguments = &known->description.arguments;
    struct gcal_buf names = { 0 };

    for (size_t i = 0; i < p->n_parameters; i++)
        gcal_buf_printf(&names, "%s%s", names.size ? ", " : "", p->parameters[i]);
    for (size_t i = 0; i < arguments->n; i++)
        if (!is_size(p, arguments->items[i]))
            gcal_buf_printf(&names, "%s%s", names.size ? ", " : "", arguments->items[i]);
    gcal_error_set(err, GCAL_EINPUT, "--at: '%s' is not a size%s of kernel '%s'; %s%s",
                   name, known->described ? " or an argument" : "", p->kernel,
                   names.size ? "there are: " : "there is none",
                   names.data ? names.data : "");
    gcal_buf_free(&names);
    return -1;
}

/* The arguments are looked up only for a name that is not a size. */
static int check_name(struct known *known, const char *name, struct gcal_error *err)
{
    if (is_size(known->profile, name) ||
        (known->source && gcal_count_options_mention(known->source, name)))
        return 0;
    if (known->source && !known->described) {
        if (gcal_count_options_describe(known->source, &known->description, err) < 0)
            return -1;
        known->described = true;
    }
    return gcal_strings_contain(&known->description.arguments, name)
               ? 0
               : refuse_name(known, name, err);
}

/* All sizes without a value in one message. */
static int check_complete(const struct gcal_profile *p, const struct axes *axes,
                          struct gcal_error *err)
{
    struct gcal_buf names = { 0 }, options = { 0 };
    size_t n = 0;

    for (size_t i = 0; i < p->n_parameters; i++) {
        size_t k = 0;

        while (k < axes->n && strcmp(axes->all[k].name, p->parameters[i]) != 0)
            k++;
        if (k == axes->n) {
            gcal_buf_printf(&names, "%s'%s'", n ? ", " : "", p->parameters[i]);
            gcal_buf_printf(&options, "%s%s=VALUE", n ? "," : "", p->parameters[i]);
            n++;
        }
    }
    if (n)
        gcal_error_set(err, GCAL_EINPUT, "no value for the size%s %s (--at %s)",
                       n > 1 ? "s" : "", names.data ? names.data : "",
                       options.data ? options.data : "");
    gcal_buf_free(&names);
    gcal_buf_free(&options);
    return n ? -1 : 0;
}

/* ---- points ---- */

/* The combination with this number; the last name changes first. */
static void set_point(const struct gcal_profile *p, const struct axes *axes,
                      size_t number, double *values)
{
    for (size_t i = axes->n; i-- > 0;) {
        const struct axis *axis = &axes->all[i];

        if (!is_size(p, axis->name))
            continue;
        values[find_name(p, axis->name)] = axis->values[number % axis->n];
        number /= axis->n;
    }
}

static int parse_text(const char *at, struct known *known,
                      struct gcal_count_points *points, struct gcal_error *err)
{
    const struct gcal_profile *p = known->profile;
    struct axes axes = { .arena = gcal_arena_create() };
    double *moved;
    size_t n;
    int rc = read_axes(at, &axes, err);

    for (size_t i = 0; i < axes.n && rc == 0; i++)
        rc = check_name(known, axes.all[i].name, err);
    if (rc == 0 && (rc = check_complete(p, &axes, err)) == 0) {
        /* The number of combinations; arguments that are not sizes have no part in it. */
        n = 1;
        for (size_t i = 0; i < axes.n && n <= MOST_POINTS; i++)
            if (is_size(p, axes.all[i].name))
                n *= axes.all[i].n;
        if (n + points->n > MOST_POINTS)
            rc = gcal_error_set(err, GCAL_EINPUT, "--at: more than %d combinations",
                                MOST_POINTS);
        else if (!(moved = reallocarray(points->values,
                                        (points->n + n) * (points->n_sizes + 1),
                                        sizeof(*moved))))
            rc = gcal_error_memory(err);
        else {
            points->values = moved;
            for (size_t i = 0; i < n; i++)
                set_point(p, &axes, i, moved + points->n++ * points->n_sizes);
        }
    }
    gcal_arena_destroy(axes.arena);
    return rc;
}

int gcal_count_points_parse(size_t n, const char *const *texts,
                            const struct gcal_profile *profile,
                            const struct gcal_count_options *source,
                            struct gcal_count_points *points, struct gcal_error *err)
{
    struct known known = { .profile = profile, .source = source };
    int rc = 0;

    *points = (struct gcal_count_points){ .n_sizes = profile->n_parameters };
    for (size_t i = 0; i < n && rc == 0; i++)
        rc = parse_text(texts[i], &known, points, err);
    if (!n)
        rc = parse_text("", &known, points, err);
    if (known.described)
        gcal_count_description_clear(&known.description);
    if (rc < 0)
        gcal_count_points_clear(points);
    return rc;
}

int gcal_count_points_names(size_t n, const char *const *texts,
                            struct gcal_strings *names, struct gcal_error *err)
{
    struct gcal_arena *arena = gcal_arena_create();
    int rc = 0;

    for (size_t i = 0; i < n && rc == 0; i++) {
        struct axes axes = { .arena = arena };

        rc = read_axes(texts[i], &axes, err);
        for (size_t k = 0; k < axes.n && rc == 0; k++)
            rc = gcal_strings_include(names, axes.all[k].name, err);
    }
    gcal_arena_destroy(arena);
    return rc;
}

/* Point 'number' of one text; the last name changes first. */
static int add_point_text(const struct axes *axes, size_t number,
                          struct gcal_strings *each, struct gcal_error *err)
{
    struct gcal_buf text = { 0 };
    size_t below = 1;
    int rc;

    for (size_t i = 0; i < axes->n; i++)
        below *= axes->all[i].n;
    for (size_t i = 0; i < axes->n; i++) {
        const struct axis *axis = &axes->all[i];

        below /= axis->n;
        gcal_buf_printf(&text, "%s%s=%.17g", i ? "," : "", axis->name,
                        axis->values[number / below % axis->n]);
    }
    rc = text.failed ? gcal_error_memory(err)
                     : gcal_strings_add(each, text.data ? text.data : "", err);
    gcal_buf_free(&text);
    return rc;
}

int gcal_count_points_each(size_t n, const char *const *texts, struct gcal_strings *each,
                           struct gcal_error *err)
{
    enum { MOST_COUNTED = 100 };
    struct gcal_arena *arena = gcal_arena_create();
    int rc = 0;

    for (size_t i = 0; i < n && rc == 0; i++) {
        struct axes axes = { .arena = arena };
        size_t n_points = 1;

        rc = read_axes(texts[i], &axes, err);
        for (size_t k = 0; k < axes.n && rc == 0; k++)
            if ((n_points *= axes.all[k].n) > MOST_COUNTED)
                rc = gcal_error_set(
                    err, GCAL_EINPUT,
                    "--at: more than %d combinations, each of which has to "
                    "be counted by itself",
                    MOST_COUNTED);
        for (size_t k = 0; k < n_points && rc == 0; k++)
            rc = add_point_text(&axes, k, each, err);
    }
    gcal_arena_destroy(arena);
    return rc;
}

size_t gcal_count_points_known(struct gcal_arena *arena, const char *text,
                               bool (*is_size)(void *, const char *), void *data,
                               const struct gcal_size **known)
{
    struct axes axes = { .arena = arena };
    struct gcal_size *all;
    size_t n = 0;

    if (read_axes(text, &axes, NULL) < 0)
        return 0;
    *known = all = gcal_arena_alloc(arena, axes.n, sizeof(*all));
    for (size_t i = 0; i < axes.n; i++) {
        const struct axis *axis = &axes.all[i];
        double value = axis->values[0];

        if (axis->n == 1 && value == floor(value) && fabs(value) < 0x1p53 &&
            is_size(data, axis->name))
            all[n++] = (struct gcal_size){ (char *)axis->name, value };
    }
    return n;
}

void gcal_count_points_clear(struct gcal_count_points *points)
{
    free(points->values);
    *points = (struct gcal_count_points){ 0 };
}

char *gcal_count_point_name(const struct gcal_profile *profile, const double *values)
{
    struct gcal_buf text = { 0 };

    for (size_t i = 0; i < profile->n_parameters; i++)
        gcal_buf_printf(&text, "%s%s=%.15g", i ? "," : "", profile->parameters[i],
                        values[i]);
    return text.data ? gcal_buf_take(&text, NULL) : strdup("");
}

/* ---- sizes of the catalogue ---- */

int gcal_count_sizes_of_kernel(const struct gcal_kernel *kernel, size_t n,
                               const char *const *names, double *values,
                               struct gcal_error *err)
{
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;

        while (k < kernel->n_sizes && strcmp(kernel->sizes[k].name, names[i]) != 0)
            k++;
        if (k == kernel->n_sizes)
            return gcal_error_set(err, GCAL_EINPUT, "%s: no value for the size '%s'",
                                  kernel->name, names[i]);
        values[i] = kernel->sizes[k].value;
    }
    return 0;
}
