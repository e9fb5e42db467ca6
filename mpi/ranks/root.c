/* root.c - rank 0's state: configuration, store and journal of a run */
#include "mpi/ranks/root.h"

#include <stdlib.h>
#include <unistd.h>

#include "kernels/base/arena.h"
#include "kernels/base/clock.h"
#include "kernels/base/memo.h"
#include "kernels/base/log.h"
#include "kernels/base/wire.h"
#include "kernels/model/run/device_info.h"
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

void gcal_root_send_status(struct gcal_root *root, int tag, int status)
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
    root->store_path = gcal_arena_strdup(root->arena, path);
    root->store = gcal_command_store_open(root->arena, path, !root->options.dry_run, err);
    return root->store ? 0 : -1;
}

/* Whoever names no record wants its results published. */
static int check_purpose(const struct gcal_root *root, struct gcal_error *err)
{
    const struct gcal_ranks_options *o = &root->options;

    if (root->store || o->dry_run || o->record || o->resume)
        return 0;
    return gcal_error_set(err, GCAL_EINPUT,
                          "no store given, so that nothing would be published: --store "
                          "DIR, $GPUCAL_STORE or 'store' in the configuration ('gpucal "
                          "store init' makes one), or --record FILE.h5 for the "
                          "measurements alone");
}

static int open_journal(struct gcal_root *root, struct gcal_error *err)
{
    const char *record =
        root->options.resume ? root->options.resume : root->options.record;

    root->record_path =
        record ? gcal_arena_strdup(root->arena, record)
               : gcal_arena_format(root->arena, "gpucal-%s.h5", root->header.run_id);
    root->journal_path = gcal_arena_format(root->arena, "%s.journal", root->record_path);
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

static int prepare(struct gcal_root *root, struct gcal_error *err)
{
    const struct gcal_ranks_options *o = &root->options;

    /* The members get the catalogue's files: their nodes need not see its folders. */
    const struct gcal_command_catalogue_sources from = { .folders =
                                                             &root->options.catalogue,
                                                         .config = &root->config };
    if (gcal_config_read(root->options.config, &root->config, err) < 0 ||
        !(root->catalogue = gcal_command_catalogue_open(&from, err)) ||
        !(root->profiles = gcal_profiles_create(err)))
        return -1;
    gcal_catalogue_count_by(root->catalogue, gcal_profiles_count, root->profiles);
    if (gcal_select_resolve(&root->config, root->catalogue, err) < 0)
        return -1;
    if (o->budget_s > 0)
        root->config.measure.budget_s = o->budget_s;
    gcal_run_header_start(&root->header, &root->config, root->catalogue,
                          gcal_comm_launcher(root->comm),
                          (uint32_t)gcal_comm_size(root->comm));
    if (open_store(root, err) < 0 || check_purpose(root, err) < 0 ||
        open_journal(root, err) < 0)
        return -1;
    if (root->journal) {
        root->sink = gcal_journal_sink(root->journal);
        if (gcal_interrupt_offer_resume(o, root->record_path, err) < 0)
            return -1;
    }
    if (!root->store && !o->dry_run)
        gcal_log(GCAL_LOG_WARN, "no store given: the record is written, but nothing is "
                                "published");
    return 0;
}

struct gcal_root *gcal_root_create(struct gcal_comm *comm,
                                   const struct gcal_ranks_options *options,
                                   struct gcal_error *err)
{
    struct gcal_arena *arena = gcal_arena_create();
    struct gcal_root *root = gcal_arena_alloc(arena, 1, sizeof(*root));

    root->arena = arena;
    root->comm = comm;
    root->options = *options;
    root->n_peers = (size_t)gcal_comm_size(comm);
    root->peers = gcal_arena_alloc(arena, root->n_peers, sizeof(*root->peers));
    root->display = gcal_display_create(options->quiet || options->json);
    if (prepare(root, err) < 0) {
        gcal_root_send_status(root, GCAL_RANKS_TAG_ABORT, (int)err->code);
        gcal_root_destroy(root);
        return NULL;
    }
    for (size_t i = 0; i < root->n_peers; i++)
        root->peers[i].last_heard_s = gcal_clock_now_s();
    gcal_root_send_status(root, GCAL_RANKS_TAG_START, 0);
    return root;
}

void gcal_root_destroy(struct gcal_root *root)
{
    if (!root)
        return;
    for (size_t i = 0; i < root->n_peers; i++)
        for (size_t j = 0; j < root->peers[i].n_devices; j++)
            gcal_device_info_clear(&root->peers[i].devices[j]);
    for (size_t i = 0; i < root->n_resumed; i++)
        gcal_device_info_clear(&root->resumed[i].info);
    gcal_display_destroy(root->display);
    gcal_journal_close(root->journal);
    gcal_record_header_clear(&root->header);
    gcal_config_clear(&root->config);
    gcal_root_counting_destroy(root);
    gcal_catalogue_close(root->catalogue);
    gcal_memo_destroy(root->profiles);
    gcal_arena_destroy(root->arena);
}
