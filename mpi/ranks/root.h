/* root.h - what rank 0 knows of a run (within mpi/ only) */
#ifndef GCAL_MPI_RANKS_ROOT_H
#define GCAL_MPI_RANKS_ROOT_H

#include "calib/base/error.h"
#include "calib/config/config.h"
#include "mpi/cli/display.h"
#include "mpi/ranks/ranks.h"
#include "mpi/ranks/selection.h"
#include "store/files/store.h"
#include "store/record/record.h"

enum gcal_root_peer_state {
    GCAL_ROOT_PEER_LISTING,
    GCAL_ROOT_PEER_WORKING,
    GCAL_ROOT_PEER_DONE,
    GCAL_ROOT_PEER_LOST
};

/* A rank, as the root sees it. */
struct gcal_root_peer {
    enum gcal_root_peer_state state;
    double last_heard_s;
    char *node;
    size_t n_devices; /* those it sees */
    struct gcal_device_info *devices;
    size_t n_assigned;
    size_t *assigned; /* indices in 'devices' */
};

/* A device of a run that is resumed, with what was measured on it already. */
struct gcal_root_resumed {
    char *node, *uid;
    size_t n_done, capacity;
    struct gcal_plan_done *done;
};

struct gcal_root {
    struct gcal_comm *comm;
    struct gcal_ranks_options options;
    struct gcal_config config;
    struct gcal_catalogue *catalogue;
    struct gcal_store *store; /* NULL: nothing will be published */
    char *record_path, *journal_path;
    struct gcal_record_header header;
    struct gcal_journal *journal;
    struct gcal_run_sink sink; /* the journal's */
    size_t n_peers;
    struct gcal_root_peer *peers;
    size_t n_resumed, resumed_capacity;
    struct gcal_root_resumed *resumed;
    size_t n_selections, selections_capacity;
    struct gcal_selection *selections;
    size_t n_lost;             /* ranks lost and devices given up */
    size_t n_devices;          /* assigned in all */
    size_t n_unchanged;        /* left out by --if-changed */
    double oldest_s;           /* age of the oldest of those */
    struct gcal_error failure; /* the first that ends the run */
    bool assigned, finished;
    double last_alive_s;
    struct gcal_display *display;
};

/* Chooses a rank for each device that passes the filter, locks the nodes, sends ASSIGN.
 * 1 when there is nothing to measure (--dry-run, --if-changed), which is said; the run
 * ends then.
 */
int gcal_root_assign(struct gcal_root *root, struct gcal_error *err);

/* What is published of a node, for --if-changed; stays NULL where nothing is, and without
 * --if-changed.
 */
int gcal_root_load_published(const struct gcal_root *root, const char *node,
                             struct gcal_params_index **published,
                             struct gcal_error *err);
/* 0 when --if-changed leaves the device out; 1, having said why, when it does not. */
int gcal_root_is_stale(struct gcal_root *root, const char *node,
                       const struct gcal_params_index *published,
                       const struct gcal_device_info *info, struct gcal_error *err);
/* The end of a run that leaves all devices out: no journal is left, and it is said. */
void gcal_root_finish_unchanged(struct gcal_root *root);

/* Reads what a resumed run had measured into its journal and 'root->resumed'. */
int gcal_root_resume(struct gcal_root *root, struct gcal_error *err);

/* Record, fit, publication, summary.  Returns the run's exit status. */
int gcal_root_finish(struct gcal_root *root);

/* Notes something lost in the journal and on stderr. */
void gcal_root_note_lost(struct gcal_root *root, const char *node, int rank,
                         const char *reason);

#endif
