/* accounts.c - what could not be measured, and why: devices and kernels */
#include <math.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "calib/results/private.h"

/* The measurements of one device, or of one kernel. */
struct tally_row {
    size_t n_good, n_bad;
    char *first;        /* of a device: why the first kernel failed; NULL: none */
    bool skipped_first; /* it was only skipped */
};

struct tally {
    struct tally_row *devices, *kernels; /* as in the record */
};

/* The first line of a text (NULL: "") that is not empty. */
static const char *first_line(const char *text, int *length)
{
    text = text ? text + strspn(text, " \t\r\n") : "";
    *length = (int)strcspn(text, "\n");
    return text;
}

static int read_tally(struct gcal_arena *arena, struct tally *t,
                      const struct gcal_record *record, struct gcal_error *err)
{
    t->devices = gcal_arena_alloc(arena, record->n_devices, sizeof(*t->devices));
    t->kernels = gcal_arena_alloc(arena, record->n_kernels, sizeof(*t->kernels));
    for (size_t i = 0; i < record->n_measurements; i++) {
        struct gcal_measurement m;
        struct tally_row *d;
        size_t device, kernel;
        bool good;

        if (gcal_record_measurement(record, i, &m, &device, &kernel, err) < 0)
            return -1;
        d = &t->devices[device];
        good = m.status == GCAL_MEASUREMENT_GOOD && m.n_samples;
        *(good ? &t->kernels[kernel].n_good : &t->kernels[kernel].n_bad) += 1;
        *(good ? &d->n_good : &d->n_bad) += 1;
        /* "p_add: build failed: error: ..", which says more than that it was skipped */
        if (!good &&
            (!d->first || (m.status > GCAL_MEASUREMENT_SKIPPED && d->skipped_first))) {
            int length;
            const char *detail = first_line(m.detail, &length);

            d->skipped_first = m.status == GCAL_MEASUREMENT_SKIPPED;
            d->first =
                gcal_arena_format(arena, "%s: %s%s%.*s", record->kernels[kernel].name,
                                  gcal_measurement_status_name(m.status),
                                  length ? ": " : "", length, detail);
        }
        gcal_measurement_clear(&m);
    }
    return 0;
}

bool gcal_result_has_factor(const struct gcal_result_type_fit *t, size_t k)
{
    return isfinite(t->factor[k]) && isfinite(t->factor_error[k]);
}

/* The models that have parameters, but not of this device: ", "-separated.  'n_wanted' counts all
 * that were to be measured.
 */
static void put_missing_models(const struct gcal_results *results,
                               const struct gcal_record *record,
                               const struct gcal_config *config, size_t device,
                               struct gcal_buf *missing, size_t *n_wanted)
{
    *n_wanted = 0;
    for (size_t i = 0; i < results->n_fits; i++) {
        const struct gcal_result_type_fit *t = &results->fits[i];
        const char *name = config->models[t->model].name;
        bool has = false;

        if (!gcal_result_is_fit_of(record, results, t, device) ||
            gcal_run_device_keeps(&record->devices[device], name))
            continue;
        ++*n_wanted;
        for (size_t k = 0; k < t->n_devices; k++)
            has = has || (t->device[k] == device && gcal_result_has_factor(t, k));
        if (!has && t->good)
            gcal_buf_printf(missing, "%s%s", missing->size ? ", " : "", name);
    }
}

int gcal_results_unmeasured(const struct gcal_results *results,
                            const struct gcal_record *record,
                            const struct gcal_config *config,
                            struct gcal_result_unmeasured **unmeasured, size_t *n,
                            struct gcal_error *err)
{
    struct gcal_arena *arena = results->arena;
    struct tally tally;

    *unmeasured = gcal_arena_alloc(arena, record->n_devices, sizeof(**unmeasured));
    *n = 0;
    if (read_tally(arena, &tally, record, err) < 0)
        return -1;
    for (size_t i = 0; i < record->n_devices; i++) {
        char *reason;

        if (record->devices[i].failure)
            continue; /* reported when it was given up */
        /* "": nothing is missing. */
        const struct tally_row *t = &tally.devices[i];
        struct gcal_buf models = { 0 }, buf = { 0 };
        size_t n_wanted;
        put_missing_models(results, record, config, i, &models, &n_wanted);
        if (n_wanted && !t->n_good && !t->n_bad)
            gcal_buf_puts(&buf, "no kernel was measured");
        else if (n_wanted && !t->n_good)
            gcal_buf_printf(&buf, "none of %zu kernels could be measured; ", t->n_bad);
        else if (models.size && gcal_result_speed_of(&results->speeds, i))
            gcal_buf_printf(
                &buf,
                "too few kernels were measured for model %.*s after the device's "
                "speed had changed%s",
                (int)models.size, models.data, t->first ? "; " : "");
        else if (models.size)
            gcal_buf_printf(&buf,
                            "too few kernels were measured for model %.*s: %zu of %zu%s",
                            (int)models.size, models.data, t->n_good,
                            t->n_good + t->n_bad, t->first ? "; " : "");
        if (buf.size && t->first)
            gcal_buf_puts(&buf, t->first);
        gcal_buf_free(&models);
        reason = gcal_arena_take(arena, &buf);
        if (*reason)
            (*unmeasured)[(*n)++] =
                (struct gcal_result_unmeasured){ .device = i, .reason = reason };
    }
    return 0;
}

int gcal_results_failures(struct gcal_arena *arena, const struct gcal_record *record,
                          struct gcal_result_failures *list, struct gcal_error *err)
{
    struct tally tally;

    list->n = 0;
    list->items = gcal_arena_alloc(arena, record->n_measurements, sizeof(*list->items));
    if (read_tally(arena, &tally, record, err) < 0)
        return -1;
    for (size_t i = 0; i < record->n_measurements; i++) {
        struct tally_row *row;
        struct gcal_measurement m;
        size_t kernel;
        int length;

        if (gcal_record_measurement(record, i, &m, NULL, &kernel, err) < 0)
            return -1;
        row = &tally.kernels[kernel];
        if (m.status != GCAL_MEASUREMENT_GOOD && (row->n_good || row->n_bad)) {
            const char *detail = first_line(m.detail, &length);

            list->items[list->n++] = (struct gcal_result_failure){
                .kernel = gcal_arena_strdup(arena, record->kernels[kernel].name),
                .node = gcal_arena_strdup(arena, m.node),
                .uid = gcal_arena_strdup(arena, m.device_uid),
                .reason = gcal_arena_format(arena, "%.*s", length, detail),
                .status = m.status,
                .n_devices = row->n_good ? 1 : row->n_bad,
            };
        }
        if (!row->n_good)
            row->n_bad = 0; /* one for all devices */
        gcal_measurement_clear(&m);
    }
    return 0;
}
