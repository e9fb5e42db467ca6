/* content.c - the text of a published file, new and old */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/sign.h"
#include "store/files/internal.h"
#include "store/publish/private.h"

const char *gcal_publish_temp(struct gcal_arena *arena, const char *name)
{
    char *temp = gcal_arena_own(arena, gcal_store_temp(name), free);

    if (!temp)
        gcal_arena_out_of_memory();
    return temp;
}

const char *gcal_publish_scope(struct gcal_arena *arena, const char *shown)
{
    char *scope = gcal_arena_own(arena, gcal_store_scope_of(shown), free);

    if (!scope)
        gcal_arena_out_of_memory();
    return scope;
}

char *gcal_publish_sign(const struct gcal_store *store, char *text, size_t *size,
                        struct gcal_error *err)
{
    struct gcal_buf buf = { 0 };
    char *line;

    if (!store->key)
        return text;
    if ((line = gcal_sign(store->key, text, *size, err))) {
        gcal_buf_put(&buf, text, *size);
        gcal_buf_puts(&buf, line);
        *size = buf.size;
    }
    free(text);
    free(line);
    return line ? gcal_buf_take(&buf, err) : NULL;
}

/* Simulated devices and others share no store. */
static int check_simulated(const struct gcal_store *store,
                           const struct gcal_device_info *info, struct gcal_error *err)
{
    bool simulated = gcal_device_info_is_simulated(info);

    if (simulated == gcal_store_is_for_simulations(store))
        return 0;
    if (simulated)
        return gcal_error_set(err, GCAL_ESTORE,
                              "%s is simulated, and store %s is not for simulations: use "
                              "one with a file 'simulated'",
                              info->name, store->path);
    return gcal_error_set(
        err, GCAL_ESTORE,
        "%s is not simulated, and store %s is for simulations: it has a "
        "file 'simulated'",
        info->name, store->path);
}

char *gcal_publish_encode(const struct gcal_store *store,
                          const struct gcal_params *params, size_t *size,
                          struct gcal_error *err)
{
    struct gcal_params again;
    char *text;

    for (size_t i = 0; i < params->n_devices; i++)
        if (check_simulated(store, &params->devices[i].info, err) < 0)
            return NULL;
    text = gcal_params_encode(params, size, err);
    if (text && gcal_params_decode(text, *size, params->node, &again, err) == 0) {
        gcal_params_clear(&again);
        return gcal_publish_sign(store, text, size, err);
    }
    free(text);
    gcal_error_prefix(err, "store %s: cannot publish %s", store->path, params->node);
    return NULL;
}

int gcal_publish_refuse(struct gcal_error *err)
{
    gcal_error_prefix(err, "cannot add to the published file (repair or remove it)");
    if (err)
        err->code = GCAL_ESTORE;
    return -1;
}

int gcal_publish_read_text(const struct gcal_store *store, int folder, const char *file,
                           const char *shown, char **text, size_t *size,
                           char sha256[GCAL_HASH_TEXT_SIZE], bool must_sign,
                           struct gcal_error *err)
{
    int rc = gcal_store_fetch_params(store, folder, file, shown, text, size, err);

    *sha256 = '\0';
    if (rc > 0) {
        gcal_hash(*text, *size, sha256);
        rc = must_sign ? gcal_store_check_key(store, shown, *text, *size, err) : 0;
        if (rc == 0)
            rc = gcal_store_check_reuse(store, shown, *text, *size, err);
        *size = gcal_sign_find(*text, *size);
    }
    if (rc == 0)
        return 0;
    free(*text);
    *text = NULL;
    return gcal_publish_refuse(err);
}

int gcal_publish_read_old(const struct gcal_store *store, int folder, const char *file,
                          const char *shown, struct gcal_params *old,
                          char sha256[GCAL_HASH_TEXT_SIZE], bool must_sign,
                          struct gcal_error *err)
{
    char *text;
    size_t size;
    int rc = gcal_publish_read_text(store, folder, file, shown, &text, &size, sha256,
                                    must_sign, err);

    *old = (struct gcal_params){ 0 };
    if (rc == 0 && text && (rc = gcal_params_decode(text, size, shown, old, err)) < 0) {
        gcal_error_prefix(err, "store %s", store->path);
        gcal_publish_refuse(err);
    }
    free(text);
    return rc;
}

int gcal_store_check_device(const struct gcal_store *store,
                            const struct gcal_device_info *info, struct gcal_error *err)
{
    struct gcal_params_device device = { .info = *info, .run_id = (char *)"0" };
    struct gcal_params params = { .node = (char *)"n",
                                  .n_devices = 1,
                                  .devices = &device };
    struct gcal_params again;
    size_t size;
    char *text = NULL;
    int rc = gcal_store_check_name("device type", info->type, err);

    if (rc == 0 && store)
        rc = check_simulated(store, info, err);
    if (rc == 0)
        rc = (text = gcal_params_encode(&params, &size, err)) ? 0 : -1;
    if (rc == 0 && (rc = gcal_params_decode(text, size, "device", &again, err)) == 0)
        gcal_params_clear(&again);
    free(text);
    if (rc < 0 && err)
        err->code = GCAL_EDEVICE;
    return rc;
}
