/* assign.c - assignment of devices to ranks, and what a resumed run has already measured
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/base/wire.h"
#include "kernels/model/run/device_match.h"
#include "calib/results/results.h"
#include "fit/fit.h"
#include "mpi/ranks/root.h"
#include "store/record/record.h"
#include "kernels/base/log.h"
#include "kernels/base/units.h"
#include "calib/plan/outlook.h"
#include "calib/select/select.h"
#include "mpi/cli/catalogue.h"
#include "mpi/cli/json.h"

/* ---- what a run would measure, and what that would determine ---- */

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

/* Prints what would be measured on the assigned devices.  Returns the exit status: GCAL_EFIT
 * if a model's parameters could not be determined.
 */
static int report_dry_run(struct gcal_root *root)
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

/* ---- the devices of an interrupted run against those of the run that resumes it ---- */

struct difference {
    const char *what, *before, *now;
};

/* NULL: there is none. */
static char *difference(struct gcal_arena *arena, const struct gcal_device_info *before,
                        const struct gcal_device_info *now)
{
    const struct difference differences[] = {
        { "driver", before->driver, now->driver },
        { "version of OpenCL", before->version, now->version },
        { "platform", before->platform, now->platform },
        { "name", before->name, now->name },
        { "type", before->type, now->type },
    };

    for (size_t i = 0; i < sizeof(differences) / sizeof(*differences); i++) {
        const struct difference *d = &differences[i];

        if (strcmp(d->before, d->now) != 0)
            return gcal_arena_format(
                arena,
                "its %s is '%s', and was '%s' when the run was "
                "interrupted: what was measured of it does not count; "
                "calibrate it in a new run",
                d->what, d->now, d->before);
    }
    return NULL;
}

/* In the record, the device's measurements are those of a device that was given up. */
static int give_up(struct gcal_root *root, const struct gcal_root_resumed *r,
                   const char *reason, struct gcal_error *err)
{
    const struct gcal_run_device device = {
        .node = r->node, .rank = r->rank, .info = r->info, .failure = (char *)reason
    };

    if (root->sink.device(root->sink.context, &device, err) < 0)
        return -1;
    gcal_root_note_unmeasured(root, &device, reason);
    return 0;
}

static struct gcal_root_peer *find_assigned(struct gcal_root *root,
                                            const struct gcal_root_resumed *r, size_t *j)
{
    for (size_t i = 0; i < root->n_peers; i++) {
        struct gcal_root_peer *peer = &root->peers[i];

        if (!peer->node || strcmp(peer->node, r->node) != 0)
            continue;
        for (*j = 0; *j < peer->n_assigned; ++*j)
            if (strcmp(peer->devices[peer->assigned[*j].device].uid, r->uid) == 0)
                return peer;
    }
    return NULL;
}

/* Gives up devices that the interrupted run measured, and that are not there now or have
 * another driver: what was measured then and now must not be mixed.
 */
static int check_resumed(struct gcal_root *root, struct gcal_error *err)
{
    for (size_t i = 0; i < root->n_resumed; i++) {
        const struct gcal_root_resumed *r = &root->resumed[i];
        struct gcal_root_peer *peer;
        char *reason;
        size_t j;
        int rc = 0;

        if (!r->info.uid)
            continue; /* its description was lost with the end of the journal */
        if (!(peer = find_assigned(root, r, &j))) {
            rc = give_up(root, r,
                         "it is not among the devices of the run that resumed this one: "
                         "its measurements are not complete, and do not count",
                         err);
        } else if ((reason = difference(root->arena, &r->info,
                                        &peer->devices[peer->assigned[j].device]))) {
            rc = give_up(root, r, reason, err);
            memmove(&peer->assigned[j], &peer->assigned[j + 1],
                    (peer->n_assigned - j - 1) * sizeof(*peer->assigned));
            peer->n_assigned--;
            root->n_devices--;
        }
        if (rc < 0)
            return -1;
    }
    return 0;
}

/* ---- choosing: a device belongs to one rank ---- */

static struct gcal_root_peer *owner_of(struct gcal_root *root, const char *node,
                                       const char *uid)
{
    for (size_t i = 0; i < root->n_peers; i++) {
        struct gcal_root_peer *peer = &root->peers[i];

        if (!peer->node || strcmp(peer->node, node) != 0)
            continue;
        for (size_t j = 0; j < peer->n_assigned; j++)
            if (strcmp(peer->devices[peer->assigned[j].device].uid, uid) == 0)
                return peer;
    }
    return NULL;
}

