/* load_names.c - the global loads of a kernel by name */
#include "kernels/remove/private.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/error.h"

static bool is_among(const struct gcal_remove_options *removal, const char *name)
{
    for (size_t i = 0; i < removal->n_keep; i++)
        if (strcmp(removal->keep[i], name) == 0)
            return true;
    return false;
}

/* "name", or "name+index" with the loads that its address or trip count depends on. */
static char *find_with(const struct gcal_count_request *request, const char *name,
                       struct gcal_error *err)
{
    enum { MOST = 8 };
    char missing[MOST][GCAL_REMOVE_MAX_NAME];
    const char *keep[MOST] = { name };
    struct gcal_remove_options removal = { .n_keep = 1, .keep = keep };
    struct gcal_buf out = { 0 };

    while (true) {
        struct gcal_remove_report report;
        char *text = gcal_remove_work_reported(request, &removal, &report, err);
        bool done = text != NULL;

        free(text);
        free(report.loaded);
        if (done)
            break;
        if (!*report.missing || is_among(&removal, report.missing) ||
            removal.n_keep == MOST)
            return NULL;
        memcpy(missing[removal.n_keep], report.missing, GCAL_REMOVE_MAX_NAME);
        keep[removal.n_keep] = missing[removal.n_keep];
        removal.n_keep++;
    }
    for (size_t i = 0; i < removal.n_keep; i++)
        gcal_buf_printf(&out, "%s%s", i ? "+" : "", keep[i]);
    return gcal_buf_take(&out, err);
}

static int add(struct gcal_remove_load_list *loads, const struct gcal_remove_name *name,
               struct gcal_error *err)
{
    struct gcal_remove_load *moved =
        gcal_array_grow(loads->items, loads->n, &loads->capacity, sizeof(*moved), err);

    if (!moved)
        return -1;
    loads->items = moved;
    moved[loads->n] = (struct gcal_remove_load){ strdup(name->text), name->is_own, NULL };
    return moved[loads->n++].name ? 0 : gcal_error_memory(err);
}

int gcal_remove_find_loads(const struct gcal_count_request *request,
                           struct gcal_remove_load_list *loads, struct gcal_error *err)
{
    struct gcal_remove_options removal = { .form = GCAL_REMOVE_KEEP_LOADS };
    struct gcal_remove_report report;
    char *text = gcal_remove_work_reported(request, &removal, &report, err);
    int rc = text ? 0 : -1;

    *loads = (struct gcal_remove_load_list){ 0 };
    for (size_t i = 0; i < report.n_loaded && rc == 0; i++)
        rc = add(loads, &report.loaded[i], err);
    if (rc < 0)
        gcal_remove_load_list_clear(loads);
    free(report.loaded);
    free(text);
    return rc;
}

int gcal_remove_find_load_dependences(const struct gcal_count_request *request,
                                      struct gcal_remove_load_list *loads,
                                      struct gcal_error *err)
{
    for (size_t i = 0; i < loads->n; i++) {
        struct gcal_remove_load *load = &loads->items[i];

        if (load->is_own && !load->with &&
            !(load->with = find_with(request, load->name, err)))
            return -1;
    }
    return 0;
}
