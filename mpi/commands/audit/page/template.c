/* template.c - assets of the page, with values filled in */
#include <math.h>
#include <string.h>

#include "mpi/commands/audit/page/private.h"

extern const struct gcal_embedded_file gcal_page_assets[];

const char *gcal_page_asset(const char *name)
{
    const struct gcal_embedded_file *file = gcal_page_assets;

    while (file->name && strcmp(file->name, name) != 0)
        file++;
    return file->name ? file->text : "";
}

void gcal_page_part_clear(struct gcal_page_part *part)
{
    gcal_buf_free(&part->html);
    gcal_buf_free(&part->script);
}

/* ---- tags ---- */

#define MAX_TAG 64

/* A template while it is filled. */
struct filling {
    struct gcal_buf *html;
    const struct gcal_page_value *values;
    size_t hidden; /* sections that are open from the outermost hidden one on */
};

static const struct gcal_page_value *find(const struct filling *f, const char *name)
{
    static const struct gcal_page_value none = { .is_text = true };
    const struct gcal_page_value *value = f->values;

    while (value->name && strcmp(value->name, name) != 0)
        value++;
    return value->name ? value : &none;
}

static bool is_shown(const struct gcal_page_value *value)
{
    if (value->is_text)
        return value->text && *value->text;
    return isfinite(value->number) && value->number != 0;
}

static void open_section(struct filling *f, const char *tag)
{
    if (f->hidden || is_shown(find(f, tag + 1)) != (*tag == '#'))
        f->hidden++;
}

static void put_value(const struct filling *f, char *tag)
{
    char *format = tag + strcspn(tag, " ");

    if (*format)
        *format++ = '\0';
    gcal_page_put_value(f->html, find(f, tag), format);
}

static void put_raw(const struct filling *f, const char *name)
{
    const struct gcal_page_value *value = find(f, name);

    gcal_buf_puts(f->html, value->text ? value->text : "");
}

static void put_tag(struct filling *f, char *tag)
{
    if (*tag == '#' || *tag == '^')
        open_section(f, tag);
    else if (*tag == '/')
        f->hidden -= f->hidden > 0;
    else if (f->hidden)
        return;
    else if (*tag == '{')
        put_raw(f, tag + 1);
    else if (strcmp(tag, "plot") == 0)
        gcal_buf_put(f->html, (char[]){ GCAL_PAGE_PLOT }, 1);
    else if (strcmp(tag, "caption") == 0)
        gcal_buf_put(f->html, (char[]){ GCAL_PAGE_CAPTION }, 1);
    else if (strcmp(tag, "content") == 0)
        gcal_buf_put(f->html, (char[]){ GCAL_PAGE_CONTENT }, 1);
    else
        put_value(f, tag);
}

/* The tag at 'at' without braces in 'tag'; what follows it. */
static const char *read_tag(const char *at, char tag[MAX_TAG])
{
    const char *name = at + 2, *end = strstr(name, "}}");
    size_t length = end ? (size_t)(end - name) : strlen(name);

    snprintf(tag, MAX_TAG, "%.*s", (int)length, name);
    at = end ? end + 2 : name + length;
    return *tag == '{' && *at == '}' ? at + 1 : at;
}

/* ---- text ---- */

/* A line break, which is left out between two tags; what follows it. */
static const char *put_break(struct filling *f, const char *start, const char *at)
{
    const char *next = at + strspn(at, " \n");
    bool after_tag = at > start && strchr(">}", at[-1]);

    if (!f->hidden && !(after_tag && *next && strchr("<{", *next)))
        gcal_buf_puts(f->html, "\n");
    return next;
}

void gcal_page_fill(struct gcal_buf *html, const char *asset,
                    const struct gcal_page_value *values)
{
    const char *start = gcal_page_asset(asset), *at = start;
    struct filling f = { .html = html, .values = values };
    char tag[MAX_TAG];
    size_t length;

    while (*at) {
        length = strcspn(at, "{\n");
        if (!length && strncmp(at, "{{", 2) != 0 && *at != '\n')
            length = 1;
        if (length) {
            if (!f.hidden)
                gcal_buf_put(html, at, length);
            at += length;
        } else if (*at == '\n')
            at = put_break(&f, start, at);
        else {
            at = read_tag(at, tag);
            put_tag(&f, tag);
        }
    }
}
