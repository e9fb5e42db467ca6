/* root.c - rank 0's service: receives messages, detects lost ranks, ends the run */
#include "mpi/ranks/root.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calib/base/array.h"
#include "calib/base/clock.h"
#include "calib/base/log.h"
#include "calib/base/wire.h"
#include "calib/model/run/device_info.h"
#include "calib/model/run/measurement.h"
#include "calib/model/run/run_kernel.h"
#include "calib/select/select.h"
#include "mpi/cli/catalogue.h"
#include "mpi/cli/command.h"
#include "mpi/cli/display.h"
#include "mpi/cli/run_header.h"
#include "mpi/ranks/interrupt.h"
#include "store/record/record.h"

/* ---- before anything is measured ---- */

static bool has_lost_ranks(const struct gcal_root *root)
{
    for (size_t i = 0; root->peers && i < root->n_peers; i++)
        if (root->peers[i].state == GCAL_ROOT_PEER_LOST)
            return true;
    return false;
}

static void send_status(struct gcal_root *root, int tag, int status)
{
    struct gcal_buf buf = { 0 };

    gcal_wire_put_u32(&buf, (uint32_t)status);
    gcal_wire_put_u32(&buf, has_lost_ranks(root));
    for (int rank = 0; rank < gcal_comm_size(root->comm); rank++)
        if (!root->peers || root->peers[rank].state != GCAL_ROOT_PEER_LOST)
            gcal_comm_send(root->comm, rank, tag, &buf, NULL);
    gcal_buf_free(&buf);
}

/* --store, else $GPUCAL_STORE, else the configuration's store. */
static int open_store(struct gcal_root *root, struct gcal_error *err)
{
    const char *path = root->options.store;

    if (!path)
        path = getenv("GPUCAL_STORE");
    if (!path || !*path)
        path = root->config.store;
    if (!path && root->options.if_changed)
        return gcal_error_set(err, GCAL_EINPUT,
                              "--if-changed requires a store (--store DIR, $GPUCAL_STORE "
                              "or 'store' in the configuration)");
    if (!path || (root->options.dry_run && !root->options.if_changed))
        return 0;
    if (!(root->store_path = strdup(path)))
        return gcal_error_memory(err);
    root->store = gcal_command_store_open(path, !root->options.dry_run, err);
    return root->store ? 0 : -1;
}

static int open_journal(struct gcal_root *root, struct gcal_error *err)
{
    const char *record =
        root->options.resume ? root->options.resume : root->options.record;

    root->record_path =
        record ? strdup(record) : gcal_buf_format("gpucal-%s.h5", root->header.run_id);
    if (!root->record_path ||
        !(root->journal_path = gcal_buf_format("%s.journal", root->record_path)))
        return gcal_error_memory(err);
    if (root->options.dry_run)
        return 0;
    if (root->options.resume)
        return gcal_root_resume(root, err);
    if (access(root->record_path, F_OK) == 0)
        return gcal_error_set(
            err, GCAL_ESTORE,
            "%s exists; choose another --record, or continue that run by "
            "--resume",
            root->record_path);
    root->journal = gcal_journal_create(root->journal_path, &root->header, err);
    return root->journal ? 0 : -1;
}

/* The members get the catalogue's files: their nodes need not see its folders. */
static int read_config(struct gcal_root *root, struct gcal_error *err)
{
    const struct gcal_command_catalogue_sources from = { .folders =
                                                             &root->options.catalogue,
                                                         .config = &root->config };

    if (gcal_config_read(root->options.config, &root->config, err) < 0 ||
        !(root->catalogue = gcal_command_catalogue_open(&from, err)) ||
        !(root->profiles = gcal_profiles_create(err)))
        return -1;
    gcal_catalogue_count_by(root->catalogue, gcal_profiles_count, root->profiles);
    return gcal_select_resolve(&root->config, root->catalogue, err);
}

