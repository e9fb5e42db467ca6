/* html.c - an audit as a page: collects devices, then writes the file
 *
 * Devices come one by one.  Each leaves a row for the overview, and the worst a section
 * with the script of its plots; after the last, gnuplot draws all plots in one run and
 * the page is put together.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/hash.h"
#include "mpi/commands/audit/page/plot.h"
#include "mpi/commands/audit/page/private.h"
#include "mpi/cli/file_replace.h"

struct html {
    const struct gcal_audit_output_options *about;
    struct gcal_file_replace out;
    struct gcal_page_overview overview;
    size_t n_sections, n_left_out;
    struct gcal_page_section sections[GCAL_PAGE_SECTIONS]; /* the worst come first */
};

/* ---- devices ---- */

/* Whether the device is worse than that of the section. */
static bool is_worse(int severity, double change, const struct gcal_page_section *section)
{
    if (severity != section->severity)
        return severity > section->severity;
    return change > section->change;
}

/* Inserts the section in order. */
static void keep(struct html *h, const struct gcal_page_section *section)
{
    size_t at = h->n_sections++;

    while (at && is_worse(section->severity, section->change, &h->sections[at - 1])) {
        h->sections[at] = h->sections[at - 1];
        at--;
    }
    h->sections[at] = *section;
}

/* If the page is full, the least severe section is left out. */
static int add_section(struct html *h, const struct gcal_audit_device *device,
                       struct gcal_error *err)
{
    struct gcal_page_section *last = &h->sections[GCAL_PAGE_SECTIONS - 1], section;
    double change = device->n_findings ? fabs(device->findings[0].change) : 0;
    int severity = gcal_page_severity(device->verdict);

    if (h->n_sections == GCAL_PAGE_SECTIONS) {
        h->n_left_out++;
        if (!is_worse(severity, change, last))
            return 0;
        gcal_page_section_clear(last);
        h->n_sections--;
    }
    if (gcal_page_section_make(&section, device, h->overview.n_rows - 1, h->about, err) <
        0)
        return -1;
    section.severity = severity;
    section.change = change;
    keep(h, &section);
    return 0;
}

static int put_device(void *context, const struct gcal_audit_device *device,
                      struct gcal_error *err)
{
    struct html *h = context;

    if (!device->n_runs)
        return 0;
    if (gcal_page_overview_add(&h->overview, device, err) < 0)
        return -1;
    return h->about->all || gcal_audit_needs_attention(device->verdict)
               ? add_section(h, device, err)
               : 0;
}

/* ---- the page ---- */

/* The sections with plots come first. */
static size_t count_open(const struct html *h)
{
    return h->n_sections < GCAL_PAGE_OPEN ? h->n_sections : GCAL_PAGE_OPEN;
}

/* The plots of all parts of the page, in its order. */
static int draw(const struct html *h, const struct gcal_page_part *types, FILE **drawn,
                struct gcal_error *err)
{
    FILE *script = tmpfile();
    int rc;

    if (!script)
        return gcal_error_set(err, GCAL_EINPUT, "temporary file: %m");
    if (types->script.size)
        fputs(types->script.data, script);
    for (size_t i = 0; i < count_open(h); i++)
        if (h->sections[i].plots.script.size)
            fputs(h->sections[i].plots.script.data, script);
    rc = gcal_plot_draw(script, drawn, err);
    fclose(script);
    return rc;
}

/* The page while it is written. */
struct writing {
    FILE *page, *drawn;
    size_t n_captions;
};

static const char *find_mark(const char *at, const char *end)
{
    while (at < end && *at != GCAL_PAGE_PLOT && *at != GCAL_PAGE_CAPTION)
        at++;
    return at;
}

static int put_mark(struct writing *w, char mark, struct gcal_error *err)
{
    if (mark == GCAL_PAGE_PLOT)
        return gcal_plot_take(w->drawn, w->page, w->n_captions, err);
    fprintf(w->page, " id=\"c%zu\"", ++w->n_captions);
    return 0;
}

/* Text with plots in it. */
static int put_text(struct writing *w, const char *at, const char *end,
                    struct gcal_error *err)
{
    while (at < end) {
        const char *mark = find_mark(at, end);

        fwrite(at, 1, (size_t)(mark - at), w->page);
        if (mark < end && put_mark(w, *mark, err) < 0)
            return -1;
        at = mark + 1;
    }
    return 0;
}

static int put_part(struct writing *w, const struct gcal_buf *html,
                    struct gcal_error *err)
{
    return html->size ? put_text(w, html->data, html->data + html->size, err) : 0;
}

/* Where the content of 'html' goes. */
static const char *find_content(const struct gcal_buf *html)
{
    const char *mark = memchr(html->data, GCAL_PAGE_CONTENT, html->size);

    return mark ? mark : html->data + html->size - 1;
}

static int put_section(struct writing *w, const struct gcal_page_section *s, bool is_open,
                       struct gcal_error *err)
{
    const char *start = s->main.html.data, *end = start + s->main.html.size;
    const char *content = find_content(&s->main.html);

    if (put_text(w, start, content, err) < 0 ||
        (is_open && put_part(w, &s->plots.html, err) < 0))
        return -1;
    return put_text(w, content + 1, end, err);
}