static const struct gcal_device_info *find_seen(const struct gcal_root_peer *peer,
                                                const char *uid, size_t *index)
{
    for (*index = 0; *index < peer->n_devices; ++*index)
        if (strcmp(peer->devices[*index].uid, uid) == 0)
            return &peer->devices[*index];
    return NULL;
}

/* The rank with the fewest assigned gets the device, of those of the node that list it; 'first' is
 * the first of them, with the device at 'best_index'.
 */
static void assign_device(struct gcal_root *root, struct gcal_root_peer *first,
                          size_t best_index, char *kept)
{
    const char *uid = first->devices[best_index].uid;
    struct gcal_root_peer *best = first;
    size_t index;

    for (size_t i = 0; i < root->n_peers; i++) {
        struct gcal_root_peer *peer = &root->peers[i];

        if (peer->state != GCAL_ROOT_PEER_WORKING ||
            strcmp(peer->node, first->node) != 0 || !find_seen(peer, uid, &index) ||
            best->n_assigned <= peer->n_assigned)
            continue;
        best = peer;
        best_index = index;
    }
    best->assigned = gcal_arena_grow(root->arena, best->assigned, best->n_assigned,
                                     &best->assigned_capacity, sizeof(*best->assigned));
    best->assigned[best->n_assigned++] =
        (struct gcal_root_assigned){ .device = best_index, .kept = kept };
    root->n_devices++;
    root->header.simulated |= gcal_device_info_is_simulated(&best->devices[best_index]);
}

static bool wanted(const struct gcal_root *root, const struct gcal_device_info *info)
{
    if (root->options.device) /* replaces the configuration's 'devices' */
        return gcal_device_info_matches(info, root->options.device);
    return gcal_config_device_filter_matches(&root->config.devices, info);
}

/* False if another run is calibrating the node. */
static bool lock_node(struct gcal_root *root, const char *node, int rank)
{
    struct gcal_error err = { 0 };

    if (!root->store || root->options.dry_run ||
        gcal_store_lock(root->store, node, root->header.run_id, &err) == 0)
        return true;
    gcal_root_note_lost(root, node, rank, err.text);
    return false;
}

static bool node_seen_before(const struct gcal_root *root, size_t rank)
{
    for (size_t i = 0; i < rank; i++)
        if (root->peers[i].node && root->peers[i].state == GCAL_ROOT_PEER_WORKING &&
            strcmp(root->peers[i].node, root->peers[rank].node) == 0)
            return true;
    return false;
}

/* False if nothing could be published of the device: it is named and not measured. */
static bool can_be_published(struct gcal_root *root, const struct gcal_root_peer *peer,
                             const struct gcal_device_info *info)
{
    struct gcal_error why = { 0 };
    struct gcal_run_device device = { .node = peer->node,
                                      .rank = (int)(peer - root->peers),
                                      .info = *info };

    if (gcal_results_check_device(root->store, info, &why) == 0)
        return true;
    gcal_root_note_unmeasured(root, &device, why.text);
    return false;
}

static void choose_for_node(struct gcal_root *root, const char *node,
                            const struct gcal_params_index *published)
{
    for (size_t i = 0; i < root->n_peers; i++) {
        struct gcal_root_peer *peer = &root->peers[i];

        if (peer->state != GCAL_ROOT_PEER_WORKING || strcmp(peer->node, node) != 0)
            continue;
        for (size_t j = 0; j < peer->n_devices; j++) {
            const struct gcal_device_info *info = &peer->devices[j];
            char *kept;

            if (wanted(root, info) && !owner_of(root, node, info->uid) &&
                can_be_published(root, peer, info) &&
                gcal_root_is_stale(root, node, published, info, &kept))
                assign_device(root, peer, j, kept);
        }
    }
}

static void choose_for_next_node(struct gcal_root *root, const char *node, int rank)
{
    struct gcal_params_index *published = NULL;

    if (lock_node(root, node, rank)) {
        struct gcal_error why = { 0 };

        /* A file that cannot be read stops its node, and no other. */
        if (gcal_root_load_published(root, node, &published, &why) < 0)
            gcal_root_note_lost(root, node, rank, why.text);
        else
            choose_for_node(root, node, published);
    }
    gcal_params_index_destroy(published);
}

