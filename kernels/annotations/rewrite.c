/* rewrite.c - tags in comments rewritten as GPUCAL_TAG(name, access)
 *
 * For work removal, whose output is printed from the syntax tree, which has no comments.
 * The source keeps its line numbers.
 */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/annotations/private.h"

/* ---- insertions ---- */

/* The text before (or after) the access of 'annotation', at offset 'at'. */
struct insertion {
    size_t at;
    bool is_end;
    const struct gcal_annotation *annotation;
};

/* By offset; at one offset ends come first, and an inner access ends before and begins
 * after an outer one.
 */
static int by_offset(const void *left, const void *right)
{
    const struct insertion *a = left, *b = right;

    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    if (a->is_end != b->is_end)
        return a->is_end ? -1 : 1;
    if (a->is_end)
        return a->annotation->from > b->annotation->from
                   ? -1
                   : a->annotation->from < b->annotation->from;
    return a->annotation->to > b->annotation->to ? -1
                                                 : a->annotation->to < b->annotation->to;
}

/* Returns whether the access is one piece of text.  With macros its ends may be anywhere: then
 * there are statements or directives between them.
 */
static bool is_one_text(const char *source, const struct gcal_annotation *annotation)
{
    size_t length = annotation->at - annotation->from;

    return annotation->from < annotation->at && annotation->to > annotation->from &&
           !memchr(source + annotation->from, ';', length) &&
           !memchr(source + annotation->from, '#', length) &&
           !memchr(source + annotation->from, '{', length);
}

static int refuse(const struct gcal_annotations *a,
                  const struct gcal_annotation *annotation, struct gcal_poly_context *c,
                  struct gcal_error *err)
{
    return gcal_source_error_at(
        a->unit, annotation->at, err,
        gcal_poly_format(c,
                         "the access with tag '%s' comes from a macro: use "
                         "GPUCAL_TAG(%s, ...)",
                         annotation->name, annotation->name));
}

/* ---- the new text ---- */

static int put_insertions(const struct gcal_annotations *a, struct gcal_poly_context *c,
                          struct insertion *insertions, struct gcal_buf *out,
                          struct gcal_error *err)
{
    size_t position = 0, n_insertions = 0;

    for (size_t i = 0; i < a->n; i++) {
        const struct gcal_annotation *annotation = &a->all[i];

        if (!annotation->found)
            continue; /* in a function that is not called */
        if (!is_one_text(a->unit->source, annotation))
            return refuse(a, annotation, c, err);
        insertions[n_insertions++] =
            (struct insertion){ annotation->from, false, annotation };
        insertions[n_insertions++] =
            (struct insertion){ annotation->to, true, annotation };
    }
    qsort(insertions, n_insertions, sizeof(*insertions), by_offset);
    for (size_t i = 0; i < n_insertions; i++) {
        gcal_buf_put(out, a->unit->source + position, insertions[i].at - position);
        const struct gcal_annotation *annotation = insertions[i].annotation;
        if (insertions[i].is_end)
            gcal_buf_puts(out, annotation->is_pointer ? "))" : ")");
        else if (annotation->is_pointer)
            gcal_buf_printf(out, "&GPUCAL_TAG(%s, *(", annotation->name);
        else
            gcal_buf_printf(out, "GPUCAL_TAG(%s, ", annotation->name);
        position = insertions[i].at;
    }
    gcal_buf_puts(out, a->unit->source + position);
    return 0;
}

static char *rewrite(struct gcal_annotations *a, CXCursor kernel,
                     struct gcal_poly_context *c, struct gcal_error *err)
{
    struct gcal_buf out = { 0 };
    struct insertion *insertions;
    char *text = NULL;

    if (gcal_annotations_scan(a, 0, NULL, c, err) < 0)
        return NULL;
    /* Pragmas remain in the source. */
    size_t n = 0;

    for (size_t i = 0; i < a->n; i++)
        if (a->all[i].is_tag)
            a->all[n++] = a->all[i];
    a->n = n;
    if (gcal_annotations_attach(a, kernel, c, err) < 0 ||
        gcal_poly_context_check(c, err) < 0)
        return NULL;
    if (!(insertions = calloc(2 * a->n + 1, sizeof(*insertions))))
        gcal_error_memory(err);
    else if (put_insertions(a, c, insertions, &out, err) == 0)
        text = gcal_buf_take(&out, err);
    free(insertions);
    gcal_buf_free(&out);
    return text;
}

char *gcal_annotations_rewrite_tags(const struct gcal_source_unit *unit, CXCursor kernel,
                                    struct gcal_error *err)
{
    struct gcal_annotations a = { .unit = unit };
    struct gcal_poly_context *c = gcal_poly_context_create(err);
    char *text;

    if (!c)
        return NULL;
    text = rewrite(&a, kernel, c, err);
    gcal_annotations_clear(&a);
    gcal_poly_context_destroy(c);
    return text;
}
