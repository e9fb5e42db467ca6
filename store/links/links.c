/* links.c - the links of a node: loading, predicting */
#include "store/links/links.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "store/files/internal.h"

int gcal_links_load(const struct gcal_store *store, const char *node,
                    struct gcal_links *links, struct gcal_error *err)
{
    char *text = NULL, *shown = NULL;
    size_t size;
    int rc = gcal_store_fetch_current(store, "links", node, &text, &size, &shown, err);

    *links = (struct gcal_links){ 0 };
    if (rc == 0 && !(links->node = strdup(node)))
        rc = gcal_error_memory(err);
    if (rc > 0 && gcal_links_decode(text, size, shown, links, err) < 0)
        rc = gcal_error_prefix(err, "store %s", store->path);
    if (rc > 0 && strcmp(links->node, node) != 0) {
        rc = gcal_error_set(err, GCAL_EINPUT, "store %s: %s belongs to '%s', not to '%s'",
                            store->path, shown, links->node, node);
        gcal_links_clear(links);
    }
    free(shown);
    free(text);
    return rc;
}

int gcal_links_nodes(const struct gcal_store *store, char ***names, size_t *count,
                     struct gcal_error *err)
{
    return gcal_store_list_kind(store, "links", names, count, err);
}

int gcal_links_predict(const struct gcal_links *links, const char *to, double bytes,
                       struct gcal_links_time *time, struct gcal_error *err)
{
    enum gcal_links_class_id id =
        strcmp(to, links->node) == 0 ? GCAL_LINKS_WITHIN : GCAL_LINKS_BETWEEN;
    const struct gcal_links_class *c = &links->classes[id];
    const struct gcal_link_curve *curve = &c->curve;
    const struct gcal_links_pair *pair = NULL;
    double factor = 1, error;
    size_t r;

    if (!c->n_measured)
        return gcal_error_set(
            err, GCAL_EINPUT,
            "links %s node %s are not measured: calibrate it by a job of %s (mpirun, "
            "srun)",
            id == GCAL_LINKS_WITHIN ? "within" : "from", links->node,
            id == GCAL_LINKS_WITHIN ? "two ranks on it" : "several nodes");
    for (size_t i = 0; i < c->n_pairs && !pair; i++)
        if (strcmp(c->pairs[i].to, to) == 0)
            pair = &c->pairs[i];
    if (pair && pair->is_outlier)
        curve = &pair->curve;
    r = gcal_link_regime_of(curve, bytes);
    error = pair && pair->is_outlier ? 0 : curve->regimes[r].between;
    if (pair && !pair->is_outlier) {
        factor = pair->factor[r];
        error = pair->error[r];
    }
    error = hypot(error, curve->regimes[r].error);
    *time = (struct gcal_links_time){ .time_s = factor * gcal_link_time_s(curve, bytes),
                                      .error = error,
                                      .beyond = fmax(bytes / c->most_bytes, 1) };
    time->low_s = time->time_s * exp(-GCAL_PARAMS_NORMAL_90 * error);
    time->high_s = time->time_s * exp(GCAL_PARAMS_NORMAL_90 * error);
    return 0;
}