static int choose(struct gcal_root *root, struct gcal_error *err)
{
    size_t n_seen = 0;

    for (size_t i = 0; i < root->n_peers; i++) {
        struct gcal_root_peer *peer = &root->peers[i];

        if (peer->state != GCAL_ROOT_PEER_WORKING)
            continue;
        n_seen += peer->n_devices;
        if (!node_seen_before(root, i))
            choose_for_next_node(root, peer->node, (int)i);
    }
    if (root->n_devices || root->n_unchanged)
        return 0;
    if (root->n_lost)
        return gcal_error_set(err, GCAL_EDEVICE, "no device could be measured");
    return gcal_error_set(err, GCAL_EDEVICE,
                          "none of the %zu OpenCL devices found matches %s; 'gpucal "
                          "devices' lists them",
                          n_seen,
                          root->options.device ? root->options.device
                                               : "'devices' of the configuration");
}

/* ---- sending ---- */

static const struct gcal_root_resumed *find_resumed(const struct gcal_root *root,
                                                    const char *node, const char *uid)
{
    for (size_t i = 0; i < root->n_resumed; i++)
        if (strcmp(root->resumed[i].node, node) == 0 &&
            strcmp(root->resumed[i].uid, uid) == 0)
            return &root->resumed[i];
    return NULL;
}

static int send_assignment(struct gcal_root *root, size_t rank, struct gcal_error *err)
{
    const struct gcal_root_peer *peer = &root->peers[rank];
    struct gcal_buf buf = { 0 };
    int rc;

    gcal_wire_put_text(&buf, root->config.file);
    gcal_wire_put_text(&buf, root->config.text);
    gcal_wire_put_f64(&buf, root->config.measure.budget_s);
    gcal_wire_put_u64(&buf, root->config.measure.seed);
    gcal_root_put_lock_test(root, rank, &buf);
    gcal_catalogue_files_put(&buf, gcal_catalogue_added_files(root->catalogue));
    gcal_profiles_put(&buf, root->profiles);
    gcal_wire_put_u32(&buf, (uint32_t)peer->n_assigned);
    for (size_t j = 0; j < peer->n_assigned; j++) {
        const struct gcal_device_info *info = &peer->devices[peer->assigned[j].device];
        const struct gcal_root_resumed *r = find_resumed(root, peer->node, info->uid);
        const char *kept = r ? r->kept : peer->assigned[j].kept;

        gcal_device_info_put(&buf, info);
        gcal_wire_put_text(&buf, kept ? kept : "");
        gcal_wire_put_u32(&buf, r ? (uint32_t)r->n_done : 0);
        for (size_t i = 0; r && i < r->n_done; i++) {
            gcal_wire_put_text(&buf, r->done[i].kernel_id);
            gcal_wire_put_f64(&buf, r->done[i].time_s);
            gcal_wire_put_u64(&buf, r->done[i].last_order);
            gcal_wire_put_u64(&buf, r->done[i].built.registers);
            gcal_wire_put_u64(&buf, r->done[i].built.private_bytes);
        }
    }
    rc = gcal_comm_send(root->comm, (int)rank, GCAL_RANKS_TAG_ASSIGN, &buf, err);
    gcal_buf_free(&buf);
    return rc;
}

int gcal_root_assign(struct gcal_root *root, struct gcal_error *err)
{
    if (choose(root, err) < 0) {
        if (!root->options.resume)
            gcal_root_remove_journal(root);
        return -1;
    }
    if (!root->n_devices) {
        gcal_root_finish_unchanged(root);
        return 1;
    }
    if (root->options.dry_run) {
        root->dry_status = report_dry_run(root);
        return 1;
    }
    if (check_resumed(root, err) < 0)
        return -1;
    return gcal_root_counting_start(root, err);
}

/* Messages on their way, each with all profiles, are few: they are the root's memory.  Those to ranks
 * that died stay, and after the limit do not count: each would hold up all that follow.
 */
#define AT_ONCE      8
#define SEND_LIMIT_S 1.0

int gcal_root_send_assignments(struct gcal_root *root, struct gcal_error *err)
{
    size_t n_stuck = 0, n_unsent;

    for (size_t i = 0; i < root->n_peers; i++) {
        if (root->peers[i].state != GCAL_ROOT_PEER_WORKING)
            continue;
        if (send_assignment(root, i, err) < 0)
            return -1;
        n_unsent = gcal_comm_flush(root->comm, n_stuck + AT_ONCE - 1, SEND_LIMIT_S);
        if (n_unsent >= n_stuck + AT_ONCE || n_unsent < n_stuck)
            n_stuck = n_unsent;
    }
    return 0;
}