static int prepare(struct gcal_root *root, struct gcal_error *err)
{
    const struct gcal_ranks_options *o = &root->options;

    if (read_config(root, err) < 0)
        return -1;
    if (o->budget_s > 0)
        root->config.measure.budget_s = o->budget_s;
    if (o->seed_given)
        root->config.measure.seed = o->seed;
    if (gcal_run_header_start(&root->header, &root->config, root->catalogue,
                              gcal_comm_launcher(root->comm),
                              (uint32_t)gcal_comm_size(root->comm), err) < 0 ||
        open_store(root, err) < 0 || open_journal(root, err) < 0)
        return -1;
    if (root->journal) {
        root->sink = gcal_journal_sink(root->journal);
        if (gcal_interrupt_offer_resume(o, root->record_path, err) < 0)
            return -1;
    }
    if (!root->store && !o->dry_run)
        gcal_log(GCAL_LOG_WARN, "no store given: the record is written, but nothing is "
                                "published (--store DIR, $GPUCAL_STORE or 'store' in the "
                                "configuration)");
    return 0;
}

struct gcal_root *gcal_root_create(struct gcal_comm *comm,
                                   const struct gcal_ranks_options *options,
                                   struct gcal_error *err)
{
    struct gcal_root *root = calloc(1, sizeof(*root));
    int size = gcal_comm_size(comm);

    if (!root || !(root->peers = calloc((size_t)size, sizeof(*root->peers)))) {
        free(root);
        gcal_error_memory(err);
        return NULL;
    }
    root->comm = comm;
    root->options = *options;
    root->n_peers = (size_t)size;
    root->display = gcal_display_create(options->quiet || options->json);
    if (prepare(root, err) < 0) {
        send_status(root, GCAL_RANKS_TAG_ABORT, (int)err->code);
        gcal_root_destroy(root);
        return NULL;
    }
    for (size_t i = 0; i < root->n_peers; i++)
        root->peers[i].last_heard_s = gcal_clock_now_s();
    send_status(root, GCAL_RANKS_TAG_START, 0);
    return root;
}

static void clear_peer(struct gcal_root_peer *peer)
{
    for (size_t i = 0; i < peer->n_devices; i++)
        gcal_device_info_clear(&peer->devices[i]);
    free(peer->devices);
    for (size_t i = 0; i < peer->n_assigned; i++)
        free(peer->assigned[i].kept);
    free(peer->assigned);
    free(peer->node);
}

static void clear_resumed(struct gcal_root_resumed *r)
{
    for (size_t i = 0; i < r->n_done; i++)
        free(r->done[i].kernel_id);
    free(r->done);
    gcal_device_info_clear(&r->info);
    free(r->kept);
    free(r->node);
    free(r->uid);
}

void gcal_root_destroy(struct gcal_root *root)
{
    if (!root)
        return;
    for (size_t i = 0; i < root->n_peers; i++)
        clear_peer(&root->peers[i]);
    for (size_t i = 0; i < root->n_resumed; i++)
        clear_resumed(&root->resumed[i]);
    gcal_display_destroy(root->display);
    gcal_journal_close(root->journal);
    gcal_store_close(root->store);
    gcal_record_header_clear(&root->header);
    gcal_config_clear(&root->config);
    gcal_root_counting_destroy(root);
    gcal_catalogue_close(root->catalogue);
    gcal_profiles_destroy(root->profiles);
    for (size_t i = 0; i < root->n_selections; i++)
        gcal_selection_clear(&root->selections[i]);
    gcal_root_lost_clear(root);
    free(root->selections);
    free(root->store_path);
    free(root->record_path);
    free(root->journal_path);
    free(root->resumed);
    free(root->peers);
    free(root);
}

/* ---- messages ---- */

static int take_hello(struct gcal_root *root, struct gcal_root_peer *peer, int rank,
                      struct gcal_wire *wire, struct gcal_error *err)
{
    char *trouble;
    size_t count;

    free(peer->node);
    peer->node = gcal_wire_get_text(wire);
    trouble = gcal_wire_get_text(wire);
    count = gcal_wire_get_u32(wire);
    if (!peer->node || wire->bad || count > wire->left ||
        !(peer->devices = calloc(count + 1, sizeof(*peer->devices)))) {
        free(trouble);
        return gcal_error_set(err, GCAL_EINPUT, "rank %d: damaged HELLO message", rank);
    }
    if (trouble && *trouble)
        gcal_root_note_lost(root, peer->node, rank, trouble);
    free(trouble);
    for (; peer->n_devices < count; peer->n_devices++)
        if (gcal_device_info_get(wire, &peer->devices[peer->n_devices], err) < 0)
            return -1;
    peer->state = GCAL_ROOT_PEER_WORKING;
    return 0;
}

