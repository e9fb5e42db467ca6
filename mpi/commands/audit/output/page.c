/* page.c - an audit as a page: one file of HTML with a document of JSON, which page.js shows
 *
 * Devices come one by one.  Each leaves its verdict, findings and deviations from its type; the
 * worst also their runs, and the worst of these the histories of their parameters.
 */
#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/clock.h"
#include "kernels/base/embed.h"
#include "kernels/base/error.h"
#include "kernels/base/hash.h"
#include "kernels/base/median.h"
#include "mpi/cli/file_replace.h"
#include "mpi/cli/json.h"
#include "mpi/commands/audit/output/output.h"
#include "mpi/commands/audit/output/private.h"

extern const struct gcal_embedded_file gcal_page_assets[];

/* Limits of the size of a page, which says how many devices are left out. */
enum {
    MOST_SECTIONS = 100, /* devices with runs */
    MOST_HISTORIES = 20  /* of these, with histories */
};

#define FLAGS (JSON_REAL_PRECISION(9) | JSON_COMPACT)

/* Deviations of a device: over all costs, and by category. */
enum { ALL = 0, N_SUBJECTS = GCAL_AUDIT_OTHER + 2 };

/* A cost of a device type.  Its category is known once a device had a finding. */
struct column {
    const char *model, *parameter;
    enum gcal_audit_category category;
};

struct type {
    const char *name;
    size_t n_columns, capacity;
    struct column *columns;
};

/* A device among the worst: parts of its JSON, from malloc(); NULL: not in the page. */
struct section {
    size_t row;
    char *runs, *histories;
};

struct row {
    char *head, *findings; /* JSON, the first without its last bracket */
    const struct section *section;
    size_t type;
    float *
        against; /* deviations from the type's median, by the type's columns, which may be
                       more by now; NaN where not known */
    size_t n_against;
    int severity;
    double change; /* of its worst finding, absolute */
};

struct page {
    struct gcal_arena *arena;
    const struct gcal_audit_output_options *about;
    struct gcal_file_replace out;
    size_t n_rows, rows_capacity, n_types, types_capacity;
    struct row *rows;
    struct type *types;
    size_t n_worst, n_left_out;
    struct section worst[MOST_SECTIONS + 1]; /* the worst first */
};

/* ---- devices ---- */

/* Searches backwards: devices of a type mostly follow each other. */
static size_t find_type(struct page *p, const char *name)
{
    for (size_t i = p->n_types; i-- > 0;)
        if (strcmp(p->types[i].name, name) == 0)
            return i;
    p->types = gcal_arena_grow(p->arena, p->types, p->n_types, &p->types_capacity,
                               sizeof(*p->types));
    p->types[p->n_types].name = gcal_arena_strdup(p->arena, name);
    return p->n_types++;
}

static bool is_column(const struct column *c, const struct gcal_track_column *other)
{
    return strcmp(c->parameter, other->parameter) == 0 &&
           strcmp(c->model, other->model) == 0;
}

/* 'guess': the column after the last one, as devices have their series in one order. */
static size_t find_column(struct page *p, struct type *type, size_t guess,
                          const struct gcal_track_column *wanted)
{
    if (guess < type->n_columns && is_column(&type->columns[guess], wanted))
        return guess;
    for (size_t i = 0; i < type->n_columns; i++)
        if (is_column(&type->columns[i], wanted))
            return i;
    type->columns = gcal_arena_grow(p->arena, type->columns, type->n_columns,
                                    &type->capacity, sizeof(*type->columns));
    type->columns[type->n_columns] =
        (struct column){ .model = gcal_arena_strdup(p->arena, wanted->model),
                         .parameter = gcal_arena_strdup(p->arena, wanted->parameter),
                         .category = GCAL_AUDIT_OTHER };
    return type->n_columns++;
}

/* Takes the value.  An object is without its last bracket, so that more can follow. */
static char *dump_json(json_t *value)
{
    char *text = json_dumps(value, FLAGS);

    if (text && json_is_object(value))
        text[strlen(text) - 1] = '\0';
    json_decref(value);
    return text;
}

static void describe_row(struct page *p, struct row *row,
                         const struct gcal_audit_device *d)
{
    const struct gcal_track_run *newest = d->run[d->n_runs - 1];
    size_t since = d->n_findings ? d->findings[0].since : d->n_runs, i;
    json_t *o = gcal_audit_json_device(d), *finding;
    json_t *findings = json_incref(json_object_get(o, "findings"));

    json_object_del(o, "findings");
    json_array_foreach(findings, i, finding) json_object_del(finding, "parameters");
    row->findings = gcal_arena_own(p->arena, dump_json(findings), free);
    json_object_set_new(o, "calibrations", json_integer((json_int_t)d->n_runs));
    json_object_set_new(o, "oldest", gcal_audit_json_text(d->run[0]->utc));
    json_object_set_new(o, "newest", gcal_audit_json_text(newest->utc));
    json_object_set_new(o, "driver", gcal_audit_json_text(newest->driver));
    if (since < d->n_runs)
        json_object_set_new(
            o, "since_utc",
            gcal_audit_json_text(since ? d->run[since]->utc : "the first"));
    row->head = gcal_arena_own(p->arena, dump_json(o), free);
}

