/* expand.c - texts of a description with values in place of arguments' names */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/model/assume.h"
#include "kernels/model/expr.h"
#include "kernels/generate/private.h"

/* The value for the word of 'length' at 'word', or NULL. */
static const char *value_of(const struct gcal_generator_setting *s, const char *word,
                            size_t length)
{
    const struct gcal_generator *g = s->generator;

    for (size_t i = 0; i < g->n_arguments; i++)
        if (!g->arguments[i].size && strlen(g->arguments[i].name) == length &&
            memcmp(g->arguments[i].name, word, length) == 0)
            return s->values[i];
    return NULL;
}

char *gcal_generator_expand(struct gcal_arena *arena,
                            const struct gcal_generator_setting *setting,
                            const struct gcal_yaml *node, const char *what,
                            struct gcal_error *err)
{
    const char *at = gcal_yaml_text(node, what, err);
    struct gcal_buf out = { 0 };

    if (!at)
        return NULL;
    gcal_buf_puts(&out, ""); /* so that an empty text is not NULL */
    while (*at) {
        size_t length = 0;
        const char *value;

        while (isalnum((unsigned char)at[length]) || at[length] == '_')
            length++;
        value = length ? value_of(setting, at, length) : NULL;
        if (value)
            gcal_buf_puts(&out, value);
        else
            gcal_buf_put(&out, at, length ? length : 1);
        at += length ? length : 1;
    }
    return gcal_arena_take(arena, &out);
}

char *gcal_generator_expand_expr(struct gcal_arena *arena,
                                 const struct gcal_generator_setting *setting,
                                 const struct gcal_yaml *node, const char *what,
                                 struct gcal_error *err)
{
    char *text = gcal_generator_expand(arena, setting, node, what, err);
    struct gcal_error reason = { 0 };
    struct gcal_expr *expr;

    if (!text)
        return NULL;
    if (!(expr = gcal_expr_parse(text, &reason))) {
        gcal_yaml_error(node, err, "%s: '%s': %s", what, text, reason.text);
        return NULL;
    }
    for (size_t i = 0; i < gcal_expr_symbol_count(expr); i++) {
        const char *name = gcal_expr_symbol(expr, i);
        const struct gcal_generator_arg *a =
            gcal_generator_find_arg(setting->generator, name);

        if (!(a && a->size)) {
            gcal_yaml_error(node, err, "%s: '%s' is not a size of this kernel", what,
                            name);
            text = NULL;
            break;
        }
    }
    gcal_expr_destroy(expr);
    return text;
}

int gcal_kernel_eval_sizes(const char *text, size_t n_sizes,
                           const struct gcal_size *sizes, double *value,
                           struct gcal_error *err)
{
    struct gcal_expr *expr = gcal_expr_parse(text, err);
    size_t n = expr ? gcal_expr_symbol_count(expr) : 0;
    double values[n + 1];
    int rc = expr ? 0 : -1;

    for (size_t i = 0; i < n && rc == 0; i++) {
        const char *name = gcal_expr_symbol(expr, i);
        size_t j = 0;

        while (j < n_sizes && strcmp(sizes[j].name, name) != 0)
            j++;
        if (j == n_sizes)
            rc = gcal_error_set(err, GCAL_EINPUT, "'%s': no value for size '%s'", text,
                                name);
        else
            values[i] = sizes[j].value;
    }
    if (rc == 0)
        *value = gcal_expr_eval(expr, values);
    gcal_expr_destroy(expr);
    return rc;
}

int gcal_generator_expand_count(struct gcal_arena *arena,
                                const struct gcal_generator_setting *setting,
                                const struct gcal_yaml *node, const char *what,
                                size_t *value, struct gcal_error *err)
{
    char *text = gcal_generator_expand_expr(arena, setting, node, what, err);
    double number = 0;

    if (!text)
        return -1;
    if (gcal_kernel_eval_sizes(text, 0, NULL, &number, NULL) < 0 || !(number >= 1) ||
        number > 0x1p31 || number != floor(number))
        return gcal_yaml_error(
            node, err, "%s: expected a positive integer without sizes, found '%s'", what,
            text);
    *value = (size_t)number;
    return 0;
}

int gcal_kernel_check_assume(const char *text, size_t n_sizes,
                             const struct gcal_size *sizes, struct gcal_error *err)
{
    double values[n_sizes + 1];
    const char *names[n_sizes + 1];
    struct gcal_assume *assume;
    int rc = -1;

    if (!text)
        return 0;
    for (size_t i = 0; i < n_sizes; i++) {
        names[i] = sizes[i].name;
        values[i] = sizes[i].value;
    }
    if ((assume = gcal_assume_parse(text, n_sizes, names, err)))
        rc = gcal_assume_check(assume, values, err);
    gcal_assume_destroy(assume);
    return rc;
}
