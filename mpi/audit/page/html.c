/* html.c - an audit as a page: collects devices, then writes the file
 *
 * Devices come one by one.  Each leaves a row for the overview, and the worst a section
 * with the script of its plots; after the last, gnuplot draws all plots in one run and
 * the page is put together.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"
#include "mpi/audit/page/plot.h"
#include "mpi/audit/page/private.h"
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

static bool is_drawn_small(size_t section)
{
    return section < GCAL_PAGE_SMALL_SECTIONS;
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
    for (size_t i = 0; i < h->n_sections; i++) {
        const struct gcal_page_section *s = &h->sections[i];

        if (s->main.script.size)
            fputs(s->main.script.data, script);
        if (is_drawn_small(i) && s->small.script.size)
            fputs(s->small.script.data, script);
    }
    rc = gcal_plot_draw(script, drawn, err);
    fclose(script);
    return rc;
}

/* Text with plots in it. */
static int put_text(const char *at, const char *end, FILE *drawn, FILE *page,
                    struct gcal_error *err)
{
    const char *plot;

    while (at && (plot = memchr(at, GCAL_PAGE_PLOT, (size_t)(end - at)))) {
        fwrite(at, 1, (size_t)(plot - at), page);
        if (gcal_plot_take(drawn, page, err) < 0)
            return -1;
        at = plot + 1;
    }
    if (at)
        fwrite(at, 1, (size_t)(end - at), page);
    return 0;
}

static int put_part(const struct gcal_buf *html, FILE *drawn, FILE *page,
                    struct gcal_error *err)
{
    return put_text(html->data, html->data + html->size, drawn, page, err);
}

/* Where the content of 'html' goes. */
static const char *find_content(const struct gcal_buf *html)
{
    const char *mark = memchr(html->data, GCAL_PAGE_CONTENT, html->size);

    return mark ? mark : html->data + html->size - 1;
}

static int put_sections(const struct html *h, FILE *drawn, struct gcal_error *err)
{
    FILE *page = h->out.file;

    for (size_t i = 0; i < h->n_sections; i++) {
        const struct gcal_page_section *s = &h->sections[i];
        const char *start = s->main.html.data, *end = start + s->main.html.size;
        const char *content = find_content(&s->main.html);

        if (put_text(start, content, drawn, page, err) < 0 ||
            (is_drawn_small(i) && put_part(&s->small.html, drawn, page, err) < 0) ||
            put_text(content + 1, end, drawn, page, err) < 0)
            return -1;
    }
    return 0;
}

/* The page around the sections: the frame, text, and the types with their plots. */
struct overview_parts {
    struct gcal_page_part frame, head, types, others, left_out;
};

static void put_left_out(struct gcal_buf *html, const struct html *h)
{
    bool all_drawn = h->n_sections <= GCAL_PAGE_SMALL_SECTIONS;
    const struct gcal_page_value values[] = {
        NUMBER("n_drawn", all_drawn ? 0 : GCAL_PAGE_SMALL_SECTIONS),
        NUMBER("n_sections", h->n_sections),
        NUMBER("n_left_out", h->n_left_out),
        { 0 }
    };

    gcal_page_fill(html, "left_out.html", values);
}

static int make_overview(struct html *h, const struct gcal_audit_summary *summary,
                         struct overview_parts *parts, struct gcal_error *err)
{
    const struct gcal_page_value frame[] = { TEXT("style", gcal_page_asset("page.css")),
                                             { 0 } };

    for (size_t i = 0; i < h->n_sections; i++)
        h->overview.rows[h->sections[i].row].has_section = true;
    gcal_page_fill(&parts->frame.html, "frame.html", frame);
    gcal_page_head(&parts->head.html, h->about, summary);
    gcal_page_unreadable(&parts->head.html, summary);
    gcal_page_findings(&parts->head.html, &h->overview);
    gcal_page_without_findings(&parts->others.html, &h->overview);
    put_left_out(&parts->left_out.html, h);
    if (parts->frame.html.failed || parts->head.html.failed ||
        parts->others.html.failed || parts->left_out.html.failed)
        return gcal_error_memory(err);
    return gcal_page_types(&parts->types, &h->overview, &h->about->policy, err);
}

static int put_page(const struct html *h, const struct overview_parts *parts, FILE *drawn,
                    struct gcal_error *err)
{
    const struct gcal_buf *frame = &parts->frame.html;
    const char *content = find_content(frame);
    FILE *page = h->out.file;

    fwrite(frame->data, 1, (size_t)(content - frame->data), page);
    if (put_part(&parts->head.html, drawn, page, err) < 0 ||
        put_part(&parts->types.html, drawn, page, err) < 0 ||
        put_part(&parts->others.html, drawn, page, err) < 0 ||
        put_sections(h, drawn, err) < 0 ||
        put_part(&parts->left_out.html, drawn, page, err) < 0)
        return -1;
    fputs(content + 1, page);
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
    gcal_page_part_clear(&parts.head);
    gcal_page_part_clear(&parts.types);
    gcal_page_part_clear(&parts.others);
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