static bool is_worse(const struct row *a, const struct row *b)
{
    return a->severity != b->severity ? a->severity > b->severity : a->change > b->change;
}

static void drop_text(char **text)
{
    free(*text);
    *text = NULL;
}

/* Inserts the newest row in order; what it displaces loses its histories, or its runs. */
static void add_section(struct page *p, const struct gcal_audit_device *device)
{
    size_t row = p->n_rows - 1, at = p->n_worst;

    for (; at && is_worse(&p->rows[row], &p->rows[p->worst[at - 1].row]); at--)
        p->worst[at] = p->worst[at - 1];
    p->worst[at] = (struct section){ .row = row };
    if (at < MOST_SECTIONS)
        p->worst[at].runs = dump_json(gcal_audit_json_runs(device));
    if (at < MOST_HISTORIES) {
        /* The parameters of findings and all series. */
        json_t *o = gcal_audit_json_device(device), *histories = json_object();

        json_object_set(histories, "findings", json_object_get(o, "findings"));
        json_object_set_new(histories, "series", gcal_audit_json_series(device, true));
        json_decref(o);
        p->worst[at].histories = dump_json(histories);
    }
    drop_text(&p->worst[MOST_HISTORIES].histories);
    drop_text(&p->worst[MOST_SECTIONS].runs);
    if (p->n_worst < MOST_SECTIONS)
        p->n_worst++;
    else
        p->n_left_out++;
}

static int add_device(void *context, const struct gcal_audit_device *device,
                      struct gcal_error *err)
{
    static const int severities[] = { [GCAL_AUDIT_PASS] = 0,
                                      [GCAL_AUDIT_UNKNOWN] = 1,
                                      [GCAL_AUDIT_SUSPECT] = 2,
                                      [GCAL_AUDIT_WARN] = 3,
                                      [GCAL_AUDIT_FAIL] = 4 };
    struct page *p = context;
    struct row *row;

    (void)err;
    if (!device->n_runs)
        return 0;
    p->rows = gcal_arena_grow(p->arena, p->rows, p->n_rows, &p->rows_capacity,
                              sizeof(*p->rows));
    row = &p->rows[p->n_rows++];
    row->type = find_type(p, device->type);
    row->severity = severities[device->verdict];
    row->change = device->n_findings ? fabs(device->findings[0].change) : 0;
    describe_row(p, row, device);
    struct type *type = &p->types[row->type];
    size_t at = SIZE_MAX, capacity = type->n_columns + device->n_series;

    row->against = gcal_arena_alloc(p->arena, capacity, sizeof(*row->against));
    for (size_t i = 0; i < capacity; i++)
        row->against[i] = NAN;
    for (size_t i = 0; i < device->n_series; i++) {
        const struct gcal_audit_series *s = &device->series[i];

        if (strcmp(s->column.unit, "s") != 0 || !isfinite(s->against_type))
            continue;
        at = find_column(p, type, at + 1, &s->column);
        if (s->category != GCAL_AUDIT_OTHER)
            type->columns[at].category = s->category;
        row->against[at] = (float)s->against_type;
        row->n_against = at >= row->n_against ? at + 1 : row->n_against;
    }
    if (p->about->all || gcal_audit_needs_attention(device->verdict))
        add_section(p, device);
    return 0;
}

/* ---- the page ---- */

/* Medians over the costs of each subject, in thousandths of a percent. */
static json_t *deviations_json(const struct type *type, const struct row *row,
                               double *room)
{
    json_t *list = json_array();

    for (size_t subject = 0; subject < N_SUBJECTS; subject++) {
        size_t n = 0;

        for (size_t i = 0; i < row->n_against; i++)
            if (isfinite(row->against[i]) &&
                (subject == ALL || type->columns[i].category + 1 == subject))
                room[n++] = (double)row->against[i];
        json_array_append_new(list,
                              gcal_json_number(round(1e5 * gcal_median(room, n)) / 1e5));
    }
    return list;
}

/* "<" cannot begin a tag in a string of JSON that has it escaped. */
static void put_text(FILE *out, const char *text)
{
    for (; text && *text; text++)
        if (*text == '<')
            fputs("\\u003c", out);
        else
            fputc(*text, out);
}

