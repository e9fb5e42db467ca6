/* track_decode.c - a track from text */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/error.h"
#include "kernels/base/units.h"
#include "kernels/base/utf8.h"
#include "store/files/internal.h"
#include "store/ledger/private.h"

enum { N_TEXTS = 9, N_PARTS = 4 }; /* of a run; of a column's name */

struct decoder {
    const char *name;
    size_t line;
    char *at, *end; /* the rest of the line; '*end' is its newline */
    struct gcal_track *track;
    struct gcal_track_memory *memory;
    size_t runs_capacity, forgotten_capacity;
    struct gcal_error *err;
};

static int complain(const struct decoder *d, const char *what)
{
    return gcal_error_set(d->err, GCAL_EINPUT, "%s:%zu: %s", d->name, d->line, what);
}

/* Allocates memory that is freed with the track. */
static void *keep(struct decoder *d, size_t count, size_t size)
{
    struct gcal_track_memory *m = d->memory;
    void **blocks = gcal_array_grow(m->blocks, m->n_blocks, &m->blocks_capacity,
                                    sizeof(*blocks), d->err);
    void *block;

    if (!blocks)
        return NULL;
    m->blocks = blocks;
    if (!(block = reallocarray(NULL, count ? count : 1, size))) {
        gcal_error_memory(d->err);
        return NULL;
    }
    return m->blocks[m->n_blocks++] = block;
}

/* ---- fields ---- */

/* The next field of the line as a string; NULL after the last. */
static char *next_text(struct decoder *d)
{
    char *start = d->at, *stop;

    if (!start)
        return NULL;
    stop = memchr(start, '\t', (size_t)(d->end - start));
    d->at = stop ? stop + 1 : NULL;
    *(stop ? stop : d->end) = '\0';
    return start;
}

/* Texts are printed. */
static int check_text(const struct decoder *d, const char *text)
{
    for (; *text; text++)
        if (gcal_utf8_is_control(text))
            return complain(d, "a control character");
    return 0;
}

