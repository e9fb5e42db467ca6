/* service.c - rank 0's service: takes messages, detects lost ranks, ends the run */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/clock.h"
#include "kernels/base/log.h"
#include "mpi/ranks/root.h"
#include "kernels/base/arena.h"
#include "kernels/base/median.h"
#include "kernels/model/run/run_sink.h"
#include "calib/learn/kernel.h"
#include "calib/learn/observed.h"
#include "calib/results/results.h"
#include "mpi/cli/display.h"
#include "mpi/cli/json.h"
#include "mpi/cli/run_header.h"
#include "mpi/ranks/interrupt.h"
#include "store/record/record.h"

/* ---- the end of a run: record, fits, publication, summary ---- */

/* Converts the journal to the record. */
static int convert(struct gcal_root *root, struct gcal_error *err)
{
    struct gcal_record_header from_journal = { 0 };
    struct gcal_record_writer *writer;
    struct gcal_run_sink sink;

    if (!(writer = gcal_record_create(root->record_path, err)))
        return -1;
    sink = gcal_record_sink(writer);
    if (gcal_journal_replay(root->journal_path, &from_journal, &sink, err) < 0) {
        gcal_record_abandon(writer);
        return -1;
    }
    gcal_record_header_clear(&from_journal);
    return gcal_record_finish(writer, &root->header, err);
}

/* Notes in the journal which devices changed their speed, or have a clock of their own; 1: some. */
static int note_speeds(struct gcal_root *root, const struct gcal_record *record,
                       struct gcal_error *err)
{
    struct gcal_arena *scratch = gcal_arena_create();
    struct gcal_result_rows rows;
    struct gcal_result_speeds speeds;
    int rc = gcal_result_rows_read(scratch, record, &rows, &speeds, err);

    for (size_t i = 0; rc == 0 && i < speeds.n; i++) {
        const struct gcal_run_device *device = &record->devices[speeds.items[i].device];

        rc = root->sink.lost(root->sink.context, device->node, device->rank,
                             speeds.items[i].text, err);
    }
    if (rc == 0)
        rc = speeds.n > 0;
    gcal_arena_destroy(scratch);
    return rc;
}

static int convert_and_open(struct gcal_root *root, struct gcal_record **record,
                            struct gcal_error *err)
{
    gcal_record_close(*record);
    *record = NULL;
    if (convert(root, err) < 0 || !(*record = gcal_record_open(root->record_path, err)))
        return -1;
    return 0;
}

/* The record names these devices; it is the caller's to close, after -1,
 * too.
 */
static int write_record(struct gcal_root *root, struct gcal_record **record,
                        struct gcal_error *err)
{
    int rc;

    gcal_run_header_end(&root->header);
    rc = convert_and_open(root, record, err);
    if (rc == 0 && (rc = note_speeds(root, *record, err)) > 0)
        rc = convert_and_open(root, record, err);
    if (rc < 0)
        return -1;
    gcal_journal_close(root->journal);
    root->journal = NULL;
    root->sink = (struct gcal_run_sink){ 0 };
    unlink(root->journal_path);
    return gcal_interrupt_offer_fit(&root->options, root->record_path, root->store_path,
                                    err);
}

struct outcome {
    struct gcal_arena *arena;
    struct gcal_results results;
    const char *
        busy; /* "devices busy 71 % of 14.2 s from first launch to last"; NULL: none was */
    json_t *busy_json;
    struct gcal_result_failures failures; /* for JSON: the table has its own */
    size_t n_published;                   /* nodes */
    int status;
};

/* How much of the time from their first launch to their last the record's devices were busy: of one
 * device; of several, the median, and the device that was busy least.
 */
static void find_busy(struct outcome *outcome, const struct gcal_record *record)
{
    double *shares = gcal_arena_alloc(outcome->arena, record->n_devices, sizeof(*shares));
    const struct gcal_run_device *least = NULL;
    double least_share = INFINITY;
    size_t n = 0;

    for (size_t i = 0; i < record->n_devices; i++) {
        const struct gcal_run_device *d = &record->devices[i];
        double share = d->busy_s / d->span_s;

        if (!(d->span_s > 0))
            continue;
        if (!least || share < least_share) {
            least = d;
            least_share = share;
        }
        shares[n++] = share;
        json_array_append_new(outcome->busy_json,
                              json_pack("{s:s, s:s, s:f, s:f, s:f}", "node", d->node,
                                        "uid", d->info.uid, "span_s", d->span_s, "busy_s",
                                        d->busy_s, "share", share));
    }
    if (n == 1)
        outcome->busy = gcal_arena_format(
            outcome->arena, "busy %.0f %% of %.1f s from first launch to last",
            100 * least_share, least->span_s);
    else if (n)
        outcome->busy = gcal_arena_format(
            outcome->arena,
            "devices busy %.0f %% of the time from first launch to last "
            "(median; least: %.0f %% of %.1f s, %s %s)",
            100 * gcal_median(shares, n), 100 * least_share, least->span_s, least->node,
            least->info.name);
}

