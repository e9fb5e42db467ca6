/* failures.c - kernels that could not be measured, on one device or on all */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/error.h"
#include "calib/results/private.h"

static int add(struct gcal_result_failures *list, const struct gcal_record *record,
               const struct gcal_measurement *m, size_t kernel, size_t n_devices,
               struct gcal_error *err)
{
    struct gcal_result_failure *grown =
        gcal_array_grow(list->items, list->n, &list->capacity, sizeof(*grown), err);
    size_t length;
    const char *detail = gcal_result_first_line(m->detail, &length);

    if (!grown)
        return -1;
    list->items = grown;
    grown += list->n++;
    *grown = (struct gcal_result_failure){
        .kernel = strdup(record->kernels[kernel].name),
        .node = strdup(m->node),
        .uid = strdup(m->device_uid),
        .reason = strndup(detail, length),
        .status = m->status,
        .n_devices = n_devices,
    };
    return grown->kernel && grown->node && grown->uid && grown->reason
               ? 0
               : gcal_error_memory(err);
}

int gcal_results_failures(const struct gcal_record *record,
                          struct gcal_result_failures *list, struct gcal_error *err)
{
    struct gcal_result_tally tally = { 0 };
    int rc = gcal_result_tally_read(&tally, record, err);

    *list = (struct gcal_result_failures){ 0 };
    for (size_t i = 0; rc == 0 && i < record->n_measurements; i++) {
        struct gcal_result_tally_row *row;
        struct gcal_measurement m;
        size_t kernel;

        if ((rc = gcal_record_measurement(record, i, &m, NULL, &kernel, err)) < 0)
            break;
        row = &tally.kernels[kernel];
        if (m.status != GCAL_MEASUREMENT_GOOD && (row->n_good || row->n_bad))
            rc = add(list, record, &m, kernel, row->n_good ? 1 : row->n_bad, err);
        if (!row->n_good)
            row->n_bad = 0; /* one for all devices */
        gcal_measurement_clear(&m);
    }
    gcal_result_tally_clear(&tally);
    if (rc < 0)
        gcal_result_failures_clear(list);
    return rc;
}

void gcal_result_failures_clear(struct gcal_result_failures *list)
{
    for (size_t i = 0; i < list->n; i++) {
        free(list->items[i].kernel);
        free(list->items[i].node);
        free(list->items[i].uid);
        free(list->items[i].reason);
    }
    free(list->items);
    *list = (struct gcal_result_failures){ 0 };
}
