/* rewrite_tags.c - tags in comments rewritten as GPUCAL_TAG(name, access)
 *
 * For work removal, whose output is printed from the syntax tree, which has no comments.
 * The source keeps its line numbers.
 */
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "kernels/request.h"
#include "kernels/walk/private.h"

/* ---- insertions ---- */

/* The text before (or after) the access of 'annotation', at offset 'at'. */
struct insertion {
    size_t at;
    bool is_end;
    const struct gcal_walk_annotation *annotation;
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

/* Whether the access is one piece of text.  With macros its ends may be anywhere: then
 * there are statements or directives between them.
 */
static bool is_one_text(const struct gcal_walk *w,
                        const struct gcal_walk_annotation *annotation)
{
    size_t length = annotation->at - annotation->from;

    return annotation->from < annotation->at && annotation->to > annotation->from &&
           !memchr(w->unit->source + annotation->from, ';', length) &&
           !memchr(w->unit->source + annotation->from, '#', length) &&
           !memchr(w->unit->source + annotation->from, '{', length);
}

static int refuse(const struct gcal_walk *w,
                  const struct gcal_walk_annotation *annotation)
{
    return gcal_source_error_at(w->unit, annotation->at, w->err,
                                gcal_poly_format(w->c,
                                                 "the access with tag '%s' comes from a "
                                                 "macro: use GPUCAL_TAG(%s, ...)",
                                                 annotation->name, annotation->name));
}

/* ---- the new text ---- */

static void put_insertion(const struct insertion *insertion, struct gcal_buf *out)
{
    const struct gcal_walk_annotation *annotation = insertion->annotation;

    if (insertion->is_end)
        gcal_buf_puts(out, annotation->is_pointer ? "))" : ")");
    else if (annotation->is_pointer)
        gcal_buf_printf(out, "&GPUCAL_TAG(%s, *(", annotation->name);
    else
        gcal_buf_printf(out, "GPUCAL_TAG(%s, ", annotation->name);
}

static int put_insertions(const struct gcal_walk *w, size_t n,
                          struct insertion *insertions, struct gcal_buf *out)
{
    size_t position = 0, n_insertions = 0;

    for (size_t i = 0; i < n; i++) {
        const struct gcal_walk_annotation *annotation = &w->annotations.all[i];

        if (!annotation->found)
            continue; /* in a function that is not called */
        if (!is_one_text(w, annotation))
            return refuse(w, annotation);
        insertions[n_insertions++] =
            (struct insertion){ annotation->from, false, annotation };
        insertions[n_insertions++] =
            (struct insertion){ annotation->to, true, annotation };
    }
    qsort(insertions, n_insertions, sizeof(*insertions), by_offset);
    for (size_t i = 0; i < n_insertions; i++) {
        gcal_buf_put(out, w->unit->source + position, insertions[i].at - position);
        put_insertion(&insertions[i], out);
        position = insertions[i].at;
    }
    gcal_buf_puts(out, w->unit->source + position);
    return 0;
}

static char *rewrite(struct gcal_walk *w, CXCursor kernel)
{
    struct gcal_buf out = { 0 };
    struct insertion *insertions;
    char *text = NULL;
    size_t n = 0;

    gcal_walk_annotations_scan(w);
    for (size_t i = 0; i < w->annotations.n; i++) /* pragmas remain in the source */
        if (w->annotations.all[i].is_tag)
            w->annotations.all[n++] = w->annotations.all[i];
    w->annotations.n = n;
    gcal_walk_annotations_attach(w, kernel);
    if (w->failed || gcal_poly_context_check(w->c, w->err) < 0)
        return NULL;
    if (!(insertions = calloc(2 * n + 1, sizeof(*insertions))))
        gcal_error_memory(w->err);
    else if (put_insertions(w, n, insertions, &out) == 0)
        text = gcal_buf_take(&out, w->err);
    free(insertions);
    gcal_buf_free(&out);
    return text;
}

char *gcal_walk_rewrite_tags(const struct gcal_source_unit *unit, CXCursor kernel,
                             struct gcal_error *err)
{
    struct gcal_count_request request = { .source = unit->source };
    struct gcal_walk w = { .request = &request, .unit = unit, .err = err };
    char *text = NULL;

    if (!(w.c = gcal_poly_context_create(err)))
        return NULL;
    text = rewrite(&w, kernel);
    gcal_walk_clear(&w);
    gcal_poly_context_destroy(w.c);
    return text;
}