/* Takes the value. */
static void put_json(FILE *out, const char *before, json_t *value)
{
    bool is_object = json_is_object(value);
    char *text = dump_json(value);

    fputs(before, out);
    put_text(out, text);
    fputs(is_object ? "}" : "", out);
    free(text);
}

static void put_document(struct page *p, const struct gcal_audit_summary *summary)
{
    FILE *out = p->out.file;
    json_t *subjects = json_array();
    char now[GCAL_CLOCK_UTC_SIZE];
    size_t most = 0;
    double *room;

    gcal_clock_utc(now);
    for (size_t i = 0; i < p->n_types; i++)
        most = p->types[i].n_columns > most ? p->types[i].n_columns : most;
    room = gcal_arena_alloc(p->arena, most, sizeof(*room));
    for (size_t i = 0; i < p->n_worst; i++)
        p->rows[p->worst[i].row].section = &p->worst[i];
    fputs("{\"schema\":\"gpucal-audit-1\",\n\"devices\":[", out);
    for (size_t i = 0; i < p->n_rows; i++) {
        const struct row *row = &p->rows[i];

        fputs(i ? ",\n" : "\n", out);
        put_text(out, row->head);
        put_json(out,
                 ",\"deviations\":", deviations_json(&p->types[row->type], row, room));
        if (row->section) {
            fputs(",\"runs\":", out);
            put_text(out, row->section->runs);
        }
        if (row->section && row->section->histories) {
            fputs(",", out);
            put_text(out, row->section->histories + 1);
        } else {
            fputs(",\"findings\":", out);
            put_text(out, row->findings);
        }
        fputs("}", out);
    }
    json_array_append_new(subjects, json_string("all costs"));
    for (int i = 0; i <= GCAL_AUDIT_OTHER; i++)
        json_array_append_new(
            subjects, json_string(gcal_audit_category_name((enum gcal_audit_category)i)));
    put_json(out, "],\n\"policy\":", gcal_audit_json_policy(&p->about->policy));
    put_json(out, ",\n\"summary\":", gcal_audit_json_summary(summary));
    put_json(out, ",\n\"page\":",
             json_pack("{s:o, s:s, s:s, s:I, s:o}", "store",
                       gcal_audit_json_text(p->about->store), "utc", now,
                       "gpucal_version", GPUCAL_VERSION, "left_out",
                       (json_int_t)p->n_left_out, "subjects", subjects));
    fputs("}", out);
}

static const char *find_asset(const char *name)
{
    const struct gcal_embedded_file *file = gcal_page_assets;

    while (strcmp(file->name, name) != 0)
        file++;
    return file->text;
}

/* The frame, with what its marks {{...}} stand for. */
static int write_page(void *context, const struct gcal_audit_summary *summary,
                      struct gcal_error *err)
{
    struct page *p = context;
    const char *at = find_asset("page.html"), *style = find_asset("page.css"),
               *script = find_asset("page.js"), *mark;
    char style_hash[GCAL_HASH_BASE64_SIZE], script_hash[GCAL_HASH_BASE64_SIZE];
    const struct {
        const char *mark, *text;
    } values[] = { { "{{style_hash}}", style_hash },
                   { "{{script_hash}}", script_hash },
                   { "{{style}}", style },
                   { "{{script}}", script },
                   { "{{audit}}", NULL } };

    gcal_hash_base64(style, strlen(style), style_hash);
    gcal_hash_base64(script, strlen(script), script_hash);
    for (; (mark = strstr(at, "{{")); at = strstr(mark, "}}") + 2) {
        fwrite(at, 1, (size_t)(mark - at), p->out.file);
        for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
            if (strncmp(mark, values[i].mark, strlen(values[i].mark)) != 0)
                continue;
            else if (values[i].text)
                fputs(values[i].text, p->out.file);
            else
                put_document(p, summary);
    }
    fputs(at, p->out.file);
    return gcal_file_replace_finish(&p->out, err);
}

static void release_page(void *context)
{
    struct page *p = context;

    for (size_t i = 0; i < p->n_worst; i++) {
        free(p->worst[i].runs);
        free(p->worst[i].histories);
    }
    gcal_file_replace_clear(&p->out);
}

int gcal_audit_output_html(struct gcal_arena *arena,
                           const struct gcal_audit_output_options *about,
                           const char *path, struct gcal_audit_output *output,
                           struct gcal_error *err)
{
    struct page *p = gcal_arena_alloc(arena, 1, sizeof(*p));

    p->arena = arena;
    p->about = about;
    gcal_arena_own(arena, p, release_page);
    *output = (struct gcal_audit_output){ .context = p,
                                          .device = add_device,
                                          .end = write_page };
    /* Errors are found before the audit, which may take a minute. */
    return gcal_file_replace_start(&p->out, path, err);
}
