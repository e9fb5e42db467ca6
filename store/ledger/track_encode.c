/* track_encode.c - the lines of new calibrations in a track */
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "calib/base/strings.h"
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

static void put_column(struct gcal_buf *buf, const char *model, const char *form,
                       const char *parameter, const char *unit)
{
    gcal_buf_puts(buf, "\t");
    put_text(buf, model, "/");
    gcal_buf_puts(buf, "/");
    put_text(buf, form, "/");
    gcal_buf_puts(buf, "/");
    put_text(buf, parameter, "/");
    gcal_buf_puts(buf, "/");
    put_text(buf, unit, "");
}

/* The names of a device's values. */
static char *device_columns(const struct gcal_params_device *device,
                            struct gcal_error *err)
{
    struct gcal_buf buf = { 0 };

    for (size_t m = 0; m < device->n_models; m++) {
        const struct gcal_params_model *model = &device->models[m];

        for (size_t i = 0; i < model->n_parameters; i++)
            put_column(&buf, model->name, model->form, model->parameter[i],
                       model->unit[i]);
    }
    return gcal_buf_take(&buf, err);
}

static char *track_columns(const struct gcal_track_columns *columns,
                           struct gcal_error *err)
{
    struct gcal_buf buf = { 0 };

    for (size_t i = 0; i < columns->n; i++)
        put_column(&buf, columns->column[i].model, columns->column[i].form,
                   columns->column[i].parameter, columns->column[i].unit);
    return gcal_buf_take(&buf, err);
}

/* ---- known columns ---- */

static int add_known_of_track(struct gcal_strings *known, const struct gcal_track *before,
                              struct gcal_error *err)
{
    const struct gcal_track_memory *m = before ? before->memory : NULL;
    int rc = 0;

    for (size_t i = 0; m && i < m->n_columns && rc == 0; i++)
        rc = gcal_strings_take(known, track_columns(&m->columns[i], err), err);
    return rc;
}

/* Adds a line when the columns are new.  Takes 'names'. */
static int put_columns(struct gcal_buf *buf, struct gcal_strings *known, char *names,
                       size_t *id, struct gcal_error *err)
{
    *id = names ? gcal_strings_find(known, names) : known->n;
    if (*id < known->n) {
        free(names);
        return 0;
    }
    if (gcal_strings_take(known, names, err) < 0)
        return -1;
    gcal_buf_printf(buf, "columns\t%zu%s\n", *id, known->items[*id]);
    return 0;
}

/* ---- a calibration ---- */

static void put_values(struct gcal_buf *buf, const struct gcal_params_device *d)
{
    for (size_t k = 0; k < d->n_models; k++)
        for (size_t i = 0; i < d->models[k].n_parameters; i++) {
            put_number(buf, d->models[k].own[i], 6);
            put_number(buf, d->models[k].own_error[i], 3);
        }
}

static int put_run(struct gcal_buf *buf, struct gcal_strings *known,
                   const struct gcal_params_device *d, struct gcal_error *err)
{
    const char *texts[] = {
        d->run_id,      d->calibrated_utc, d->info.uid,  d->info.type,      d->info.name,
        d->info.driver, d->configuration,  d->catalogue, d->gpucal_version,
    };
    size_t id;

    if (put_columns(buf, known, device_columns(d, err), &id, err) < 0)
        return -1;
    gcal_buf_puts(buf, "run");
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        gcal_buf_puts(buf, "\t");
        put_text(buf, texts[i], "");
    }
    gcal_buf_printf(buf, "\t%zu", id);
    put_values(buf, d);
    gcal_buf_puts(buf, "\n");
    return 0;
}

static int put_runs(struct gcal_buf *buf, struct gcal_strings *known,
                    const struct gcal_params *params, const char *run_id,
                    struct gcal_error *err)
{
    int rc = 0;

    for (size_t i = 0; i < params->n_devices && rc == 0; i++)
        if (strcmp(params->devices[i].run_id, run_id) == 0)
            rc = put_run(buf, known, &params->devices[i], err);
    return rc;
}

static bool has_header(const struct gcal_track *track)
{
    const struct gcal_track_memory *m = track ? track->memory : NULL;

    return m && m->has_header;
}

char *gcal_track_encode(const struct gcal_params *params, const char *run_id,
                        const struct gcal_track *before, size_t *size,
                        struct gcal_error *err)
{
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", NULL), old;
    struct gcal_strings known = { 0 };
    struct gcal_buf buf = { 0 };
    char *text = NULL;

    if (!c_locale) {
        gcal_error_memory(err);
        return NULL;
    }
    old = uselocale(c_locale);
    if (!has_header(before))
        gcal_buf_puts(&buf, GCAL_TRACK_HEADER "\n");
    if (add_known_of_track(&known, before, err) == 0 &&
        put_runs(&buf, &known, params, run_id, err) == 0) {
        *size = buf.size;
        text = gcal_buf_take(&buf, err);
    }
    uselocale(old);
    freelocale(c_locale);
    gcal_buf_free(&buf);
    gcal_strings_clear(&known);
    return text;
}
