/* scan.c - the pragmas and comments of the source that are annotations
 *
 * A tag is a comment after an array or pointer that begins with a dollar sign.  A loop's
 * average trip count is "#pragma gpucal trips NAME" in a line before it.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/annotations/private.h"

enum { MOST_GROUPS = 64 };

struct scan {
    struct gcal_annotations *a;
    struct gcal_poly_context *c;
    struct gcal_error *err;
    bool failed;
    const char *source, *p;
    size_t n_groups, groups[MOST_GROUPS];
    bool in_macro, line_starts;
};

static struct gcal_annotation *add_annotation(struct scan *s)
{
    struct gcal_annotations *a = s->a;
    struct gcal_annotation *moved =
        gcal_array_grow(a->all, a->n, &a->capacity, sizeof(*moved), s->err);

    if (!moved) {
        s->failed = true;
        return NULL;
    }
    a->all = moved;
    moved += a->n++;
    *moved = (struct gcal_annotation){ 0 };
    return moved;
}

static void add(struct scan *s, bool is_tag, const char *at, const char *name, size_t n)
{
    struct gcal_annotation *annotation = add_annotation(s);

    if (!annotation)
        return;
    annotation->is_tag = is_tag;
    annotation->at = (size_t)(at - s->source);
    annotation->name = gcal_poly_format(s->c, "%.*s", (int)n, name);
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

static void scan_step(struct scan *s)
{
    bool line_starts = s->line_starts;

    if (*s->p == '\n') {
        bool continued = s->p > s->source && s->p[-1] == '\\';

        s->in_macro = s->in_macro && continued;
        s->line_starts = !continued;
        s->p++;
        return;
    }
    s->line_starts = line_starts && isspace((unsigned char)*s->p);
    if (s->p[0] == '/' && s->p[1] == '*') {
        size_t n = s->p[2] == '$' ? name_length(s->p + 3) : 0;

        if (n && s->p[3 + n] == '*' && s->p[4 + n] == '/')
            add(s, true, s->p, s->p + 3, n);
        s->p = after(s->p + 2, "*/");
    } else if (s->p[0] == '/' && s->p[1] == '/')
        s->p += strcspn(s->p, "\n");
    else if (*s->p == '"' || *s->p == '\'') {
        char quote = *s->p++;

        while (*s->p && *s->p != quote && *s->p != '\n')
            s->p += s->p[0] == '\\' && s->p[1] ? 2 : 1;
        if (*s->p == quote)
            s->p++;
    } else if (*s->p == '#' && line_starts) {
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
            add(s, false, at, p, n); /* attach.c refuses an empty name */
        }
    } else
        s->p++;
}

int gcal_annotations_scan(struct gcal_annotations *a, size_t n_trips,
                          const struct gcal_count_trips *trips,
                          struct gcal_poly_context *c, struct gcal_error *err)
{
    const char *source = a->unit->source;
    struct scan s = {
        .a = a, .c = c, .err = err, .source = source, .p = source, .line_starts = true
    };

    for (size_t i = 0; i < n_trips; i++) {
        struct gcal_annotation *annotation = add_annotation(&s);

        if (!annotation)
            return -1;
        annotation->line = trips[i].line;
        annotation->name = gcal_poly_format(c, "%s", trips[i].parameter);
    }
    if (!strstr(source, "/*$") && !strstr(source, "gpucal"))
        return 0;
    while (*s.p && !s.failed)
        scan_step(&s);
    return s.failed ? -1 : 0;
}
