/* named_kernel.c - kernels of records whose variant, origin and uses follow from their names */
#include "tests/calib/results/named_kernel.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/strings.h"
#include "tests/unit.h"

/* ---- words of a name: "matmul_tiled dtype:float32 n:1024" ---- */

static bool is_argument(const char *word, size_t length, const char *argument)
{
    size_t n = strlen(argument);

    return length > n && strncmp(word, argument, n) == 0 && word[n] == ':';
}

static bool is_any_argument(const char *word, size_t length, size_t n,
                            const char *const *arguments)
{
    for (size_t i = 0; i < n; i++)
        if (is_argument(word, length, arguments[i]))
            return true;
    return false;
}

/* 'name' with another first word, and without these arguments; the caller's to free. */
static char *rename_kernel(const char *generator, const char *name, size_t n,
                           const char *const *arguments, struct gcal_error *err)
{
    struct gcal_buf buf = { 0 };
    size_t length;

    gcal_buf_puts(&buf, generator);
    gcal_strings_next_word(&name, &length);
    for (const char *word; (word = gcal_strings_next_word(&name, &length));)
        if (!is_any_argument(word, length, n, arguments))
            gcal_buf_printf(&buf, " %.*s", (int)length, word);
    return gcal_buf_take(&buf, err);
}

/* The value of an argument, "8" of "accumulators:8"; NULL without such an argument. */
static const char *find_value(const char *name, const char *argument)
{
    size_t length;

    for (const char *word; (word = gcal_strings_next_word(&name, &length));)
        if (is_argument(word, length, argument))
            return word + strlen(argument) + 1;
    return NULL;
}

/* ---- the origin ---- */

static enum gcal_kernel_form find_form(const char *generator, size_t *stem)
{
    static const char *const endings[GCAL_KERNEL_N_FORMS] = {
        [GCAL_KERNEL_LOADS] = "_loads",
        [GCAL_KERNEL_ONCHIP] = "_onchip",
        [GCAL_KERNEL_MEMORY] = "_memory",
    };
    size_t length = strlen(generator);

    for (int form = GCAL_KERNEL_LOADS; form < GCAL_KERNEL_N_FORMS; form++) {
        size_t n = strlen(endings[form]);

        if (length > n && strcmp(generator + length - n, endings[form]) == 0) {
            *stem = length - n;
            return (enum gcal_kernel_form)form;
        }
    }
    return GCAL_KERNEL_COMPLETE;
}

static int set_origin(struct gcal_run_kernel *kernel, struct gcal_error *err)
{
    static const char *const own[] = { "keep", "accumulators", "barriers" };
    const size_t n_own = sizeof(own) / sizeof(*own);
    struct gcal_kernel_origin *o = &kernel->origin;
    const char *accumulators = find_value(kernel->family, "accumulators");
    const char *barriers = find_value(kernel->family, "barriers");
    size_t stem = 0;

    o->form = find_form(kernel->generator, &stem);
    if (!(o->generator = strndup(kernel->generator, stem)))
        return gcal_error_memory(err);
    if (o->form == GCAL_KERNEL_COMPLETE) {
        o->family = strdup("");
        o->name = strdup("");
        return o->family && o->name ? 0 : gcal_error_memory(err);
    }
    if (accumulators)
        o->n_accumulators = strtoul(accumulators, NULL, 10);
    o->barriers = o->form == GCAL_KERNEL_MEMORY &&
                  !(barriers && strncmp(barriers, "False", strlen("False")) == 0);
    o->family = rename_kernel(o->generator, kernel->family, n_own, own, err);
    o->name = rename_kernel(o->generator, kernel->name, n_own, own, err);
    return o->family && o->name ? 0 : -1;
}

/* ---- uses ---- */

static bool ends_with(const char *text, size_t length, const char *ending)
{
    size_t n = strlen(ending);

    return length > n && strncmp(text + length - n, ending, n) == 0;
}

static int set_uses(struct gcal_kernel_uses *uses, const char *models,
                    struct gcal_error *err)
{
    static const char *const endings[] = {
        [GCAL_KERNEL_TARGET] = ":whole", [GCAL_KERNEL_CHECK] = ":check"
    };
    int rc = 0;

    for (const char *at = models; *at && rc == 0; at += *at == ',') {
        size_t length = strcspn(at, ","), n = length;
        enum gcal_kernel_role role = GCAL_KERNEL_FITTED;
        char *model;

        for (int i = GCAL_KERNEL_TARGET; i <= GCAL_KERNEL_CHECK; i++)
            if (ends_with(at, length, endings[i])) {
                role = (enum gcal_kernel_role)i;
                n = length - strlen(endings[i]);
            }
        if (!(model = strndup(at, n)))
            return gcal_error_memory(err);
        if (n)
            rc = gcal_kernel_uses_add(uses, model, role, err);
        free(model);
        at += length;
    }
    return rc;
}

void sink_kernel(const struct gcal_run_sink *sink, struct gcal_run_kernel *kernel,
                 const char *models)
{
    kernel->variant = rename_kernel(kernel->generator, kernel->name, kernel->n_sizes,
                                    (const char *const *)kernel->size_names, NULL);
    assert_non_null(kernel->variant);
    assert_int_equal(set_origin(kernel, NULL), 0);
    assert_int_equal(set_uses(&kernel->uses, models, NULL), 0);
    assert_int_equal(sink->kernel(sink->context, kernel, NULL), 0);
    gcal_kernel_uses_clear(&kernel->uses);
    gcal_fields_clear(gcal_kernel_origin_fields, &kernel->origin);
    free(kernel->variant);
    kernel->variant = NULL;
}
