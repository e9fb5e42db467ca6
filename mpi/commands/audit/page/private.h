/* private.h - the page of an audit: its parts */
#ifndef GCAL_MPI_COMMANDS_AUDIT_PAGE_PRIVATE_H
#define GCAL_MPI_COMMANDS_AUDIT_PAGE_PRIVATE_H

#include <stdbool.h>
#include <stdio.h>

#include "calib/audit/audit.h"
#include "kernels/base/buf.h"
#include "kernels/base/embed.h"
#include "mpi/commands/audit/page/page.h"

struct gcal_error;

/* Limits of the size of a page: the worst are shown, and the page says how many were left
 * out.
 */
#define GCAL_PAGE_SECTIONS    100  /* devices with a section */
#define GCAL_PAGE_OPEN        20   /* of these, with plots; the others are folded */
#define GCAL_PAGE_LARGE_PLOTS 4    /* large plots of a section */
#define GCAL_PAGE_SMALL_PLOTS 40   /* small plots of a section */
#define GCAL_PAGE_FINDINGS    1000 /* rows of devices that need attention */
#define GCAL_PAGE_ROWS        5000 /* rows of all others */
#define GCAL_PAGE_TYPES       20   /* device types with plots */
#define GCAL_PAGE_PARAMETERS  300  /* rows of a section's table */

/* Text of a page with marks, which no text of a store can hold: the next plot of the
 * script, the id of the caption before it, and the place of content that is written
 * separately.
 */
struct gcal_page_part {
    struct gcal_buf html, script;
};

#define GCAL_PAGE_PLOT    '\x01'
#define GCAL_PAGE_CONTENT '\x02'
#define GCAL_PAGE_CAPTION '\x03'

/* ---- format.c ---- */

/* A value of a template. */
struct gcal_page_value {
    const char *name;
    bool is_text;
    const char *text; /* NULL as "" */
    double number;
};

/* Items of an array of values, which ends with { 0 }. */
#define TEXT(name, text)                                                                 \
    {                                                                                    \
        name, true, text, 0                                                              \
    }
#define NUMBER(name, number)                                                             \
    {                                                                                    \
        name, false, NULL, (double)(number)                                              \
    }

/* Appends the value in a format that assets/README.md lists; "": as it is. */
void gcal_page_put_value(struct gcal_buf *html, const struct gcal_page_value *value,
                         const char *format);
/* Worse verdicts have larger numbers. */
int gcal_page_severity(enum gcal_audit_verdict verdict);

/* ---- template.c ---- */

/* The text of a file of assets/. */
const char *gcal_page_asset(const char *name);
/* Appends a file of assets/ with its tags filled in, as assets/README.md describes. */
void gcal_page_fill(struct gcal_buf *html, const char *asset,
                    const struct gcal_page_value *values);
void gcal_page_part_clear(struct gcal_page_part *part);

/* ---- device.c ---- */

/* A device's section: 'plots', with all parameters, is the content of 'main', and may be
 * left out.
 */
struct gcal_page_section {
    struct gcal_page_part main, plots;
    size_t row; /* of the overview */
    /* The order of sections. */
    int severity;
    double change; /* of its worst finding, absolute */
};

int gcal_page_section_make(struct gcal_page_section *section,
                           const struct gcal_audit_device *device, size_t row,
                           const struct gcal_audit_output_options *about,
                           struct gcal_error *err);
void gcal_page_section_clear(struct gcal_page_section *section);

/* ---- table.c ---- */

void gcal_page_parameters(struct gcal_buf *html, const struct gcal_audit_device *device);

/* ---- rows.c ---- */

/* One device in the overview. */
struct gcal_page_row {
    char *node, *uid, *name, *since, *what, *newest;
    size_t type;    /* of the overview's types */
    float *against; /* deviations from the type's median, by the type's columns (which may
                       be more by now); NaN where not known */
    size_t n_against;
    size_t n_runs, n_findings;
    enum gcal_audit_verdict verdict;
    double change, false_alarm; /* of the worst finding; NaN without */
    double speed; /* by the median of the costs, 1 for the median device of its type;
                     NaN where not known */
    bool has_section;
};

/* A cost of a device type.  Its category is known once a device had a finding. */
struct gcal_page_column {
    char *model, *parameter;
    enum gcal_audit_category category;
};

struct gcal_page_type {
    char *name;
    size_t n_columns, capacity;
    struct gcal_page_column *columns;
};

struct gcal_page_overview {
    size_t n_rows, capacity, n_types, types_capacity;
    struct gcal_page_row *rows;
    struct gcal_page_type *types;
};

int gcal_page_overview_add(struct gcal_page_overview *overview,
                           const struct gcal_audit_device *device,
                           struct gcal_error *err);
void gcal_page_overview_clear(struct gcal_page_overview *overview);

/* ---- overview.c ---- */

/* Title, totals, policy, links to the parts. */
void gcal_page_head(struct gcal_buf *html, const struct gcal_audit_output_options *about,
                    const struct gcal_audit_summary *summary,
                    const struct gcal_page_overview *overview);
/* Nodes that could not be audited, if any. */
void gcal_page_unreadable(struct gcal_buf *html,
                          const struct gcal_audit_summary *summary);
/* Devices that need attention, and all others. */
void gcal_page_findings(struct gcal_buf *html, const struct gcal_page_overview *overview);
void gcal_page_without_findings(struct gcal_buf *html,
                                const struct gcal_page_overview *overview);

/* ---- types.c ---- */

/* Device types with plots of the deviations of their devices. */
int gcal_page_types(struct gcal_page_part *part,
                    const struct gcal_page_overview *overview,
                    const struct gcal_audit_policy *policy, struct gcal_error *err);

#endif
