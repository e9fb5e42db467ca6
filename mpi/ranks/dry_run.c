/* dry_run.c - what a run would measure, and what that would determine */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/log.h"
#include "kernels/base/units.h"
#include "calib/plan/outlook.h"
#include "calib/select/select.h"
#include "mpi/cli/catalogue.h"
#include "mpi/cli/json.h"
#include "mpi/ranks/root.h"

struct dry_device {
    const char *node;
    size_t rank;
    const struct gcal_device_info *info;
    char *kept; /* models that are not measured, or NULL */
    struct gcal_kernel_list list;
    struct gcal_plan_outlook outlook;
};

static bool is_determined(const struct gcal_plan_outlook *o)
{
    for (size_t i = 0; i < o->n_models; i++)
        if (!o->models[i].determined)
            return false;
    return true;
}

/* The exit status of the device. */
static int report(struct gcal_root *root, struct dry_device *d, json_t *devices)
{
    struct gcal_arena *arena = gcal_arena_create();
    struct gcal_error err = { 0 };
    int status = 0;

    gcal_ranks_set_kept(&root->config, d->kept);
    if (gcal_select_kernels(&root->config, root->catalogue, d->info, &d->list, &err) <
            0 ||
        gcal_command_catalogue_report(&d->list, &err) < 0 ||
        gcal_plan_outlook_make(arena, &root->config, d->info, &d->list, &d->outlook,
                               &err) < 0) {
        gcal_log(GCAL_LOG_ERROR, "%s", err.text);
        status = (int)err.code;
    } else {
        if (devices) {
            const struct gcal_plan_outlook *o = &d->outlook;
            json_t *all = json_array();
            for (size_t i = 0; i < o->n_models; i++) {
                const struct gcal_plan_outlook_model *m = &o->models[i];

                json_array_append_new(
                    all, json_pack("{s:s, s:i, s:i, s:b, s:s, s:s}", "model", m->name,
                                   "kernels", (int)m->n_kernels, "parameters",
                                   (int)m->n_parameters, "determined", (int)m->determined,
                                   "undetermined", m->undetermined, "merged", m->merged));
            }
            json_t *names = json_array();
            for (size_t i = 0; i < d->list.n_kernels; i++)
                json_array_append_new(names, json_string(d->list.kernels[i]->name));
            json_array_append_new(
                devices,
                json_pack(
                    "{s:s, s:i, s:s, s:s, s:i, s:i, s:i, s:i, s:f, s:f, s:f, s:o, s:o}",
                    "node", d->node, "rank", (int)d->rank, "device", d->info->name, "uid",
                    d->info->uid, "families", (int)o->n_families, "measured",
                    (int)o->n_measured, "launches_least", (int)o->n_launches_least,
                    "launches_most", (int)o->n_launches_most, "time_s", o->time_s,
                    "budget_s", o->budget_s, "memory_bytes", o->memory_bytes, "models",
                    all, "kernels", names));
        } else {
            const struct gcal_plan_outlook *o = &d->outlook;
            char time[GCAL_UNITS_SIZE], budget[GCAL_UNITS_SIZE], bytes[GCAL_UNITS_SIZE];

            printf("node %s rank %zu: %s (%s)\n", d->node, d->rank, d->info->name,
                   d->info->uid);
            printf("  %zu kernels, at up to %zu sizes together; about %zu are measured, "
                   "by %zu to %zu launches\n",
                   o->n_families, o->n_kernels, o->n_measured, o->n_launches_least,
                   o->n_launches_most);
            printf("  about %s, at most %s; buffers of up to %s\n",
                   gcal_units(o->time_s, "s", time), gcal_units(o->budget_s, "s", budget),
                   gcal_units(o->memory_bytes, "B", bytes));
            const char *before = "  ";
            size_t column = 0;
            for (size_t i = 0, end; i < d->list.n_kernels; i = end) {
                /* The kernels of a generator follow each other. */
                end = i + 1;
                while (end < d->list.n_kernels &&
                       strcmp(d->list.kernels[end]->generator,
                              d->list.kernels[i]->generator) == 0)
                    end++;
                column += (size_t)printf("%s%s %zu", before,
                                         d->list.kernels[i]->generator, end - i);
                before = column > 80 ? ",\n  " : ", ";
                column = column > 80 ? 0 : column;
            }
            printf("\n");
            for (size_t i = 0; i < o->n_models; i++) {
                printf("  model %s: %zu parameter%s, from %zu kernels and sizes",
                       o->models[i].name, o->models[i].n_parameters,
                       o->models[i].n_parameters == 1 ? "" : "s", o->models[i].n_kernels);
                if (o->models[i].determined)
                    printf(": determined\n");
                else
                    printf("; NOT DETERMINED by them: %s\n", o->models[i].undetermined);
                if (*o->models[i].merged)
                    printf("    not separable by these kernels, so they get the same "
                           "time: %s\n",
                           o->models[i].merged);
            }
        }
        status = is_determined(&d->outlook) ? 0 : GCAL_EFIT;
    }
    gcal_kernel_list_clear(&d->list);
    gcal_arena_destroy(arena);
    return status;
}

int gcal_root_dry_run(struct gcal_root *root)
{
    json_t *devices = root->options.json ? json_array() : NULL, *all;
    int status = 0;

    for (size_t i = 0; i < root->n_peers; i++) {
        const struct gcal_root_peer *peer = &root->peers[i];

        for (size_t j = 0; j < peer->n_assigned; j++) {
            struct dry_device d = { .node = peer->node,
                                    .rank = i,
                                    .info = &peer->devices[peer->assigned[j].device],
                                    .kept = peer->assigned[j].kept };
            int one = report(root, &d, devices);

            status = status ? status : one;
        }
    }
    if (devices) {
        all = json_pack("{s:o, s:i}", "devices", devices, "exit_status", status);
        gcal_json_print(all, "dry-run");
        json_decref(all);
    }
    return status;
}
