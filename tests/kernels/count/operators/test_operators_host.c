/* test_operators_host.c - what counting accepts of each row of rows.c is also run
 * by the host interpreter, and left or removed by work removal
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/dtype.h"
#include "kernels/model/profile.h"
#include "kernels/count/count.h"
#include "kernels/interpret/interpret.h"
#include "kernels/remove/remove.h"
#include "tests/kernels/count/operators/operators.h"

enum { ELEMENTS = 256 };

/* What these refuse, by words of the message. */
static const char *const not_interpreted[] = {
    "changing several of a vector's components by this operator",
    "'lgamma_r' is not supported",
};
static const char *const not_removed[] = {
    "this kernel stores nothing in global memory",
    "this divisor depends on loaded data",
};

static bool is_among(const char *message, size_t n, const char *const *words)
{
    for (size_t i = 0; i < n; i++)
        if (strstr(message, words[i]))
            return true;
    return false;
}

static struct gcal_count_request request_of(const char *source, const char *options)
{
    return (struct gcal_count_request){ .source = source,
                                        .file = "k.cl",
                                        .build_options = options,
                                        .n_dims = 1,
                                        .local_size = { OPERATORS_ITEMS },
                                        .global_size = { "8" },
                                        .sub_group_size = 1 };
}

/* "int4": "int32"; false: the host has no such numbers. */
static const char *dtype_of(const char *type)
{
    static const char *const names[][2] = {
        { "char", "int8" },    { "ushort", "uint16" },  { "int", "int32" },
        { "uint", "uint32" },  { "long", "int64" },     { "float", "float32" },
        { "half", "float16" }, { "double", "float64" },
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (strncmp(type, names[i][0], strlen(names[i][0])) == 0)
            return names[i][1];
    return NULL;
}

static bool fill(const char *dtype, size_t n, void *data)
{
    static const struct gcal_dtype_range range = { 1, 1, false, NULL };

    return gcal_dtype_fill_range(0, dtype, &range, n, data) == 0;
}

static int interpret(const struct gcal_count_request *request, const char *dtype,
                     struct gcal_error *err)
{
    static double data[5][ELEMENTS];
    struct gcal_interp_arg args[5];
    size_t global = OPERATORS_ITEMS;

    for (int i = 0; i < 5; i++) {
        const char *own = i == 3 ? "int32" : dtype;

        if (!fill(own, ELEMENTS, data[i]))
            return gcal_error_set(err, GCAL_EINPUT, "no values of %s", own);
        args[i] = (struct gcal_interp_arg){ own, data[i], ELEMENTS };
    }
    return gcal_interp_run_kernel(request, &global, 5, args, err);
}

/* The derived kernel can be counted. */
static int reduce(const struct gcal_count_request *request, enum gcal_remove_form form,
                  struct gcal_error *err)
{
    struct gcal_remove_options options = { .form = form };
    char *text = gcal_remove_work(request, &options, NULL, err);
    struct gcal_count_request derived = *request;
    struct gcal_profile *profile;

    if (!text)
        return -1;
    derived.source = text;
    derived.kernel = NULL;
    profile = gcal_count(&derived, err);
    if (!profile)
        printf("%s\n", text);
    free(text);
    gcal_profile_destroy(profile);
    return profile ? 0 : -1;
}

static size_t check(const struct operators_row *row, const struct operators_type *type)
{
    static const char *const forms[] = { "loads", "on-chip", "memory" };
    char source[4000], options[100];
    struct gcal_count_request request = request_of(source, options);
    struct gcal_error err = { 0 };
    size_t n_failed = 0;

    snprintf(source, sizeof(source), operators_frame, row->text);
    snprintf(options, sizeof(options), "-DT=%s", type->name);
    if (interpret(&request, dtype_of(type->name), &err) < 0 &&
        !is_among(err.text, sizeof(not_interpreted) / sizeof(*not_interpreted),
                  not_interpreted)) {
        printf("INTERPRETER %s: '%s': %s\n", type->name, row->text, err.text);
        n_failed++;
    }
    for (int form = 0; form < 3; form++)
        if (reduce(&request, form, &err) < 0 &&
            !is_among(err.text, sizeof(not_removed) / sizeof(*not_removed),
                      not_removed)) {
            printf("REMOVAL (%s) %s: '%s': %s\n", forms[form], type->name, row->text,
                   err.text);
            n_failed++;
        }
    return n_failed;
}

/* Others take the same ways through the code. */
static bool is_tried(const char *type)
{
    static const char *const tried[] = {
        "char", "uint", "float", "half", "int4", "float4"
    };

    for (size_t i = 0; i < sizeof(tried) / sizeof(*tried); i++)
        if (strcmp(type, tried[i]) == 0)
            return true;
    return false;
}

int main(int argc, char **argv)
{
    size_t n = 0, n_failed = 0;

    for (const struct operators_row *row = operators_rows; row->text; row++)
        for (const struct operators_type *t = operators_types; t->name; t++) {
            if (!(row->types & t->in) ||
                !(is_tried(t->name) || (row->types & OPERATORS_INT & t->in)) ||
                (argc > 1 && !strstr(row->text, argv[1])))
                continue;
            n++;
            n_failed += check(row, t) > 0;
        }
    printf("%zu rows and types, %zu failed\n", n, n_failed);
    return n_failed || !n;
}
