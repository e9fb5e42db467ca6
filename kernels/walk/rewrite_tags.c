/* rewrite_tags.c - tags that are comments, spelled out as GPUCAL_TAG(name, access)
 *
 * A tree that is printed has no comments.  What is put into the source leaves its lines
 * where they are.
 */
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "kernels/request.h"
#include "kernels/walk/private.h"

/* ---- where ---- */

/* What is put in at 'at': the front or the end of 'annotation'. */
struct piece {
    size_t at;
    bool is_end;
    const struct gcal_walk_annotation *annotation;
};

/* Ends stand before fronts, and what is inside of another ends earlier, begins later. */
static int by_place(const void *left, const void *right)
{
    const struct piece *a = left, *b = right;

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

/* Macros spell parts of an access elsewhere: between the ends of what stands where it is
 * read there are no statements.
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
    int line = 1;

    for (size_t i = 0; i < annotation->at; i++)
        line += w->unit->source[i] == '\n';
    return gcal_error_set(w->err, GCAL_EINPUT,
                          "%s:%d: the access that is tagged '%s' is spelled by a macro: "
                          "use GPUCAL_TAG(%s, ...)",
                          w->unit->file, line, annotation->name, annotation->name);
}

/* ---- the new text ---- */

static void put_piece(const struct piece *piece, struct gcal_buf *out)
{
    const struct gcal_walk_annotation *annotation = piece->annotation;

    if (piece->is_end)
        gcal_buf_puts(out, annotation->is_pointer ? "))" : ")");
    else if (annotation->is_pointer)
        gcal_buf_printf(out, "&GPUCAL_TAG(%s, *(", annotation->name);
    else
        gcal_buf_printf(out, "GPUCAL_TAG(%s, ", annotation->name);
}

static int put_pieces(const struct gcal_walk *w, size_t n, struct piece *pieces,
                      struct gcal_buf *out)
{
    size_t position = 0, n_pieces = 0;

    for (size_t i = 0; i < n; i++) {
        const struct gcal_walk_annotation *annotation = &w->annotations.all[i];

        if (!annotation->found)
            continue; /* in a function that is not called */
        if (!is_one_text(w, annotation))
            return refuse(w, annotation);
        pieces[n_pieces++] = (struct piece){ annotation->from, false, annotation };
        pieces[n_pieces++] = (struct piece){ annotation->to, true, annotation };
    }
    qsort(pieces, n_pieces, sizeof(*pieces), by_place);
    for (size_t i = 0; i < n_pieces; i++) {
        gcal_buf_put(out, w->unit->source + position, pieces[i].at - position);
        put_piece(&pieces[i], out);
        position = pieces[i].at;
    }
    gcal_buf_puts(out, w->unit->source + position);
    return 0;
}

static char *rewrite(struct gcal_walk *w, CXCursor kernel)
{
    struct gcal_buf out = { 0 };
    struct piece *pieces;
    char *text = NULL;
    size_t n = 0;

    gcal_walk_annotations_scan(w);
    for (size_t i = 0; i < w->annotations.n; i++) /* loops' pragmas stay as they are */
        if (w->annotations.all[i].is_tag)
            w->annotations.all[n++] = w->annotations.all[i];
    w->annotations.n = n;
    gcal_walk_annotations_attach(w, kernel);
    if (w->failed || gcal_poly_context_check(w->c, w->err) < 0)
        return NULL;
    if (!(pieces = calloc(2 * n + 1, sizeof(*pieces))))
        gcal_error_memory(w->err);
    else if (put_pieces(w, n, pieces, &out) == 0)
        text = gcal_buf_take(&out, w->err);
    free(pieces);
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
