/* text.c - lines of fields, separated by tabs */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "store/medians/private.h"

#define RUN(TYPE, NAME, MEMBER)                                                          \
    GCAL_FIELD(struct gcal_record_header, TYPE, NAME, MEMBER, NULL, NULL)

const struct gcal_field gcal_medians_run_fields[] = {
    RUN(TEXT, "run_id", run_id),
    RUN(TEXT, "started_utc", started_utc),
    RUN(OPTIONAL_TEXT, "finished_utc", finished_utc),
    RUN(TEXT, "gpucal_version", gpucal_version),
    RUN(TEXT, "catalogue", catalogue),
    { 0 },
};

/* ---- writing ---- */

void gcal_medians_put_text(struct gcal_buf *buf, const char *text)
{
    for (; text && *text; text++)
        if (*text == '\t')
            gcal_buf_puts(buf, "\\t");
        else if (*text == '\n')
            gcal_buf_puts(buf, "\\n");
        else if (*text == '\\')
            gcal_buf_puts(buf, "\\\\");
        else
            gcal_buf_put(buf, text, 1);
}

void gcal_medians_put_fields(struct gcal_buf *buf, const char *before,
                             const struct gcal_field *fields, const void *object)
{
    for (const struct gcal_field *f = fields; f->name; f++) {
        gcal_buf_printf(buf, "\t%s%s=", before, f->name);
        const void *member = (const char *)object + f->offset;
        switch (f->type) {
        case GCAL_FIELD_F64:
            gcal_buf_printf(buf, "%.17g", *(const double *)member);
            break;
        case GCAL_FIELD_U64:
            gcal_buf_printf(buf, "%llu", (unsigned long long)*(const uint64_t *)member);
            break;
        case GCAL_FIELD_INT:
            gcal_buf_printf(buf, "%d", *(const int *)member);
            break;
        case GCAL_FIELD_BOOL:
            gcal_buf_printf(buf, "%d", *(const bool *)member);
            break;
        case GCAL_FIELD_ENUM:
            gcal_buf_puts(buf,
                          gcal_field_value_name(f->values, *(const unsigned *)member));
            break;
        default:
            gcal_medians_put_text(buf, *(char *const *)member);
        }
    }
}

/* ---- reading ---- */

int gcal_medians_damaged(const struct gcal_medians_lines *lines, struct gcal_error *err)
{
    return gcal_error_set(err, GCAL_EINPUT, "line %zu is damaged", lines->number);
}

int gcal_medians_next(struct gcal_medians_lines *lines, struct gcal_error *err)
{
    char *line = lines->at, *end, *word;

    if (line >= lines->end)
        return 0;
    lines->number++;
    if (!(end = memchr(line, '\n', (size_t)(lines->end - line))) ||
        memchr(line, '\0', (size_t)(end - line)))
        return gcal_medians_damaged(lines, err);
    *end = '\0';
    lines->at = end + 1;
    lines->n = 0;
    while ((word = strsep(&line, "\t"))) {
        char *to = word;

        lines->words = gcal_arena_grow(lines->arena, lines->words, lines->n,
                                       &lines->capacity, sizeof(*lines->words));
        lines->words[lines->n++] = word;
        for (const char *text = word; *text; text++)
            if (*text != '\\' || !text[1])
                *to++ = *text;
            else
                *to++ = *++text == 't' ? '\t' : *text == 'n' ? '\n' : *text;
        *to = '\0';
    }
    return 1;
}

const char *gcal_medians_value(const struct gcal_medians_lines *lines, size_t i,
                               const char *name)
{
    size_t length = strlen(name);
    const char *word = lines->words[i];

    return strncmp(word, name, length) == 0 && word[length] == '=' ? word + length + 1
                                                                   : NULL;
}

int gcal_medians_number(const char *text, double *value, struct gcal_error *err)
{
    char *end;

    *value = strtod(text, &end);
    return end == text || *end
               ? gcal_error_set(err, GCAL_EINPUT, "'%s' is not a number", text)
               : 0;
}

int gcal_medians_count(const char *text, size_t *value, struct gcal_error *err)
{
    char *end;

    errno = 0;
    *value = strtoull(text, &end, 10);
    return end == text || *end || errno || *text == '-'
               ? gcal_error_set(err, GCAL_EINPUT, "'%s' is not a count", text)
               : 0;
}

static int get_value(struct gcal_arena *arena, const struct gcal_field *f,
                     const char *text, void *member, struct gcal_error *err)
{
    size_t count = 0;

    switch (f->type) {
    case GCAL_FIELD_F64:
        return gcal_medians_number(text, member, err);
    case GCAL_FIELD_ENUM:
        for (unsigned i = 0; f->values[i]; i++)
            if (strcmp(f->values[i], text) == 0) {
                *(unsigned *)member = i;
                return 0;
            }
        return gcal_error_set(err, GCAL_EINPUT, "'%s' is no %s", text, f->name);
    case GCAL_FIELD_TEXT:
    case GCAL_FIELD_OPTIONAL_TEXT:
        if (f->type == GCAL_FIELD_TEXT || *text)
            *(char **)member = gcal_arena_strdup(arena, text);
        return 0;
    default:
        if (gcal_medians_count(text, &count, err) < 0)
            return -1;
        if (f->type == GCAL_FIELD_U64)
            *(uint64_t *)member = count;
        else if (f->type == GCAL_FIELD_INT)
            *(int *)member = (int)count;
        else
            *(bool *)member = count == 1;
        return 0;
    }
}

static const struct gcal_field *find_field(const struct gcal_field *fields,
                                           const char *before, const char *word)
{
    size_t length = strlen(before), end = strcspn(word, "=");

    if (!word[end] || strncmp(word, before, length) != 0)
        return NULL;
    for (const struct gcal_field *f = fields; f->name; f++)
        if (end - length == strlen(f->name) &&
            strncmp(word + length, f->name, end - length) == 0)
            return f;
    return NULL;
}

int gcal_medians_get_fields(const struct gcal_medians_lines *lines, const char *before,
                            const struct gcal_field *fields, void *object,
                            struct gcal_error *err)
{
    for (size_t i = 1; i < lines->n; i++) {
        const struct gcal_field *f = find_field(fields, before, lines->words[i]);

        if (f && get_value(lines->arena, f, strchr(lines->words[i], '=') + 1,
                           (char *)object + f->offset, err) < 0)
            return -1;
    }
    for (const struct gcal_field *f = fields; f->name; f++) {
        char **text = (void *)((char *)object + f->offset);

        if (f->type == GCAL_FIELD_TEXT && !*text)
            *text = gcal_arena_strdup(lines->arena, "");
    }
    return 0;
}
