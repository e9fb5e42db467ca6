/* sign.c - signatures of the medians that there are */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calib/base/error.h"
#include "calib/base/sign.h"
#include "calib/base/strings.h"
#include "store/files/internal.h"
#include "store/medians/private.h"

/* Whether the file has a signature of the store's key. */
static bool is_signed(const struct gcal_store *store, int folder, const char *file,
                      const char *shown)
{
    size_t size;
    char *text = NULL;
    bool is = gcal_store_fetch(store, folder, file, shown, GCAL_MEDIANS_MAX_BYTES, &text,
                               &size, NULL) > 0 &&
              gcal_sign_check(store->public_key, text, size, NULL) == 0;

    free(text);
    return is;
}

/* 1 if the file got a signature. */
static int sign_file(struct gcal_store *store, int folder, const char *node,
                     const char *file, const char *shown, struct gcal_error *err)
{
    char *temp = gcal_buf_format(".publish.%s", node), *text = NULL, *fresh = NULL;
    struct gcal_buf sections = { 0 };
    size_t size;
    int rc = temp ? 0 : gcal_error_memory(err);

    if (rc == 0 && !is_signed(store, folder, file, shown))
        rc = gcal_medians_fetch(store, folder, file, shown, &text, &size, err);
    if (rc > 0) {
        size_t skip = (size_t)(strchr(text, '\n') + 1 - text);

        gcal_buf_put(&sections, text + skip, size - skip);
        fresh = gcal_medians_finish(store, &sections, &size, err);
        if (!fresh ||
            gcal_store_prepare(store, folder, temp, shown, fresh, size, err) < 0 ||
            gcal_store_replace(store, folder, temp, file, shown, err) < 0)
            rc = -1;
    }
    gcal_buf_free(&sections);
    free(fresh);
    free(text);
    free(temp);
    return rc;
}

static int sign_node(struct gcal_store *store, int folder, const char *node,
                     struct gcal_error *err)
{
    int lock = gcal_store_lock_node(store, node, err), rc = -1;
    char *file = gcal_buf_format("%s.tsv", node);
    char *shown = gcal_buf_format("medians/%s.tsv", node);

    if (lock >= 0 && (!file || !shown))
        gcal_error_memory(err);
    else if (lock >= 0)
        rc = sign_file(store, folder, node, file, shown, err);
    free(file);
    free(shown);
    if (lock >= 0)
        close(lock);
    return rc;
}

int gcal_medians_sign(struct gcal_store *store, size_t *n_signed, struct gcal_error *err)
{
    char **nodes;
    size_t n;
    int folder = -1, rc = gcal_medians_nodes(store, &nodes, &n, err);

    if (rc < 0)
        return -1;
    rc = n ? gcal_store_folder(store, store->dirfd, "medians", "medians", &folder, err)
           : 0;
    for (size_t i = 0; i < n && rc >= 0; i++) {
        rc = sign_node(store, folder, nodes[i], err);
        *n_signed += rc > 0;
    }
    if (folder >= 0)
        close(folder);
    gcal_strings_free(nodes, n);
    return rc < 0 ? -1 : 0;
}