static int take_row(struct gcal_root *root, int tag, struct gcal_wire *wire,
                    struct gcal_error *err)
{
    struct gcal_run_device device = { 0 };
    struct gcal_run_kernel kernel = { 0 };
    struct gcal_measurement row = { 0 };
    int rc = -1;

    switch (tag) {
    case GCAL_RANKS_TAG_DEVICE:
        if (gcal_run_device_get(wire, &device, err) == 0)
            rc = root->sink.device(root->sink.context, &device, err);
        break;
    case GCAL_RANKS_TAG_KERNEL:
        if (gcal_run_kernel_get(wire, &kernel, err) == 0)
            rc = root->sink.kernel(root->sink.context, &kernel, err);
        break;
    case GCAL_RANKS_TAG_MEASUREMENT:
        if (gcal_measurement_get(wire, &row, err) == 0)
            rc = root->sink.measurement(root->sink.context, &row, err);
        break;
    }
    gcal_run_device_clear(&device);
    gcal_run_kernel_clear(&kernel);
    gcal_measurement_clear(&row);
    return rc;
}

static void take_lost(struct gcal_root *root, struct gcal_wire *wire,
                      void (*note)(struct gcal_root *root, const char *node, int rank,
                                   const char *reason))
{
    char *node = gcal_wire_get_text(wire);
    int rank = (int)gcal_wire_get_u32(wire);
    char *reason = gcal_wire_get_text(wire);

    if (node && reason)
        note(root, node, rank, reason);
    free(node);
    free(reason);
}

static void take_progress(struct gcal_root *root, const struct gcal_root_peer *peer,
                          struct gcal_wire *wire)
{
    char *name = gcal_wire_get_text(wire), *phase = gcal_wire_get_text(wire);
    struct gcal_plan_progress progress = { .device_name = name, .phase = phase };

    progress.kernels_done = gcal_wire_get_u64(wire);
    progress.kernels_total = gcal_wire_get_u64(wire);
    progress.elapsed_s = gcal_wire_get_f64(wire);
    progress.left_s = gcal_wire_get_f64(wire);
    if (name && phase && peer->node && !wire->bad)
        gcal_display_update(root->display, peer->node, &progress);
    free(name);
    free(phase);
}

static int take_selection(struct gcal_root *root, const struct gcal_root_peer *peer,
                          struct gcal_wire *wire, struct gcal_error *err)
{
    struct gcal_selection *selections =
        gcal_array_grow(root->selections, root->n_selections, &root->selections_capacity,
                        sizeof(*selections), err);

    if (!selections)
        return -1;
    root->selections = selections;
    return gcal_selection_get(wire, peer->node ? peer->node : "?",
                              &selections[root->n_selections++], err);
}

static int take_message(struct gcal_root *root, const struct gcal_comm_message *message,
                        struct gcal_error *err)
{
    struct gcal_root_peer *peer = &root->peers[message->from];
    struct gcal_wire wire = gcal_wire_open(message->payload.data, message->payload.size);

    peer->last_heard_s = gcal_clock_now_s();
    if (peer->state == GCAL_ROOT_PEER_LOST)
        return 0; /* too late: its rows may be incomplete, and it is reported as lost */
    switch (message->tag) {
    case GCAL_RANKS_TAG_HELLO:
        return take_hello(root, peer, message->from, &wire, err);
    case GCAL_RANKS_TAG_DEVICE:
    case GCAL_RANKS_TAG_KERNEL:
    case GCAL_RANKS_TAG_MEASUREMENT:
        return take_row(root, message->tag, &wire, err);
    case GCAL_RANKS_TAG_LEFT_OUT:
        take_lost(root, &wire, gcal_root_note_left_out);
        break;
    case GCAL_RANKS_TAG_LOST:
        take_lost(root, &wire, gcal_root_note_lost);
        break;
    case GCAL_RANKS_TAG_PROGRESS:
        take_progress(root, peer, &wire);
        break;
    case GCAL_RANKS_TAG_SELECTION:
        return take_selection(root, peer, &wire, err);
    case GCAL_RANKS_TAG_UNLOCKED:
        gcal_root_warn_of_locks(root, peer->node ? peer->node : "?");
        break;
    case GCAL_RANKS_TAG_DONE:
        peer->state = GCAL_ROOT_PEER_DONE;
        break;
    }
    return 0;
}

