/* runs.c - the records of several runs, fitted as one */
#include "mpi/commands/store/runs.h"

#include <string.h>

#include "kernels/base/error.h"
#include "calib/results/results.h"
#include "calib/select/select.h"
#include "store/record/record.h"

struct runs {
    const char *const *paths;
    bool other_models;
    struct gcal_strings *said;
    struct gcal_record *all;
    struct gcal_config first; /* of the first record */
};

static int read_config(const struct gcal_record *record, struct gcal_config *config,
                       struct gcal_error *err)
{
    const struct gcal_record_header *h = record->header;

    return gcal_select_parse(h->config, strlen(h->config), h->config_file, NULL, config,
                             err);
}

static int differ(const struct runs *r, size_t i, const char *what,
                  struct gcal_error *err)
{
    return gcal_error_set(err, GCAL_EINPUT,
                          "%s and %s were measured by different %s: their times are not "
                          "those of one calibration",
                          r->paths[0], r->paths[i], what);
}

static int check_models(const struct runs *r, size_t i, const struct gcal_record *record,
                        struct gcal_error *err)
{
    struct gcal_config config = { 0 };
    int rc = read_config(record, &config, err);

    if (rc == 0 && strcmp(config.fingerprint, r->first.fingerprint) != 0)
        rc = differ(r, i, "configurations", err);
    gcal_config_clear(&config);
    return rc;
}

static int check(const struct runs *r, size_t i, const struct gcal_record *record,
                 struct gcal_error *err)
{
    if (strcmp(record->header->catalogue, r->all->header->catalogue) != 0)
        return differ(r, i, "catalogues of kernels", err);
    return r->other_models ? 0 : check_models(r, i, record, err);
}

static struct gcal_record *open_tried(const char *path, struct gcal_error *err)
{
    return gcal_record_try(path, err) < 0 ? NULL : gcal_record_open(path, err);
}

static int add(struct runs *r, size_t i, struct gcal_error *err)
{
    struct gcal_record *record = open_tried(r->paths[i], err);
    int rc = -1;

    if (record &&
        (i ? check(r, i, record, err) : read_config(record, &r->first, err)) == 0)
        rc = gcal_results_collect(r->all, record, r->paths[i], &r->first, r->said, err);
    gcal_record_close(record);
    return rc;
}

struct gcal_record *gcal_fit_open_runs(const char *const *paths, size_t n,
                                       bool other_models, struct gcal_strings *said,
                                       struct gcal_error *err)
{
    struct runs r = { .paths = paths, .other_models = other_models, .said = said };
    int rc = 0;

    if (n == 1)
        return open_tried(paths[0], err);
    if (!(r.all = gcal_record_collect(err)))
        return NULL;
    for (size_t i = 0; i < n && rc == 0; i++)
        rc = add(&r, i, err);
    gcal_config_clear(&r.first);
    if (rc == 0)
        return r.all;
    gcal_record_close(r.all);
    return NULL;
}