static size_t count_fields(const struct decoder *d)
{
    size_t n = d->at != NULL;

    /* Fields are short: a loop over bytes is faster than memchr() for each. */
    for (const char *p = d->at; p && p < d->end; p++)
        n += *p == '\t';
    return n;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* A number of at most 15 digits with a power of ten of at most 22: one multiplication or
 * division of exact numbers gives the result of strtod().  NULL for any other number.
 */
static const char *short_decimal(const char *p, double *value)
{
    static const double powers[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
    bool negative = *p == '-', negative_power;
    int power = 0, fraction = 0, n_digits = 0;
    uint64_t digits = 0;

    p += negative;
    for (; is_digit(*p) && n_digits < 16; p++, n_digits++)
        digits = 10 * digits + (uint64_t)(*p - '0');
    if (*p == '.')
        for (p++; is_digit(*p) && n_digits < 16; p++, n_digits++, fraction++)
            digits = 10 * digits + (uint64_t)(*p - '0');
    if (n_digits == 0 || n_digits > 15)
        return NULL;
    if (*p == 'e') {
        negative_power = p[1] == '-';
        p += 1 + (p[1] == '-' || p[1] == '+');
        if (!is_digit(*p))
            return NULL;
        for (; is_digit(*p) && power < 1000; p++)
            power = 10 * power + *p - '0';
        power = negative_power ? -power : power;
    }
    power -= fraction;
    if (power < -22 || power > 22 || (*p != '\t' && *p != '\n'))
        return NULL;
    *value = power < 0 ? (double)digits / powers[-power] : (double)digits * powers[power];
    *value = negative ? -*value : *value;
    return p;
}

/* Any number; NULL when it is not one. */
static const char *long_decimal(const char *p, double *value)
{
    size_t length = strspn(p, "+-.0123456789eE");
    char *stop;

    *value = gcal_units_parse_number(p, &stop);
    return length && stop == p + length && (*stop == '\t' || *stop == '\n') &&
                   isfinite(*value)
               ? stop
               : NULL;
}

/* The next field of the line, a number or "-": NaN.  At the end of the line, 'at' stays
 * at the newline, where there is no number.
 */
static int next_number(struct decoder *d, double *value)
{
    const char *p = d->at, *stop;

    if (*p == '-' && (p[1] == '\t' || p[1] == '\n')) {
        *value = NAN;
        stop = p + 1;
    } else if (!(stop = short_decimal(p, value)) && !(stop = long_decimal(p, value))) {
        return complain(d, "expected a number or '-' after the ID of the columns");
    }
    d->at = (char *)stop + (*stop == '\t');
    return 0;
}

/* ---- lines ---- */

/* An ID is the number of its columns line in the file, from 0. */
static int next_id(struct decoder *d, size_t *id)
{
    const char *text = next_text(d);
    size_t value = 0;

    if (!text || !is_digit(*text))
        return complain(d, "the ID of the columns is missing");
    for (; is_digit(*text) && value < SIZE_MAX / 100; text++)
        value = 10 * value + (size_t)(*text - '0');
    if (*text)
        return complain(d, "the ID of the columns is not a number");
    *id = value;
    return 0;
}

static int read_column(struct decoder *d, char *name, const char *configuration,
                       struct gcal_track_column *column)
{
    char *part[N_PARTS] = { name };

    for (int i = 1; i < N_PARTS; i++) {
        char *slash = strchr(part[i - 1], '/');

        if (!slash)
            return complain(d, "a column's name must be MODEL/FORM/PARAMETER/UNIT");
        *slash = '\0';
        part[i] = slash + 1;
    }
    *column = (struct gcal_track_column){
        .model = part[0],
        .form = part[1],
        .parameter = part[2],
        .unit = part[3],
        .configuration = configuration,
    };
    return 0;
}

static int read_columns(struct decoder *d)
{
    struct gcal_track_memory *m = d->memory;
    struct gcal_track_columns *all = gcal_array_grow(
        m->columns, m->n_columns, &m->columns_capacity, sizeof(*all), d->err);
    struct gcal_track_columns columns = { 0 };
    const char *configuration = "";
    size_t id, n_fields;

    if (!all)
        return -1;
    m->columns = all;
    if (next_id(d, &id) < 0)
        return -1;
    if (id != m->n_columns)
        return complain(d, "IDs of columns must count from 0, in order");
    n_fields = count_fields(d);
    if (!(columns.column = keep(d, n_fields, sizeof(*columns.column))))
        return -1;
    for (size_t i = 0; i < n_fields; i++) {
        char *text = next_text(d);

        if (check_text(d, text) < 0)
            return -1;
        if (*text == '=' && m->version > 1)
            configuration = text + 1;
        else if (read_column(d, text, configuration, &columns.column[columns.n++]) < 0)
            return -1;
    }
    m->columns[m->n_columns++] = columns;
    return 0;
}

static int read_run(struct decoder *d)
{
    struct gcal_track *t = d->track;
    struct gcal_track_run *runs =
        gcal_array_grow(t->runs, t->n_runs, &d->runs_capacity, sizeof(*runs), d->err);
    const char *text[N_TEXTS];
    size_t id;
    struct gcal_track_run *run;
    double *numbers;

    if (!runs)
        return -1;
    t->runs = runs;
    for (int i = 0; i < N_TEXTS; i++) {
        if (!(text[i] = next_text(d)))
            return complain(d, "a run with too few fields");
        if (check_text(d, text[i]) < 0)
            return -1;
        if (strcmp(text[i], "-") == 0)
            text[i] = "";
    }
    if (next_id(d, &id) < 0)
        return -1;
    if (id >= d->memory->n_columns)
        return complain(d, "no columns with that ID above");
    /* The array of columns may still move: their ID until all lines are read. */
    t->runs[t->n_runs] = (struct gcal_track_run){
        .run_id = text[0],
        .utc = text[1],
        .uid = text[2],
        .type = text[3],
        .name = text[4],
        .driver = text[5],
        .configuration = text[6],
        .catalogue = text[7],
        .gpucal_version = text[8],
        .columns = (const struct gcal_track_columns *)id,
    };
    run = &t->runs[t->n_runs++];
    /* Counted first: a damaged line must not make us allocate more than its length. */
    if (count_fields(d) != 2 * d->memory->columns[id].n)
        return complain(d, "expected two numbers for each of its columns");
    if (!(numbers = keep(d, 2 * d->memory->columns[id].n, sizeof(*numbers))))
        return -1;
    run->value = numbers;
    run->error = numbers + d->memory->columns[id].n;
    for (size_t i = 0; i < d->memory->columns[id].n; i++)
        if (next_number(d, &run->value[i]) < 0 || next_number(d, &run->error[i]) < 0)
            return -1;
    return 0;
}

static int read_forgotten(struct decoder *d)
{
    struct gcal_track *t = d->track;
    struct gcal_track_forgotten *forgotten = gcal_array_grow(
        t->forgotten, t->n_forgotten, &d->forgotten_capacity, sizeof(*forgotten), d->err);
    const char *utc, *uid, *model;

    if (!forgotten)
        return -1;
    t->forgotten = forgotten;
    utc = next_text(d);
    uid = next_text(d);
    model = next_text(d);
    if (!utc || !uid || !model)
        return complain(d, "a forgotten model with too few fields");
    if (check_text(d, uid) < 0 || check_text(d, model) < 0)
        return -1;
    forgotten[t->n_forgotten++] =
        (struct gcal_track_forgotten){ .uid = uid, .model = model, .n_runs = t->n_runs };
    return 0;
}

/* The version of a header, or 0. */
static int header_version(const char *text)
{
    return strcmp(text, GCAL_TRACK_HEADER) == 0     ? 2
           : strcmp(text, GCAL_TRACK_HEADER_1) == 0 ? 1
                                                    : 0;
}

static bool was_cut(const struct decoder *d)
{
    size_t length = strlen(GCAL_STORE_CUT_MARK);

    return (size_t)(d->end - d->at) >= length &&
           memcmp(d->end - length, GCAL_STORE_CUT_MARK, length) == 0;
}

static int read_line(struct decoder *d)
{
    const char *kind;

    if (was_cut(d))
        return 0;
    if (memchr(d->at, '\0', (size_t)(d->end - d->at)))
        return complain(d, "a NUL byte");
    kind = next_text(d);
    if (!d->memory->has_header || header_version(kind) > 1) {
        d->memory->version = header_version(kind);
        d->memory->has_header = d->memory->version > 0;
        return d->memory->has_header ? 0
                                     : complain(d, "not a track of version 1 or 2 ('" //
                                                GCAL_TRACK_HEADER "' is missing)");
    }
    if (strcmp(kind, "run") == 0)
        return read_run(d);
    if (strcmp(kind, "columns") == 0)
        return read_columns(d);
    if (strcmp(kind, "forget") == 0 && d->memory->version > 1)
        return read_forgotten(d);
    return complain(d, "neither 'columns' nor 'run'");
}

/* ---- all lines ---- */

/* By run and device, then by line. */
static int compare_runs(const void *a, const void *b)
{
    const struct gcal_track_run *p = *(const struct gcal_track_run *const *)a;
    const struct gcal_track_run *q = *(const struct gcal_track_run *const *)b;
    int order = strcmp(p->run_id, q->run_id);

    if (order == 0)
        order = strcmp(p->uid, q->uid);
    return order ? order : (p > q) - (p < q);
}

static bool has_model(const struct gcal_track_columns *columns, const char *model)
{
    for (size_t i = 0; i < columns->n; i++)
        if (strcmp(columns->column[i].model, model) == 0)
            return true;
    return false;
}

/* Whether the later line has all models of the earlier one. */
static bool is_repeated(const struct gcal_track_run *run,
                        const struct gcal_track_run *later)
{
    if (strcmp(run->run_id, later->run_id) != 0 || strcmp(run->uid, later->uid) != 0)
        return false;
    for (size_t i = 0; run->columns != later->columns && i < run->columns->n; i++)
        if (!has_model(later->columns, run->columns->column[i].model))
            return false;
    return true;
}

/* Keeps the last line of a run and device that was published repeatedly, fitted again or
 * after a crash.
 */
static int drop_repeated(struct gcal_track *track, struct gcal_error *err)
{
    size_t n = track->n_runs;
    struct gcal_track_run **order;
    size_t kept = 0, next = 0;

    if (n < 2)
        return 0;
    if (!(order = reallocarray(NULL, n, sizeof(*order))))
        return gcal_error_memory(err);
    for (size_t i = 0; i < n; i++)
        order[i] = &track->runs[i];
    qsort(order, n, sizeof(*order), compare_runs);
    for (size_t i = 0; i + 1 < n; i++)
        if (is_repeated(order[i], order[i + 1]))
            order[i]->value = NULL;
    free(order);
    /* Moves the runs that are left to the front. */
    for (size_t i = 0; i < track->n_runs; i++) {
        for (; next < track->n_forgotten && track->forgotten[next].n_runs <= i; next++)
            track->forgotten[next].n_runs = kept;
        if (track->runs[i].value)
            track->runs[kept++] = track->runs[i];
    }
    for (; next < track->n_forgotten; next++)
        track->forgotten[next].n_runs = kept;
    track->n_runs = kept;
    return 0;
}

static int read_lines(struct decoder *d, char *text, size_t size)
{
    char *limit = text + size;

    for (char *at = text; at < limit; at = d->end + 1) {
        d->line++;
        d->at = at;
        d->end = memchr(at, '\n', (size_t)(limit - at));
        if (!d->end)
            return 0; /* being written, or cut */
        if (read_line(d) < 0)
            return -1;
    }
    return 0;
}

int gcal_track_decode(char *text, size_t size, const char *name, struct gcal_track *track,
                      struct gcal_error *err)
{
    struct decoder d = { .name = name, .track = track, .err = err };
    int rc;

    *track = (struct gcal_track){ 0 };
    if (!(track->memory = d.memory = calloc(1, sizeof(*d.memory))))
        return gcal_error_memory(err);
    rc = read_lines(&d, text, size);
    for (size_t i = 0; i < track->n_runs; i++)
        track->runs[i].columns = &d.memory->columns[(size_t)track->runs[i].columns];
    if (rc == 0)
        rc = drop_repeated(track, err);
    if (rc < 0)
        gcal_track_clear(track);
    return rc;
}

void gcal_track_clear(struct gcal_track *track)
{
    struct gcal_track_memory *m = track->memory;

    if (m) {
        for (size_t i = 0; i < m->n_blocks; i++)
            free(m->blocks[i]);
        free(m->blocks);
        free(m->columns);
        free(m->text);
        free(m);
    }
    free(track->runs);
    free(track->forgotten);
    *track = (struct gcal_track){ 0 };
}