/* ---- resuming ---- */

static struct gcal_root_resumed *resumed_for(struct gcal_root *root, const char *node,
                                             const char *uid)
{
    struct gcal_root_resumed *r =
        (struct gcal_root_resumed *)find_resumed(root, node, uid);

    if (r)
        return r;
    root->resumed = gcal_arena_grow(root->arena, root->resumed, root->n_resumed,
                                    &root->resumed_capacity, sizeof(*r));
    r = &root->resumed[root->n_resumed++];
    *r = (struct gcal_root_resumed){ .node = gcal_arena_strdup(root->arena, node),
                                     .uid = gcal_arena_strdup(root->arena, uid) };
    return r;
}

static int note_done(void *context, const struct gcal_measurement *m,
                     struct gcal_error *err)
{
    struct gcal_root *root = context;
    struct gcal_plan_done one;
    double spread;
    struct gcal_root_resumed *r;

    if (m->status != GCAL_MEASUREMENT_GOOD || !m->n_samples)
        return 0; /* failed kernels are measured again */
    r = resumed_for(root, m->node, m->device_uid);
    if (gcal_fit_median_time(m->samples, m->n_samples, &one.time_s, &spread, err) < 0)
        return -1;
    one.kernel_id = gcal_arena_strdup(root->arena, m->kernel_id);
    one.last_order = m->samples[m->n_samples - 1].order;
    one.built = m->built;
    r->done = gcal_arena_grow(root->arena, r->done, r->n_done, &r->capacity, sizeof(one));
    r->done[r->n_done++] = one;
    return 0;
}

/* The device as it was; models that the run did not measure are not measured now, either.
 */
static int note_device(void *context, const struct gcal_run_device *device,
                       struct gcal_error *err)
{
    struct gcal_root *root = context;
    struct gcal_root_resumed *r = resumed_for(root, device->node, device->info.uid);

    r->rank = device->rank;
    gcal_device_info_clear(&r->info);
    if (gcal_device_info_copy(&r->info, &device->info, err) < 0)
        return -1;
    if (!device->kept || device->failure)
        return 0;
    r->kept = gcal_arena_strdup(root->arena, device->kept);
    return 0;
}

static int pass_kernel(void *c, const struct gcal_run_kernel *k, struct gcal_error *err)
{
    (void)c, (void)k, (void)err;
    return 0;
}

static int note_link(void *context, const struct gcal_run_link *link,
                     struct gcal_error *err)
{
    struct gcal_root *root = context;

    (void)link, (void)err;
    root->has_links = true;
    return 0;
}

static int pass_lost(void *c, const char *node, int rank, const char *reason,
                     struct gcal_error *err)
{
    (void)c, (void)node, (void)rank, (void)reason, (void)err;
    return 0;
}

/* Configuration and catalogue must be those of the interrupted run, so that its kernels
 * are the same.
 */
int gcal_root_resume(struct gcal_root *root, struct gcal_error *err)
{
    struct gcal_run_sink sink = { .context = root,
                                  .device = note_device,
                                  .kernel = pass_kernel,
                                  .measurement = note_done,
                                  .link = note_link,
                                  .lost = pass_lost };
    struct gcal_record_header old = { 0 };

    if (access(root->journal_path, F_OK) < 0)
        return gcal_error_set(
            err, GCAL_EINPUT,
            "no journal %s: the run finished, and there is nothing to resume; if it was "
            "ended before it published, 'gpucal fit --record %s --store DIR' publishes "
            "it",
            root->journal_path, root->record_path);
    if (gcal_journal_replay(root->journal_path, &old, &sink, err) < 0)
        return -1;
    if (strcmp(old.config, root->config.text) != 0) {
        gcal_record_header_clear(&old);
        return gcal_error_set(err, GCAL_EINPUT,
                              "%s was written with a configuration other than %s, or "
                              "other kernels of --catalogue",
                              root->journal_path, root->config.file);
    }
    if (strcmp(old.catalogue, gcal_catalogue_fingerprint(root->catalogue)) != 0) {
        gcal_record_header_clear(&old);
        return gcal_error_set(err, GCAL_EINPUT,
                              "%s was written with another catalogue of measurement "
                              "kernels: resume it with the gpucal that began it",
                              root->journal_path);
    }
    gcal_record_header_clear(&root->header);
    root->header = old;
    root->config.measure.seed = old.seed;
    root->journal = gcal_journal_append(root->journal_path, err);
    return root->journal ? 0 : -1;
}
