/* track_decode.c - a track from text, and that of a node */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    struct gcal_track_columns columns = { 0 };
    const char *configuration = "";
    size_t id, n_fields;

    if (next_id(d, &id) < 0)
        return -1;
    if (id != m->n_columns)
        return complain(d, "IDs of columns must count from 0, in order");
    n_fields = count_fields(d);
    columns.column = gcal_arena_alloc(m->arena, n_fields, sizeof(*columns.column));
    for (size_t i = 0; i < n_fields; i++) {
        char *text = next_text(d);

        if (check_text(d, text) < 0)
            return -1;
        if (*text == '=')
            configuration = text + 1;
        else if (read_column(d, text, configuration, &columns.column[columns.n++]) < 0)
            return -1;
    }
    m->columns = gcal_arena_grow(m->arena, m->columns, m->n_columns, &m->columns_capacity,
                                 sizeof(*m->columns));
    m->columns[m->n_columns++] = columns;
    return 0;
}

static int read_run(struct decoder *d)
{
    struct gcal_track *t = d->track;
    const char *text[N_TEXTS];
    size_t id, n;
    struct gcal_track_run *run;

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
    t->runs = gcal_arena_grow(d->memory->arena, t->runs, t->n_runs, &d->runs_capacity,
                              sizeof(*t->runs));
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
    n = d->memory->columns[id].n;
    if (count_fields(d) != 2 * n)
        return complain(d, "expected two numbers for each of its columns");
    run->value = gcal_arena_alloc(d->memory->arena, 2 * n, sizeof(*run->value));
    run->error = run->value + n;
    for (size_t i = 0; i < n; i++)
        if (next_number(d, &run->value[i]) < 0 || next_number(d, &run->error[i]) < 0)
            return -1;
    return 0;
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
    if (!d->memory->has_header) {
        d->memory->has_header = strcmp(kind, GCAL_TRACK_HEADER) == 0;
        return d->memory->has_header
                   ? 0
                   : complain(d,
                              "not a track, or written by another version of gpucal ('" //
                              GCAL_TRACK_HEADER
                              "' is missing): remove it and calibrate again");
    }
    if (strcmp(kind, "run") == 0)
        return read_run(d);
    if (strcmp(kind, "columns") == 0)
        return read_columns(d);
    if (strcmp(kind, "forget") == 0) {
        struct gcal_track *t = d->track;
        const char *utc = next_text(d), *uid = next_text(d), *model = next_text(d);

        if (!utc || !uid || !model)
            return complain(d, "a forgotten model with too few fields");
        if (check_text(d, uid) < 0 || check_text(d, model) < 0)
            return -1;
        t->forgotten = gcal_arena_grow(d->memory->arena, t->forgotten, t->n_forgotten,
                                       &d->forgotten_capacity, sizeof(*t->forgotten));
        t->forgotten[t->n_forgotten++] = (struct gcal_track_forgotten){
            .uid = uid, .model = model, .n_runs = t->n_runs
        };
        return 0;
    }
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

/* Returns whether the later line has all models of the earlier one. */
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
static void drop_repeated(struct gcal_track *track)
{
    struct gcal_arena *arena = gcal_arena_create();
    size_t n = track->n_runs, kept = 0, next = 0;
    struct gcal_track_run **order =
        gcal_arena_alloc(arena, n, sizeof(struct gcal_track_run *));

    for (size_t i = 0; i < n; i++)
        order[i] = &track->runs[i];
    qsort(order, n, sizeof(*order), compare_runs);
    for (size_t i = 0; i + 1 < n; i++)
        if (is_repeated(order[i], order[i + 1]))
            order[i]->value = NULL;
    gcal_arena_destroy(arena);
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
}

int gcal_track_decode(char *text, size_t size, const char *name, struct gcal_track *track,
                      struct gcal_error *err)
{
    struct gcal_arena *arena = gcal_arena_create();
    struct decoder d = { .name = name, .track = track, .err = err };
    char *limit = text + size;
    int rc = 0;

    d.memory = gcal_arena_alloc(arena, 1, sizeof(*d.memory));
    d.memory->arena = arena;
    *track = (struct gcal_track){ .memory = d.memory };
    for (char *at = text; at < limit && rc == 0; at = d.end + 1) {
        d.line++;
        d.at = at;
        d.end = memchr(at, '\n', (size_t)(limit - at));
        if (!d.end)
            break; /* being written, or cut */
        rc = read_line(&d);
    }
    for (size_t i = 0; i < track->n_runs; i++)
        track->runs[i].columns = &d.memory->columns[(size_t)track->runs[i].columns];
    if (rc < 0)
        gcal_track_clear(track);
    else if (track->n_runs > 1)
        drop_repeated(track);
    return rc;
}

void gcal_track_clear(struct gcal_track *track)
{
    struct gcal_track_memory *m = track->memory;

    gcal_arena_destroy(m ? m->arena : NULL);
    *track = (struct gcal_track){ 0 };
}

/* ---- the track of a node ---- */

/* Some 50000 calibrations. */
#define MAX_TRACK_BYTES ((size_t)256 << 20)

int gcal_track_load_text(const struct gcal_store *store, const char *node, char **text,
                         size_t *size, struct gcal_error *err)
{
    struct gcal_arena *arena = gcal_arena_create();
    const char *shown = gcal_arena_format(arena, "tracks/%s.tsv", node);
    int folder,
        rc = gcal_store_folder(store, store->dirfd, "tracks", "tracks", &folder, err);

    *text = NULL;
    if (rc > 0) {
        rc = gcal_store_fetch(store, folder, shown + strlen("tracks/"), shown,
                              MAX_TRACK_BYTES, text, size, err);
        close(folder);
    }
    gcal_arena_destroy(arena);
    return rc;
}

int gcal_track_load(const struct gcal_store *store, const char *node,
                    struct gcal_track *track, struct gcal_error *err)
{
    struct gcal_arena *arena;
    char *text;
    size_t size;
    int rc;

    *track = (struct gcal_track){ 0 };
    if (gcal_store_check_name("node", node, err) < 0)
        return -1;
    if ((rc = gcal_track_load_text(store, node, &text, &size, err)) <= 0)
        return rc;
    arena = gcal_arena_create();
    rc = gcal_track_decode(
        text, size, gcal_arena_format(arena, "%s/tracks/%s.tsv", store->path, node),
        track, err);
    gcal_arena_destroy(arena);
    if (rc == 0)
        gcal_arena_own(((struct gcal_track_memory *)track->memory)->arena, text, free);
    else
        free(text);
    return rc;
}
