/* track_encode.c - the lines of new calibrations in a track */
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "kernels/base/strings.h"
#include "store/params/params.h"
#include "store/ledger/private.h"

/* Control characters, which would end a field or a line, and the bytes in 'also' become
 * '_'.  An empty text is "-".
 */
static void put_text(struct gcal_buf *buf, const char *text, const char *also)
{
    if (!text || !*text)
        text = "-";
    for (; *text; text++) {
        char c = (unsigned char)*text < ' ' || strchr(also, *text) ? '_' : *text;

        gcal_buf_put(buf, &c, 1);
    }
}

static void put_number(struct gcal_buf *buf, double value, int digits)
{
    if (isfinite(value))
        gcal_buf_printf(buf, "\t%.*g", digits, value);
    else
        gcal_buf_puts(buf, "\t-");
}

/* Bytes that have a meaning in the name of a model. */
#define OF_MODELS "/="

/* 'last': fingerprint of the column before, "" of the first. */
static void put_column(struct gcal_buf *buf, const struct gcal_track_column *c,
                       const char *last)
{
    if (strcmp(c->configuration, last) != 0)
        gcal_buf_printf(buf, "\t=%s", c->configuration);
    gcal_buf_puts(buf, "\t");
    put_text(buf, c->model, OF_MODELS);
    gcal_buf_puts(buf, "/");
    put_text(buf, c->form, "/");
    gcal_buf_puts(buf, "/");
    put_text(buf, c->parameter, "/");
    gcal_buf_puts(buf, "/");
    put_text(buf, c->unit, "");
}

/* The names of a device's values. */
static const char *device_columns(struct gcal_arena *arena,
                                  const struct gcal_params_device *device)
{
    struct gcal_buf buf = { 0 };
    const char *last = "";

    for (size_t m = 0; m < device->n_models; m++) {
        const struct gcal_params_model *model = &device->models[m];
        const char *own = gcal_params_model_origin(device, model).configuration;
        struct gcal_track_column c = { .model = model->name,
                                       .form = model->form,
                                       .configuration = own ? own : "" };

        for (size_t i = 0; i < model->n_parameters; i++) {
            c.parameter = model->parameter[i];
            c.unit = model->unit[i];
            put_column(&buf, &c, last);
            last = c.configuration;
        }
    }
    return gcal_arena_take(arena, &buf);
}

/* Columns that the track has; their place is their ID. */
struct known {
    const char **items;
    size_t n, capacity;
};

static void add_known(struct gcal_arena *arena, struct known *known, const char *names)
{
    known->items = gcal_arena_grow(arena, known->items, known->n, &known->capacity,
                                   sizeof(*known->items));
    known->items[known->n++] = names;
}

/* ---- known columns ---- */

/* ---- a calibration ---- */

static void put_run(struct gcal_arena *arena, struct gcal_buf *buf, struct known *known,
                    const struct gcal_params_device *d)
{
    const char *texts[] = {
        d->run_id,      d->calibrated_utc, d->info.uid,  d->info.type,      d->info.name,
        d->info.driver, d->configuration,  d->catalogue, d->gpucal_version,
    };
    const char *names = device_columns(arena, d);
    size_t id = 0;

    while (id < known->n && strcmp(known->items[id], names) != 0)
        id++;
    if (id == known->n) {
        add_known(arena, known, names);
        gcal_buf_printf(buf, "columns\t%zu%s\n", id, names);
    }
    gcal_buf_puts(buf, "run");
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        gcal_buf_puts(buf, "\t");
        put_text(buf, texts[i], "");
    }
    gcal_buf_printf(buf, "\t%zu", id);
    for (size_t k = 0; k < d->n_models; k++)
        for (size_t i = 0; i < d->models[k].n_parameters; i++) {
            put_number(buf, d->models[k].own[i], 6);
            put_number(buf, d->models[k].own_error[i], 3);
        }
    gcal_buf_puts(buf, "\n");
}

static void put_header(struct gcal_buf *buf, const struct gcal_track *before)
{
    const struct gcal_track_memory *m = before ? before->memory : NULL;

    if (!m || !m->has_header)
        gcal_buf_puts(buf, GCAL_TRACK_HEADER "\n");
}

char *gcal_track_encode(const struct gcal_params *params, const char *run_id,
                        const struct gcal_track *before, size_t *size,
                        struct gcal_error *err)
{
    const struct gcal_track_memory *m = before ? before->memory : NULL;
    struct gcal_arena *arena = gcal_arena_create();
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", NULL), old;
    struct gcal_buf buf = { 0 };
    struct known known = { 0 };

    if (!c_locale)
        gcal_arena_out_of_memory();
    old = uselocale(c_locale);
    put_header(&buf, before);
    for (size_t i = 0; m && i < m->n_columns; i++) {
        const struct gcal_track_columns *columns = &m->columns[i];
        struct gcal_buf names = { 0 };

        for (size_t k = 0; k < columns->n; k++)
            put_column(&names, &columns->column[k],
                       k ? columns->column[k - 1].configuration : "");
        add_known(arena, &known, gcal_arena_take(arena, &names));
    }
    for (size_t i = 0; i < params->n_devices; i++)
        if (strcmp(params->devices[i].run_id, run_id) == 0)
            put_run(arena, &buf, &known, &params->devices[i]);
    uselocale(old);
    freelocale(c_locale);
    gcal_arena_destroy(arena);
    *size = buf.size;
    return gcal_buf_take(&buf, err);
}

/* The devices and models of the track. */
static int find_tracked(const struct gcal_track *before, struct gcal_strings *uids,
                        struct gcal_strings *models, struct gcal_error *err)
{
    for (size_t i = 0; i < before->n_runs; i++) {
        const struct gcal_track_run *run = &before->runs[i];

        if (gcal_strings_include(uids, run->uid, err) < 0)
            return -1;
        for (size_t k = 0; k < run->columns->n; k++)
            if (gcal_strings_include(models, run->columns->column[k].model, err) < 0)
                return -1;
    }
    return 0;
}

static void put_forgotten(struct gcal_buf *buf, const char *utc, char *const *uids,
                          size_t n, const char *model)
{
    for (size_t i = 0; i < n; i++) {
        gcal_buf_printf(buf, "forget\t%s\t", utc);
        put_text(buf, uids[i], "");
        gcal_buf_puts(buf, "\t");
        put_text(buf, model, OF_MODELS);
        gcal_buf_puts(buf, "\n");
    }
}

char *gcal_track_encode_forgotten(char *const *uids, size_t n, const char *model,
                                  const struct gcal_track *before, size_t *size,
                                  struct gcal_error *err)
{
    char utc[GCAL_CLOCK_UTC_SIZE];
    struct gcal_strings tracked = { 0 }, models = { 0 };
    struct gcal_buf buf = { 0 };
    int rc = model ? 0 : find_tracked(before, &tracked, &models, err);

    gcal_clock_utc(utc);
    put_header(&buf, before);
    if (model)
        put_forgotten(&buf, utc, uids, n, model);
    for (size_t i = 0; i < models.n; i++)
        put_forgotten(&buf, utc, tracked.items, tracked.n, models.items[i]);
    gcal_strings_clear(&tracked);
    gcal_strings_clear(&models);
    *size = buf.size;
    if (rc == 0)
        return gcal_buf_take(&buf, err);
    gcal_buf_free(&buf);
    return NULL;
}
