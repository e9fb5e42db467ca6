/* if_changed.c - --if-changed: the models and devices that a run skips */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/log.h"
#include "kernels/base/strings.h"
#include "mpi/ranks/staleness.h"
#include "mpi/cli/json.h"
#include "mpi/ranks/interrupt.h"
#include "mpi/ranks/root.h"
#include "store/record/record.h"

int gcal_root_load_published(const struct gcal_root *root, const char *node,
                             struct gcal_params_index **published, struct gcal_error *err)
{
    char **names;
    size_t count;
    bool found = false;

    if (!root->options.if_changed)
        return 0;
    if (gcal_store_nodes(root->store, &names, &count, err) < 0)
        return -1;
    for (size_t i = 0; i < count && !found; i++)
        found = strcmp(names[i], node) == 0;
    gcal_strings_free(names, count);
    if (found)
        *published = gcal_store_load_index(root->store, node, NULL, err);
    return !found || *published ? 0 : -1;
}

/* The models of the configuration for a device. */
static struct gcal_staleness_model *models_for(struct gcal_arena *arena,
                                               const struct gcal_config *config,
                                               const struct gcal_device_info *info,
                                               size_t *n)
{
    struct gcal_staleness_model *models =
        gcal_arena_alloc(arena, config->n_models, sizeof(*models));

    *n = 0;
    for (size_t i = 0; i < config->n_models; i++)
        if (gcal_config_model_applies(&config->models[i], info))
            models[(*n)++] = (struct gcal_staleness_model){
                .name = config->models[i].name,
                .configuration = config->models[i].fingerprint,
            };
    return models;
}

/* The names of the models that hold, with 'between' between them. */
static char *join_kept(struct gcal_arena *arena,
                       const struct gcal_staleness_model *models, size_t n,
                       const char *between)
{
    struct gcal_buf names = { 0 };

    for (size_t i = 0; i < n; i++)
        if (!models[i].stale)
            gcal_buf_printf(&names, "%s%s", names.size ? between : "", models[i].name);
    return gcal_arena_take(arena, &names);
}

bool gcal_root_is_stale(struct gcal_root *root, const char *node,
                        const struct gcal_params_index *published,
                        const struct gcal_device_info *info, char **kept)
{
    const struct gcal_params nothing = { 0 };
    const struct gcal_staleness_policy policy = {
        .catalogue = gcal_catalogue_fingerprint(root->catalogue),
        .gpucal_version = root->header.gpucal_version,
        .max_age_s = root->options.max_age_s,
        .now_s = (double)time(NULL),
    };
    struct gcal_staleness_model *models;
    const char *reason, *names;
    double age_s;
    size_t n;

    *kept = NULL;
    if (!root->options.if_changed)
        return true;
    models = models_for(root->arena, &root->config, info, &n);
    reason = gcal_staleness_check(
        root->arena, published ? gcal_params_index_devices(published) : &nothing, info,
        &policy, models, n, &age_s);
    if (!reason) {
        root->n_unchanged++;
        root->oldest_s = fmax(root->oldest_s, age_s);
        return false;
    }
    names = join_kept(root->arena, models, n, ", ");
    gcal_log(GCAL_LOG_INFO, "%s %s: measured because %s%s%s", node, info->name, reason,
             *names ? "; kept: model " : "", names);
    *kept = join_kept(root->arena, models, n, "\n");
    return true;
}

/* "3.2 days" */
static char *age_text(struct gcal_arena *arena, double age_s)
{
    if (age_s < 2 * 3600)
        return gcal_arena_format(arena, "%.0f minutes", age_s / 60);
    if (age_s < 2 * 86400)
        return gcal_arena_format(arena, "%.0f hours", age_s / 3600);
    return gcal_arena_format(arena, "%.1f days", age_s / 86400);
}

void gcal_root_remove_journal(struct gcal_root *root)
{
    if (!root->journal)
        return;
    gcal_journal_close(root->journal);
    root->journal = NULL;
    root->sink = (struct gcal_run_sink){ 0 };
    gcal_interrupt_offer_nothing();
    unlink(root->journal_path);
}

void gcal_root_finish_unchanged(struct gcal_root *root)
{
    gcal_root_remove_journal(root);
    if (root->options.json) {
        json_t *all = json_pack("{s:i, s:i, s:f, s:i}", "devices", 0, "unchanged",
                                (int)root->n_unchanged, "oldest_age_s", root->oldest_s,
                                "exit_status", root->n_lost ? GCAL_EDEVICE : 0);

        gcal_json_print(all, "calibrate");
        json_decref(all);
    } else {
        const bool one = root->n_unchanged == 1;

        printf("gpucal: nothing to do: %zu device%s unchanged, calibrated %s%s ago\n",
               root->n_unchanged, one ? "" : "s", one ? "" : "at most ",
               age_text(root->arena, root->oldest_s));
    }
    fflush(stdout);
}

void gcal_ranks_set_kept(struct gcal_config *config, char *kept)
{
    const struct gcal_run_device device = { .kept = kept };

    for (size_t i = 0; i < config->n_models; i++)
        config->models[i].kept = gcal_run_device_keeps(&device, config->models[i].name);
}
