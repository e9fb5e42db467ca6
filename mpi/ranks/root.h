/* root.h - the state of a run at rank 0 (within mpi/ranks) */
#ifndef GCAL_MPI_RANKS_ROOT_H
#define GCAL_MPI_RANKS_ROOT_H

#include "kernels/base/error.h"
#include "calib/config/config.h"
#include "mpi/cli/display.h"
#include "mpi/ranks/profiles.h"
#include "mpi/ranks/ranks.h"
#include "store/files/store.h"
#include "store/record/record.h"

struct gcal_wire;

enum gcal_root_peer_state {
    GCAL_ROOT_PEER_LISTING,
    GCAL_ROOT_PEER_WORKING,
    GCAL_ROOT_PEER_DONE,
    GCAL_ROOT_PEER_LOST
};

/* A device that a rank measures. */
struct gcal_root_assigned {
    size_t device; /* index in the rank's list */
    char *kept; /* models that are not measured, as in struct gcal_run_device, or NULL */
};

/* A rank, as the root sees it. */
struct gcal_root_peer {
    enum gcal_root_peer_state state;
    double last_heard_s;
    char *node;
    size_t n_devices; /* that it listed */
    struct gcal_device_info *devices;
    size_t n_assigned, assigned_capacity;
    struct gcal_root_assigned *assigned;
};

/* A device of a resumed run, with the kernels already measured on it. */
struct gcal_root_resumed {
    char *node, *uid;
    char *kept; /* models that it did not measure, or NULL */
    int rank;
    struct gcal_device_info info; /* as it was; .uid NULL: not known */
    size_t n_done, capacity;
    struct gcal_plan_done *done;
};

/* A rank or a device that is not measured, and why. */
struct gcal_root_lost {
    char *node;
    int rank;
    char *device, *uid; /* NULL: the rank, or all of the node */
    char *reason;
};

struct gcal_root {
    struct gcal_arena *arena; /* of the root, its peers and texts; for the main thread */
    struct gcal_comm *comm;
    struct gcal_ranks_options options;
    struct gcal_config config;
    struct gcal_catalogue *catalogue;
    struct gcal_memo *profiles; /* of the catalogue's kernels, as far as counted */
    struct gcal_root_counting *counting; /* NULL: not begun, or ended */
    struct gcal_root_links *links;       /* the same */
    bool has_links;                      /* of the interrupted run */
    struct gcal_store *store;            /* NULL: nothing is published */
    char *store_path;
    char *record_path, *journal_path;
    struct gcal_record_header header;
    struct gcal_journal *journal;
    struct gcal_run_sink sink; /* the journal's */
    size_t n_peers;
    struct gcal_root_peer *peers;
    size_t n_resumed, resumed_capacity;
    struct gcal_root_resumed *resumed;
    size_t n_lost, lost_capacity;
    struct gcal_root_lost *lost;
    size_t n_left_out;         /* kernels that could not be counted, by device */
    size_t n_devices;          /* assigned, over all ranks */
    size_t n_unchanged;        /* skipped by --if-changed */
    double oldest_s;           /* age of the oldest calibration of those */
    struct gcal_error failure; /* ends the run */
    int dry_status;            /* exit status of --dry-run */
    bool assigned, finished;
    double last_alive_s;
    struct gcal_display *display;
};

/* Sends a status to all ranks that are not lost. */
void gcal_root_send_status(struct gcal_root *root, int tag, int status);

/* ---- messages.c ---- */

/* Takes a rank's message, at any time. */
void gcal_root_take(struct gcal_root *root, const struct gcal_comm_message *message,
                    struct gcal_error *err);

/* ---- assign.c ---- */

/* Chooses a rank for each selected device, locks the nodes and begins to count.  Returns 1
 * if there is nothing to measure (--dry-run, --if-changed): this is reported, and the run
 * ends.
 */
int gcal_root_assign(struct gcal_root *root, struct gcal_error *err);

/* Sends the assignments, once the kernels are counted. */
int gcal_root_send_assignments(struct gcal_root *root, struct gcal_error *err);

/* ---- counting.c ---- */

/* Counts the kernels of a device of each type in a thread: root->profiles. */
int gcal_root_counting_start(struct gcal_root *root, struct gcal_error *err);
bool gcal_root_counting_has_ended(const struct gcal_root *root);
/* Waits for its end. */
void gcal_root_counting_destroy(struct gcal_root *root);

/* ---- links.c ---- */

/* Round 'round' of n - 1 for an even n, of n for an odd one: pairs of 0 .. n-1, each pair once in all
 * rounds, and nobody in two pairs of a round.  Returns their number, at most n/2.
 */
size_t gcal_links_round(size_t n, size_t round, size_t (*pairs)[2]);

/* Measures the links between nodes, unless that would take too long. */
void gcal_root_links_start(struct gcal_root *root);
/* Goes on with it; returns whether it has ended. */
bool gcal_root_links_step(struct gcal_root *root);
int gcal_root_take_link(struct gcal_root *root, int from, struct gcal_wire *wire,
                        struct gcal_error *err);

/* With --if-changed, loads the published file of a node.  '*published' stays NULL if
 * there is none, and without --if-changed.
 */
int gcal_root_load_published(const struct gcal_root *root, const char *node,
                             struct gcal_params_index **published,
                             struct gcal_error *err);
/* False if --if-changed skips the device; otherwise logs the reason, with the models that it
 * skips in '*kept' (NULL: none).
 */
bool gcal_root_is_stale(struct gcal_root *root, const char *node,
                        const struct gcal_params_index *published,
                        const struct gcal_device_info *info, char **kept);
/* Removes the journal of a run that measures nothing. */
void gcal_root_remove_journal(struct gcal_root *root);
/* Ends a run that skips all devices: removes the journal and reports. */
void gcal_root_finish_unchanged(struct gcal_root *root);

/* Opens the journal of an interrupted run and reads its measurements into
 * 'root->resumed'. */
int gcal_root_resume(struct gcal_root *root, struct gcal_error *err);

/* Reports a lost rank or device in the journal and on stderr. */
void gcal_root_note_lost(struct gcal_root *root, const char *node, int rank,
                         const char *reason);
/* The same of a device that the journal tells enough of. */
void gcal_root_note_unmeasured(struct gcal_root *root,
                               const struct gcal_run_device *device, const char *reason);
/* Reports a kernel that could not be counted. */
void gcal_root_note_left_out(struct gcal_root *root, const char *node, int rank,
                             const char *reason);

/* ---- locks.c ---- */

/* For ASSIGN: the store whose locks the rank is to test, "" for most ranks. */
void gcal_root_put_lock_test(const struct gcal_root *root, size_t rank,
                             struct gcal_buf *buf);
void gcal_root_warn_of_locks(const struct gcal_root *root, const char *node);

#endif