/* 'folded': around those without plots. */
static int put_sections(const struct html *h, struct writing *w,
                        const struct gcal_buf *folded, struct gcal_error *err)
{
    size_t n_open = count_open(h);
    const char *content = find_content(folded);

    for (size_t i = 0; i < h->n_sections; i++) {
        if (i == n_open)
            fwrite(folded->data, 1, (size_t)(content - folded->data), w->page);
        if (put_section(w, &h->sections[i], i < n_open, err) < 0)
            return -1;
    }
    if (h->n_sections > n_open)
        fputs(content + 1, w->page);
    return 0;
}

/* The page around the sections: the frame, text, and the types with their plots. */
struct overview_parts {
    struct gcal_page_part frame, tables, types, others, folded, left_out;
};

static void put_frame(struct gcal_buf *html, const struct html *h,
                      const struct gcal_audit_summary *summary)
{
    const char *style = gcal_page_asset("page.css"), *script = gcal_page_asset("page.js");
    char style_hash[GCAL_HASH_BASE64_SIZE], script_hash[GCAL_HASH_BASE64_SIZE];
    struct gcal_buf head = { 0 };

    gcal_hash_base64(style, strlen(style), style_hash);
    gcal_hash_base64(script, strlen(script), script_hash);
    gcal_page_head(&head, h->about, summary, &h->overview);
    gcal_page_fill(html, "frame.html",
                   (const struct gcal_page_value[]){ TEXT("style", style),
                                                     TEXT("style_hash", style_hash),
                                                     TEXT("script", script),
                                                     TEXT("script_hash", script_hash),
                                                     TEXT("head", head.data),
                                                     { 0 } });
    html->failed |= head.failed;
    gcal_buf_free(&head);
}

static void put_limits(struct overview_parts *parts, const struct html *h)
{
    const struct gcal_page_value values[] = { NUMBER("n", h->n_sections - count_open(h)),
                                              NUMBER("n_drawn", count_open(h)),
                                              NUMBER("n_sections", h->n_sections),
                                              NUMBER("n_left_out", h->n_left_out),
                                              { 0 } };

    gcal_page_fill(&parts->folded.html, "folded.html", values);
    gcal_page_fill(&parts->left_out.html, "left_out.html", values);
}

static int make_overview(struct html *h, const struct gcal_audit_summary *summary,
                         struct overview_parts *parts, struct gcal_error *err)
{
    for (size_t i = 0; i < h->n_sections; i++)
        h->overview.rows[h->sections[i].row].has_section = true;
    put_frame(&parts->frame.html, h, summary);
    gcal_page_unreadable(&parts->tables.html, summary);
    gcal_page_findings(&parts->tables.html, &h->overview);
    gcal_page_without_findings(&parts->others.html, &h->overview);
    put_limits(parts, h);
    if (parts->frame.html.failed || parts->tables.html.failed ||
        parts->others.html.failed || parts->folded.html.failed ||
        parts->left_out.html.failed)
        return gcal_error_memory(err);
    return gcal_page_types(&parts->types, &h->overview, &h->about->policy, err);
}

static int put_page(const struct html *h, const struct overview_parts *parts, FILE *drawn,
                    struct gcal_error *err)
{
    const struct gcal_buf *frame = &parts->frame.html;
    const char *content = find_content(frame);
    struct writing w = { .page = h->out.file, .drawn = drawn };

    fwrite(frame->data, 1, (size_t)(content - frame->data), w.page);
    if (put_part(&w, &parts->tables.html, err) < 0 ||
        put_part(&w, &parts->types.html, err) < 0 ||
        put_part(&w, &parts->others.html, err) < 0 ||
        put_sections(h, &w, &parts->folded.html, err) < 0 ||
        put_part(&w, &parts->left_out.html, err) < 0)
        return -1;
    fputs(content + 1, w.page);
    return 0;
}

static int finish(void *context, const struct gcal_audit_summary *summary,
                  struct gcal_error *err)
{
    struct html *h = context;
    struct overview_parts parts = { 0 };
    FILE *drawn = NULL;
    int rc = -1;

    if (make_overview(h, summary, &parts, err) == 0 &&
        draw(h, &parts.types, &drawn, err) == 0 && put_page(h, &parts, drawn, err) == 0)
        rc = gcal_file_replace_finish(&h->out, err);
    if (drawn)
        fclose(drawn);
    gcal_page_part_clear(&parts.frame);
    gcal_page_part_clear(&parts.tables);
    gcal_page_part_clear(&parts.types);
    gcal_page_part_clear(&parts.others);
    gcal_page_part_clear(&parts.folded);
    gcal_page_part_clear(&parts.left_out);
    return rc;
}

static void destroy(void *context)
{
    struct html *h = context;

    for (size_t i = 0; i < h->n_sections; i++)
        gcal_page_section_clear(&h->sections[i]);
    gcal_page_overview_clear(&h->overview);
    gcal_file_replace_clear(&h->out);
    free(h);
}

int gcal_audit_output_html(const struct gcal_audit_output_options *about,
                           const char *path, struct gcal_audit_output *output,
                           struct gcal_error *err)
{
    struct html *h = calloc(1, sizeof(*h));

    if (!h)
        return gcal_error_memory(err);
    h->about = about;
    *output = (struct gcal_audit_output){
        .context = h, .device = put_device, .end = finish, .destroy = destroy
    };
    /* Errors are found before the audit, which may take a minute. */
    if (gcal_plot_check(err) == 0 && gcal_file_replace_start(&h->out, path, err) == 0)
        return 0;
    destroy(h);
    return -1;
}