static void take(struct gcal_root *root, const struct gcal_comm_message *message,
                 struct gcal_error *err)
{
    const char *node = root->peers[message->from].node;

    if (take_message(root, message, err) < 0 && err->code == GCAL_EINPUT)
        gcal_error_prefix(err, "message of node %s rank %d", node ? node : "?",
                          message->from);
}

/* Measurements of a lost rank are kept in the record, but not fitted. */
static void fail_devices(struct gcal_root *root, const struct gcal_root_peer *peer,
                         int rank, char *reason)
{
    for (size_t j = 0; j < peer->n_assigned; j++) {
        struct gcal_run_device device = { .node = peer->node,
                                          .rank = rank,
                                          .info = peer->devices[peer->assigned[j].device],
                                          .failure = reason };

        if (root->sink.device(root->sink.context, &device, &root->failure) < 0)
            return;
    }
}

static void detect_lost_ranks(struct gcal_root *root)
{
    double now_s = gcal_clock_now_s();
    char reason[80];

    for (size_t i = 1; i < root->n_peers; i++) {
        struct gcal_root_peer *peer = &root->peers[i];

        if (peer->state >= GCAL_ROOT_PEER_DONE ||
            now_s - peer->last_heard_s < GCAL_RANKS_SILENCE_LIMIT_S)
            continue;
        peer->state = GCAL_ROOT_PEER_LOST;
        gcal_comm_drop(root->comm, (int)i);
        snprintf(reason, sizeof(reason), "no message for %.0f s",
                 GCAL_RANKS_SILENCE_LIMIT_S);
        gcal_root_note_lost(root, peer->node ? peer->node : "?", (int)i, reason);
        fail_devices(root, peer, (int)i, reason);
    }
}

static void send_alive(struct gcal_root *root)
{
    if (gcal_clock_now_s() - root->last_alive_s < GCAL_RANKS_ALIVE_EVERY_S)
        return;
    root->last_alive_s = gcal_clock_now_s();
    for (size_t i = 0; i < root->n_peers; i++)
        if (root->peers[i].state != GCAL_ROOT_PEER_LOST)
            gcal_comm_send(root->comm, (int)i, GCAL_RANKS_TAG_ROOT_ALIVE, NULL, NULL);
}

static bool all_past(const struct gcal_root *root, enum gcal_root_peer_state state)
{
    for (size_t i = 0; i < root->n_peers; i++)
        if (root->peers[i].state <= state)
            return false;
    return true;
}

static void end_run(struct gcal_root *root, int status)
{
    root->finished = true;
    send_status(root, GCAL_RANKS_TAG_BYE, status);
}

/* Messages are taken for so long at a time: what else is due does not wait until none comes. */
#define SERVICE_S 0.2

static void service(void *context)
{
    struct gcal_root *root = context;
    double until_s = gcal_clock_now_s() + SERVICE_S;
    bool more = false; /* messages may wait: then nobody is silent */
    struct gcal_comm_message message;
    struct gcal_error *err = &root->failure;

    if (root->finished)
        return;
    while (!err->code && gcal_clock_now_s() < until_s &&
           (more = gcal_comm_receive(root->comm, true, &message, err) > 0)) {
        take(root, &message, err);
        gcal_buf_free(&message.payload);
    }
    send_alive(root);
    if (!more)
        detect_lost_ranks(root);
    if (!err->code && !root->assigned && all_past(root, GCAL_ROOT_PEER_LISTING)) {
        root->assigned = true;
        if (gcal_root_assign(root, err) == 1)
            end_run(root, root->options.dry_run ? root->dry_status
                          : root->n_lost        ? GCAL_EDEVICE
                                                : 0);
    }
    if (!err->code && !root->finished && gcal_root_counting_has_ended(root)) {
        gcal_root_counting_destroy(root);
        gcal_root_send_assignments(root, err);
    }
    if (err->code) {
        gcal_log(GCAL_LOG_ERROR, "%s", err->text);
        end_run(root, (int)err->code);
    }
    if (!root->finished && root->assigned && all_past(root, GCAL_ROOT_PEER_WORKING))
        end_run(root, gcal_root_finish(root));
}

struct gcal_worker_tick gcal_root_service(struct gcal_root *root)
{
    return (struct gcal_worker_tick){ .call = service, .context = root };
}
