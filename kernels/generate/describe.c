/* describe.c - the description of a catalogue for 'gpucal kernels' */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/strings.h"
#include "kernels/generate/private.h"

enum { WIDTH = 90, INDENT = 4 };

/* ---- text in lines ---- */

struct lines {
    struct gcal_buf *out;
    size_t column; /* characters in the line so far */
};

static void put_words(struct lines *lines, const char *text)
{
    while (*(text += strspn(text, " \n"))) {
        size_t length = strcspn(text, " \n");

        /* Puts a word, in the next line where it does not fit. */
        if (lines->column && lines->column + 1 + length > WIDTH) {
            gcal_buf_puts(lines->out, "\n");
            lines->column = 0;
        }
        if (lines->column)
            gcal_buf_puts(lines->out, " ");
        else
            gcal_buf_printf(lines->out, "%*s", INDENT, "");
        lines->column += length + (lines->column ? 1 : INDENT);
        gcal_buf_put(lines->out, text, length);
        text += length;
    }
}

static void end_line(struct lines *lines)
{
    if (lines->column)
        gcal_buf_puts(lines->out, "\n");
    lines->column = 0;
}

/* ---- arguments ---- */

static void put_list(const struct gcal_strings *texts, struct gcal_buf *out)
{
    for (size_t i = 0; i < texts->n; i++)
        gcal_buf_printf(out, "%s%s", i ? "," : "", texts->items[i]);
}

static void put_factors(const struct gcal_generator_arg *a, const char *key,
                        struct gcal_buf *out)
{
    const struct gcal_yaml *list = gcal_yaml_find(a->footprint, key);

    for (size_t i = 0; list && i < list->n_items; i++)
        gcal_buf_printf(out, "%s%s", i ? "," : " ", list->items[i]->text);
    if (list && list->n_items)
        gcal_buf_printf(out, "*%s", key);
}

static void put_argument(const struct gcal_generator_arg *a, struct gcal_buf *out)
{
    if (a->size) {
        /* The defaults follow '='. */
        const struct gcal_strings *texts = &a->defaults;

        gcal_buf_printf(out, "%s:any=", a->name);
        if (a->footprint) {
            gcal_buf_puts(out, "footprint");
            put_factors(a, "cache", out);
            put_factors(a, "memory", out);
        } else if (a->sweep) {
            gcal_buf_printf(out, "%s..%s", texts->items[0], texts->items[texts->n - 1]);
        } else {
            put_list(texts, out);
        }
        return;
    }
    gcal_buf_printf(out, "%s:", a->name);
    switch (a->form) {
    case GCAL_GENERATOR_VALUES_RANGE:
        gcal_buf_printf(out, "%lld..%lld", a->first, a->last);
        if (a->step > 1)
            gcal_buf_printf(out, "/%lld", a->step);
        break;
    case GCAL_GENERATOR_VALUES_POWERS:
        gcal_buf_printf(out, "%lld,%lld..%lld", a->first, 2 * a->first, a->last);
        break;
    case GCAL_GENERATOR_VALUES_LISTED:
    case GCAL_GENERATOR_VALUES_LOADS: /* of derived generators: not described singly */
    case GCAL_GENERATOR_VALUES_SIZE:
        put_list(&a->listed, out);
        break;
    }
    if (a->form == GCAL_GENERATOR_VALUES_LISTED && a->defaults.n == a->listed.n)
        return;
    gcal_buf_puts(out, "=");
    put_list(&a->defaults, out);
}

/* ---- generators ---- */

static void put_tags(const struct gcal_generator *g, struct gcal_buf *out)
{
    gcal_buf_printf(out, "%s [", g->name);
    for (size_t i = 0; i < g->tags.n; i++)
        gcal_buf_printf(out, "%s%s", i ? " " : "", g->tags.items[i]);
    gcal_buf_puts(out, "]");
}

/* The generators derived from number 'origin', which follow it. */
static void put_derived(const struct gcal_catalogue *catalogue, size_t origin,
                        struct gcal_buf *out)
{
    struct lines lines = { .out = out };

    for (size_t i = origin + 1; i < catalogue->n_generators; i++) {
        const struct gcal_generator *g = catalogue->generators[i];
        struct gcal_buf text = { 0 };

        if (g->origin != catalogue->generators[origin])
            break;
        gcal_buf_puts(&text, "+");
        put_tags(g, &text);
        put_words(&lines, text.data ? text.data : "");
        out->failed = out->failed || text.failed;
        gcal_buf_free(&text);
    }
    end_line(&lines);
}

static void put_generator(const struct gcal_generator *g, struct gcal_buf *out)
{
    const struct gcal_yaml *description = gcal_yaml_find(g->root, "description");
    struct lines lines = { .out = out };

    put_tags(g, out);
    gcal_buf_puts(out, "\n");
    if (description && description->kind == GCAL_YAML_SCALAR)
        put_words(&lines, description->text);
    end_line(&lines);
    for (size_t i = 0; i < g->n_arguments; i++) {
        struct gcal_buf text = { 0 };

        put_argument(&g->arguments[i], &text);
        put_words(&lines, text.data ? text.data : "");
        lines.out->failed = lines.out->failed || text.failed;
        gcal_buf_free(&text);
    }
    end_line(&lines);
}

static void put_subject(const struct gcal_catalogue *catalogue, size_t subject,
                        struct gcal_buf *out)
{
    bool begun = false;

    for (size_t i = 0; i < catalogue->n_generators; i++) {
        const struct gcal_generator *g = catalogue->generators[i];

        if (g->origin || gcal_generator_subject(g) != subject)
            continue;
        if (!begun) {
            gcal_buf_printf(out, "%s---- %s", out->size ? "\n" : "",
                            gcal_catalogue_subjects[subject].heading);
            if (gcal_catalogue_subjects[subject].tag)
                gcal_buf_printf(out, " (%s)", gcal_catalogue_subjects[subject].tag);
            gcal_buf_puts(out, " ----\n\n");
        }
        begun = true;
        put_generator(g, out);
        put_derived(catalogue, i, out);
    }
}

char *gcal_catalogue_describe(const struct gcal_catalogue *catalogue,
                              struct gcal_error *err)
{
    struct gcal_buf out = { 0 };

    for (size_t i = 0; i < gcal_catalogue_n_subjects; i++)
        put_subject(catalogue, i, &out);
    gcal_buf_printf(
        &out,
        "\nname [tags], then argument:values=defaults (no defaults: all "
        "values).  any: positive\nintegers; 1..64/3: in steps of 3; 1,2..64: "
        "powers of two.\n"
        "+name: the same kernels with work removed, with further arguments: "
        "loads have\nkeep:all,each,LOAD+..=all accumulators:1..16=1, memory has "
        "accumulators:1..16=1\nbarriers:True,False=True.\n"
        "Sizes with a footprint assume %g MiB of cache and %g GiB of memory.\n",
        gcal_kernel_nominal_limits.cache_bytes / 0x1p20,
        gcal_kernel_nominal_limits.memory_bytes / 0x1p30);
    return gcal_buf_take(&out, err);
}