static int note_unmeasured(struct gcal_root *root, const struct gcal_record *record,
                           const struct gcal_results *results, struct gcal_error *err)
{
    struct gcal_result_unmeasured *unmeasured;
    size_t n;

    if (gcal_results_unmeasured(results, record, &root->config, &unmeasured, &n, err) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        gcal_root_note_unmeasured(root, &record->devices[unmeasured[i].device],
                                  unmeasured[i].reason);
    return 0;
}

/* Publishes what the record itself has of links, and adds the devices of earlier runs. */
static int pool(struct gcal_arena *arena, const struct gcal_root *root,
                struct gcal_record **record, struct gcal_result_speeds *speeds,
                struct gcal_error *err)
{
    struct gcal_strings warnings = { 0 };
    int rc = 0;

    if (root->store)
        rc = gcal_results_publish_links(*record, root->store, &warnings, err);
    if (root->store && rc == 0)
        rc = gcal_results_pool(arena, record, &root->config, root->store, speeds,
                               &warnings, err);
    for (size_t i = 0; i < warnings.n; i++)
        gcal_log(GCAL_LOG_WARN, "%s", warnings.items[i]);
    gcal_strings_clear(&warnings);
    return rc;
}

/* Devices of earlier runs join the record. */
static int fit_and_publish(struct gcal_root *root, struct gcal_record **record,
                           struct outcome *outcome, char **table, struct gcal_error *err)
{
    const struct gcal_result_progress progress = { gcal_display_fitted, root->display };
    struct gcal_result_speeds speeds = { 0 };
    int rc = -1;

    find_busy(outcome, *record);
    if ((root->options.json &&
         gcal_results_failures(outcome->arena, *record, &outcome->failures, err) < 0) ||
        pool(outcome->arena, root, record, &speeds, err) < 0 ||
        gcal_results_fit_with(*record, &root->config, &speeds, &progress,
                              &outcome->results, err) < 0 ||
        !(*table = gcal_results_format(&outcome->results, *record, &root->config, err)) ||
        note_unmeasured(root, *record, &outcome->results, err) < 0)
        goto out;
    if (root->store &&
        gcal_results_publish(&outcome->results, *record, &root->config, root->store, NULL,
                             &outcome->n_published, err) < 0)
        goto out;
    if (root->store)
        gcal_learn_observed_too(root->store, &(const struct gcal_learn_run){
                                                 (*record)->header->run_id,
                                                 (*record)->header->finished_utc });
    rc = 0;
out:
    gcal_display_clear(root->display);
    return rc;
}

static json_t *all_kept_json(const struct gcal_root *root)
{
    json_t *all = json_array();

    for (size_t i = 0; i < root->n_peers; i++) {
        const struct gcal_root_peer *peer = &root->peers[i];

        for (size_t j = 0; j < peer->n_assigned; j++) {
            const struct gcal_root_assigned *a = &peer->assigned[j];

            if (a->kept && *a->kept) {
                /* The names in 'kept', one per line. */
                const char *kept = a->kept;
                json_t *names = json_array();

                while (*kept) {
                    size_t n = strcspn(kept, "\n");

                    json_array_append_new(names, json_stringn(kept, n));
                    kept += n + (kept[n] == '\n');
                }
                json_array_append_new(
                    all, json_pack("{s:s, s:s, s:o}", "node", peer->node, "uid",
                                   peer->devices[a->device].uid, "models", names));
            }
        }
    }
    return all;
}

static const char *name_of(const struct gcal_root *root,
                           const struct gcal_result_outlier *o)
{
    return root->config.models[o->model].name;
}

/* Changes of speed, or clocks. */
static json_t *speeds_json(const struct gcal_results *results, bool clocks)
{
    json_t *all = json_array();

    for (size_t i = 0; i < results->speeds.n; i++) {
        const struct gcal_result_speed *s = &results->speeds.items[i];
        json_t *item;

        if (s->is_clock != clocks)
            continue;
        item = json_pack("{s:s, s:s, s:f, s:s}", "node", s->node, "uid", s->uid, "ratio",
                         s->ratio, "reason", s->text);
        if (!clocks)
            json_object_update_new(item, json_pack("{s:I, s:f, s:f}", "since",
                                                   (json_int_t)s->since, "before_s",
                                                   s->before_s, "after_s", s->after_s));
        json_array_append_new(all, item);
    }
    return all;
}

static void print_summary(const struct gcal_root *root, const struct outcome *outcome,
                          const char *table)
{
    char left_out[60] = "";

    /* "n1 rank 1, n2 NVIDIA H200 (uuid:..)" */
    struct gcal_buf buf = { 0 };
    for (size_t i = 0; i < root->n_lost; i++) {
        const struct gcal_root_lost *lost = &root->lost[i];

        gcal_buf_printf(&buf, "%s%s ", buf.size ? ", " : "", lost->node);
        if (lost->device)
            gcal_buf_printf(&buf, "%s (%s)", lost->device, lost->uid);
        else
            gcal_buf_printf(&buf, "rank %d", lost->rank);
    }
    char *lost = gcal_buf_take(&buf, NULL);
    if (root->n_left_out)
        snprintf(left_out, sizeof(left_out), ", kernels left out: %zu", root->n_left_out);
    if (root->options.json) {
        json_t *not_measured = json_array(), *all_lost = json_array();
        json_t *outliers = json_array(), *all;

        /* "uid" and "node" are null of a kernel that failed on all devices. */
        for (size_t i = 0; i < outcome->failures.n; i++) {
            const struct gcal_result_failure *f = &outcome->failures.items[i];
            bool one = f->n_devices == 1;

            json_array_append_new(
                not_measured,
                json_pack("{s:s, s:s?, s:s?, s:i, s:s, s:s}", "kernel", f->kernel, "node",
                          one ? f->node : NULL, "uid", one ? f->uid : NULL, "devices",
                          (int)f->n_devices, "status",
                          gcal_measurement_status_name(f->status), "reason", f->reason));
        }
        for (size_t i = 0; i < root->n_lost; i++) {
            const struct gcal_root_lost *l = &root->lost[i];
            json_t *one = json_pack("{s:s, s:i, s:s}", "node", l->node, "rank", l->rank,
                                    "reason", l->reason);

            if (one && l->device) {
                json_object_set_new(one, "device", json_string(l->device));
                json_object_set_new(one, "uid", json_string(l->uid));
            }
            json_array_append_new(all_lost, one);
        }
        for (size_t i = 0; i < outcome->results.n_outliers; i++) {
            const struct gcal_result_outlier *o = &outcome->results.outliers[i];

            if (o->in_store)
                continue;
            json_array_append_new(outliers,
                                  json_pack("{s:s, s:s, s:s, s:f, s:s}", "node", o->node,
                                            "uid", o->uid, "model", name_of(root, o),
                                            "ratio", o->ratio, "reason", o->text));
        }
        all = json_pack(
            "{s:s, s:s, s:i, s:i, s:i, s:i, s:o, s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:i}",
            "run_id", root->header.run_id, "record", root->record_path, "devices",
            (int)root->n_devices, "fits", (int)outcome->results.n_fits, "fits_rejected",
            (int)outcome->results.n_rejected, "nodes_published",
            (int)outcome->n_published, "lost", all_lost, "not_measured", not_measured,
            "left_out", (int)root->n_left_out, "kept", all_kept_json(root), "outliers",
            outliers, "speed_changes", speeds_json(&outcome->results, false), "clocks",
            speeds_json(&outcome->results, true), "busy", json_incref(outcome->busy_json),
            "exit_status", outcome->status);
        gcal_json_print(all, "calibrate");
        json_decref(all);
        goto out;
    }
    if (!root->options.quiet && table)
        printf("\n%s\n", table);
    if (outcome->busy && !root->options.quiet)
        printf("gpucal: %s\n", outcome->busy);
    printf(
        "gpucal: run %s: %zu device%s, %zu fit%s (%zu rejected), %zu node%s published, "
        "lost: %s%s; record %s\n",
        root->header.run_id, root->n_devices, root->n_devices == 1 ? "" : "s",
        outcome->results.n_fits, outcome->results.n_fits == 1 ? "" : "s",
        outcome->results.n_rejected, outcome->n_published,
        outcome->n_published == 1 ? "" : "s", lost && *lost ? lost : "none", left_out,
        root->record_path);
out:
    fflush(stdout);
    free(lost);
}

/* Writes the record, fits, publishes, prints the summary.  Returns the exit status. */
static int finish_run(struct gcal_root *root)
{
    struct outcome outcome = { .arena = gcal_arena_create(), .busy_json = json_array() };
    struct gcal_error err = { 0 };
    double began_s = gcal_clock_now_s(), written_s = 0;
    struct gcal_record *record = NULL;
    char *table = NULL;
    int rc;

    gcal_display_clear(root->display);
    if ((rc = write_record(root, &record, &err)) == 0) {
        written_s = gcal_clock_now_s();
        rc = fit_and_publish(root, &record, &outcome, &table, &err);
    }
    gcal_record_close(record);
    if (rc < 0) {
        gcal_log(GCAL_LOG_ERROR, "%s", err.text);
        if (root->journal)
            gcal_log(GCAL_LOG_ERROR,
                     "measurements are kept in %s: continue with --resume %s",
                     root->journal_path, root->record_path);
        outcome.status = (int)err.code;
    } else {
        gcal_log(GCAL_LOG_INFO, "record written in %.1f s, models fitted in %.1f s",
                 written_s - began_s, gcal_clock_now_s() - written_s);
        /* Lost devices and ranks take precedence over rejected fits. */
        outcome.status = root->n_lost || root->n_left_out ? GCAL_EDEVICE
                         : outcome.results.n_rejected || !outcome.results.n_fits
                             ? GCAL_EFIT
                             : GCAL_OK;
    }
    for (size_t i = 0; i < outcome.results.n_outliers; i++)
        if (!outcome.results.outliers[i].in_store)
            gcal_log(GCAL_LOG_WARN, "model %s: %s",
                     name_of(root, &outcome.results.outliers[i]),
                     outcome.results.outliers[i].text);
    for (size_t i = 0; i < outcome.results.speeds.n; i++)
        gcal_log(GCAL_LOG_WARN, "%s", outcome.results.speeds.items[i].text);
    gcal_interrupt_offer_nothing();
    print_summary(root, &outcome, table);
    gcal_results_clear(&outcome.results);
    json_decref(outcome.busy_json);
    gcal_arena_destroy(outcome.arena);
    free(table);
    return outcome.status;
}

/* ---- rank 0's service: takes messages, detects lost ranks, ends the run ---- */

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

/* A rank that may have died gets none: Open MPI keeps what is not taken in buffers, and without a
 * free one (of 512) no message leaves any more.  One that is slow gets them once it is heard again,
 * long before it would give up.
 */
#define HEARD_S 5.0

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
    gcal_root_send_status(root, GCAL_RANKS_TAG_BYE, status);
}

