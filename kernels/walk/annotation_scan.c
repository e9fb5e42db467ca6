/* annotation_scan.c - the pragmas and comments of the source that are annotations
 *
 * A tag is a comment after an array or pointer that begins with a dollar sign.  A loop's
 * average trip count is "#pragma gpucal trips NAME" in a line before it.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/array.h"
#include "kernels/walk/private.h"

enum { MOST_GROUPS = 64 };

struct scan {
    struct gcal_walk *w;
    const char *source, *p;
    size_t n_groups, groups[MOST_GROUPS];
    bool in_macro, line_starts;
};

static struct gcal_walk_annotation *add_annotation(struct gcal_walk *w)
{
    struct gcal_walk_annotation *moved =
        gcal_array_grow(w->annotations.all, w->annotations.n, &w->annotations.capacity,
                        sizeof(*moved), NULL);

    if (!moved) {
        gcal_walk_fail_memory(w);
        return NULL;
    }
    w->annotations.all = moved;
    moved += w->annotations.n++;
    *moved = (struct gcal_walk_annotation){ 0 };
    return moved;
}

static void add(struct scan *s, bool is_tag, const char *at, const char *name, size_t n)
{
    struct gcal_walk_annotation *annotation = add_annotation(s->w);

    if (!annotation)
        return;
    annotation->is_tag = is_tag;
    annotation->at = (size_t)(at - s->source);
    annotation->name = gcal_poly_format(s->w->c, "%.*s", (int)n, name);
    annotation->in_macro = s->in_macro;
    annotation->group = s->n_groups ? s->groups[s->n_groups - 1] : 0;
}

static size_t name_length(const char *p)
{
    size_t n = 0;

    while (isalnum((unsigned char)p[n]) || p[n] == '_')
        n++;
    return n;
}

/* After the next 'end', or at the end of the text. */
static const char *after(const char *p, const char *end)
{
    const char *found = strstr(p, end);

    return found ? found + strlen(end) : p + strlen(p);
}

static void scan_comment(struct scan *s)
{
    size_t n = s->p[2] == '$' ? name_length(s->p + 3) : 0;

    if (n && s->p[3 + n] == '*' && s->p[4 + n] == '/')
        add(s, true, s->p, s->p + 3, n);
    s->p = after(s->p + 2, "*/");
}

static void skip_quoted(struct scan *s)
{
    char quote = *s->p++;

    while (*s->p && *s->p != quote && *s->p != '\n')
        s->p += s->p[0] == '\\' && s->p[1] ? 2 : 1;
    if (*s->p == quote)
        s->p++;
}

static const char *skip_blanks(const char *p)
{
    return p + strspn(p, " \t");
}

/* Skips 'word' and blanks at *p; false when it is another word. */
static bool skip_word(const char **p, const char *word)
{
    size_t n = strlen(word);

    if (name_length(*p) != n || strncmp(*p, word, n) != 0)
        return false;
    *p = skip_blanks(*p + n);
    return true;
}

static void scan_directive(struct scan *s)
{
    const char *at = s->p, *p = skip_blanks(s->p + 1);

    s->p++;
    if (skip_word(&p, "define")) {
        s->in_macro = true;
    } else if (strncmp(p, "if", 2) == 0) {
        if (s->n_groups < MOST_GROUPS)
            s->groups[s->n_groups++] = (size_t)(at - s->source);
    } else if (skip_word(&p, "endif")) {
        s->n_groups -= s->n_groups > 0;
    } else if (skip_word(&p, "pragma") && skip_word(&p, "gpucal")) {
        size_t n;

        if (!skip_word(&p, "trips") || !(n = name_length(p)) ||
            isdigit((unsigned char)*p))
            n = 0;
        add(s, false, at, p, n); /* annotation.c refuses an empty name */
    }
}

static void scan_line_end(struct scan *s)
{
    bool continued = s->p > s->source && s->p[-1] == '\\';

    s->in_macro = s->in_macro && continued;
    s->line_starts = !continued;
    s->p++;
}

static void scan_step(struct scan *s)
{
    bool line_starts = s->line_starts;

    if (*s->p == '\n') {
        scan_line_end(s);
        return;
    }
    s->line_starts = line_starts && isspace((unsigned char)*s->p);
    if (s->p[0] == '/' && s->p[1] == '*')
        scan_comment(s);
    else if (s->p[0] == '/' && s->p[1] == '/')
        s->p += strcspn(s->p, "\n");
    else if (*s->p == '"' || *s->p == '\'')
        skip_quoted(s);
    else if (*s->p == '#' && line_starts)
        scan_directive(s);
    else
        s->p++;
}

void gcal_walk_annotations_scan(struct gcal_walk *w)
{
    const char *source = w->unit->source;
    struct scan s = { .w = w, .source = source, .p = source, .line_starts = true };

    for (size_t i = 0; i < w->request->n_trips; i++) {
        struct gcal_walk_annotation *annotation = add_annotation(w);

        if (!annotation)
            return;
        annotation->line = w->request->trips[i].line;
        annotation->name = gcal_poly_format(w->c, "%s", w->request->trips[i].parameter);
    }
    if (!strstr(source, "/*$") && !strstr(source, "gpucal"))
        return;
    while (*s.p && !w->failed)
        scan_step(&s);
}