/* Messages are taken for so long at a time: what else is due does not wait until none comes. */
#define SERVICE_S 0.2

/* Returns whether more may wait: then nobody is silent. */
static bool take_messages(struct gcal_root *root, struct gcal_error *err)
{
    double until_s = gcal_clock_now_s() + SERVICE_S;
    struct gcal_comm_message message;
    bool more = false;

    while (!err->code && gcal_clock_now_s() < until_s &&
           (more = gcal_comm_receive(root->comm, true, &message, err) > 0)) {
        gcal_root_take(root, &message, err);
        gcal_buf_free(&message.payload);
    }
    return more;
}

static void service(void *context)
{
    struct gcal_root *root = context;
    struct gcal_error *err = &root->failure;
    bool more;

    if (root->finished)
        return;
    more = take_messages(root, err);
    double now_s = gcal_clock_now_s();
    if (now_s - root->last_alive_s >= GCAL_RANKS_ALIVE_EVERY_S) {
        root->last_alive_s = now_s;
        for (size_t i = 0; i < root->n_peers; i++)
            if (root->peers[i].state != GCAL_ROOT_PEER_LOST &&
                now_s - root->peers[i].last_heard_s < HEARD_S)
                gcal_comm_send(root->comm, (int)i, GCAL_RANKS_TAG_ROOT_ALIVE, NULL, NULL);
    }
    if (!more)
        detect_lost_ranks(root);
    if (!err->code && !root->assigned && all_past(root, GCAL_ROOT_PEER_LISTING)) {
        /* Once all ranks have listed their devices. */
        root->assigned = true;
        if (gcal_root_assign(root, err) == 1)
            end_run(root, root->options.dry_run ? root->dry_status
                          : root->n_lost        ? GCAL_EDEVICE
                                                : 0);
    }
    if (!err->code && !root->finished && gcal_root_counting_has_ended(root)) {
        gcal_root_counting_destroy(root);
        gcal_root_links_start(root);
    }
    if (!err->code && root->links && gcal_root_links_step(root))
        gcal_root_send_assignments(root, err);
    if (err->code) {
        gcal_log(GCAL_LOG_ERROR, "%s", err->text);
        end_run(root, (int)err->code);
    }
    if (!root->finished && root->assigned && all_past(root, GCAL_ROOT_PEER_WORKING))
        end_run(root, finish_run(root));
}

struct gcal_worker_tick gcal_root_service(struct gcal_root *root)
{
    return (struct gcal_worker_tick){ .call = service, .context = root };
}
