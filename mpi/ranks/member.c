/* member.c - the work of every rank: lists devices, measures those assigned, reports */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "kernels/base/log.h"
#include "kernels/base/memo.h"
#include "kernels/base/wire.h"
#include "calib/plan/references.h"
#include "calib/select/select.h"
#include "mpi/cli/command.h"
#include "kernels/model/run/link.h"
#include "mpi/ranks/link.h"
#include "mpi/ranks/measuring.h"
#include "mpi/ranks/profiles.h"
#include "mpi/ranks/ranks.h"

#define LIST_LIMIT_S 60.0

struct member {
    struct gcal_arena *arena; /* of its thread, which is the main one */
    struct gcal_comm *comm;
    struct gcal_worker_spawner *spawner;
    const struct gcal_worker_tick *service;
    const char *node;
    double last_sent_s, last_heard_s;
    bool root_lost;
    bool ended;
    int status; /* of the run, once ended */
    struct gcal_comm_message assignment;
    bool started, assigned;
    struct gcal_comm_message link; /* the last request to measure one */
    bool links, is_linking;        /* some came; there is one */
    int ready;                     /* the partner that is ready */
    struct gcal_link_buffers buffers;
    struct gcal_memo *references; /* of all its devices */
    struct gcal_outbox *outbox;   /* of the threads that measure them */
    struct gcal_error failure;    /* of sending */
};

static int send(struct member *m, int tag, struct gcal_buf *payload,
                struct gcal_error *err)
{
    int rc = gcal_comm_send(m->comm, 0, tag, payload, err);

    gcal_buf_free(payload);
    m->last_sent_s = gcal_clock_now_s();
    return rc;
}

static void handle(struct member *m, struct gcal_comm_message *message)
{
    struct gcal_wire wire = gcal_wire_open(message->payload.data, message->payload.size);

    m->last_heard_s = gcal_clock_now_s();
    switch (message->tag) {
    case GCAL_RANKS_TAG_START:
        m->started = true;
        break;
    case GCAL_RANKS_TAG_ABORT:
    case GCAL_RANKS_TAG_BYE:
        m->status = (int)gcal_wire_get_u32(&wire);
        if (gcal_wire_get_u32(&wire))
            gcal_comm_note_lost(m->comm);
        m->ended = true;
        break;
    case GCAL_RANKS_TAG_ASSIGN:
        m->assignment = *message;
        m->assigned = true;
        return; /* kept */
    case GCAL_RANKS_TAG_LINK:
        gcal_buf_free(&m->link.payload);
        m->link = *message;
        m->links = m->is_linking = true;
        return;
    case GCAL_RANKS_TAG_LINK_READY:
        m->ready = message->from;
        break;
    }
    gcal_buf_free(&message->payload);
}

/* Called whenever this rank waits. */
static void tick(void *context)
{
    struct member *m = context;
    struct gcal_comm_message message;

    if (m->service)
        m->service->call(m->service->context);
    while (gcal_comm_receive(m->comm, false, &message, NULL) > 0)
        handle(m, &message);
    if (gcal_clock_now_s() - m->last_sent_s > GCAL_RANKS_ALIVE_EVERY_S) {
        struct gcal_buf nothing = { 0 };

        send(m, GCAL_RANKS_TAG_ALIVE, &nothing, NULL);
    }
    if (gcal_clock_now_s() - m->last_heard_s > 2 * GCAL_RANKS_SILENCE_LIMIT_S)
        m->root_lost = true;
}

/* Rank 0 serves the others; of these, hundreds may wait on one machine.  Those that measure links are
 * one of a node, or two.
 */
static double nap_s(const struct member *m)
{
    return m->links && !m->assigned ? 0.001 : m->service ? 0.02 : 0.1;
}

/* ---- links ---- */

static void say_ready(void *context)
{
    struct member *m = context;
    struct gcal_wire wire = gcal_wire_open(m->link.payload.data, m->link.payload.size);

    gcal_comm_send(m->comm, (int)gcal_wire_get_u32(&wire), GCAL_RANKS_TAG_LINK_READY,
                   NULL, NULL);
}

/* Messages that come meanwhile wait, for at most some seconds. */
static void measure_link(struct member *m)
{
    struct gcal_wire wire = gcal_wire_open(m->link.payload.data, m->link.payload.size);
    int partner = (int)gcal_wire_get_u32(&wire);
    bool is_first = gcal_wire_get_u32(&wire) != 0;
    char *to = gcal_wire_get_text(&wire);
    struct gcal_run_link link = { .from = (char *)m->node, .to = to };
    double until_s = gcal_clock_now_s() + GCAL_LINK_LIMIT_S, pair_s;
    struct gcal_error trouble = { 0 };
    struct gcal_buf buf = { 0 };

    link.round = gcal_wire_get_u64(&wire);
    pair_s = gcal_wire_get_f64(&wire);
    m->is_linking = false;
    if (!to || wire.bad) {
        gcal_error_set(&trouble, GCAL_EINPUT, "damaged message from rank 0");
    } else if (!is_first) {
        gcal_link_serve(partner, &m->buffers, say_ready, m, &trouble);
    } else {
        while (m->ready != partner && gcal_clock_now_s() < until_s && !m->ended) {
            tick(m);
            gcal_clock_sleep_s(nap_s(m));
        }
        if (m->ready != partner)
            gcal_error_set(&trouble, GCAL_EDEVICE, "it does not answer");
        else
            gcal_link_measure(partner, pair_s, &m->buffers, &link, &trouble);
        m->ready = -1;
    }
    if (trouble.code) {
        gcal_error_prefix(&trouble, "the link to node %s rank %d is not measured",
                          to ? to : "?", partner);
        link.n_times = 0;
    }
    gcal_wire_put_text(&buf, trouble.text);
    gcal_run_link_put(&buf, &link);
    send(m, GCAL_RANKS_TAG_LINKED, &buf, NULL);
    free(link.times);
    free(to);
}

/* Waits for '*what' to become true; -1 if the run has ended or rank 0 is lost. */
static int await(struct member *m, const bool *what, struct gcal_error *err)
{
    while (!*what && !m->ended && !m->root_lost) {
        tick(m);
        if (m->is_linking)
            measure_link(m);
        gcal_clock_sleep_s(nap_s(m));
    }
    gcal_link_buffers_free(&m->buffers);
    if (*what)
        return 0;
    if (!m->ended)
        gcal_error_set(
            err, GCAL_EINPUT,
            "no message from rank 0 for %.0f s; its journal has what it "
            "received: continue with --resume, or, if there is a record in its "
            "place, publish that by 'gpucal fit --record FILE.h5 --store DIR'",
            2 * GCAL_RANKS_SILENCE_LIMIT_S);
    return -1;
}

/* Sends what the threads that measure have put into the outbox. */
static void empty_outbox(void *context)
{
    struct member *m = context;
    struct gcal_error err = { 0 };
    double wait_s = nap_s(m);
    struct gcal_buf payload;
    int tag;

    tick(m);
    if (m->root_lost || m->ended)
        gcal_outbox_close(m->outbox);
    for (; gcal_outbox_take(m->outbox, wait_s, &tag, &payload); wait_s = 0)
        if (send(m, tag, &payload, &err) < 0 && !m->failure.code) {
            m->failure = err;
            gcal_outbox_close(m->outbox);
        }
}

/* ---- measuring ---- */

/* Content of ASSIGN. */
struct assignment {
    struct gcal_config config;
    struct gcal_catalogue *catalogue;
    struct gcal_memo *profiles; /* of rank 0, for the catalogue's kernels */
    struct gcal_wire wire;      /* at the first device not read yet */
    size_t n_devices;
    const char *locks_of; /* the store whose locks are to be tested; "": none */
};

static int damaged(struct gcal_error *err)
{
    return gcal_error_set(err, GCAL_EINPUT, "damaged message from rank 0");
}

static char *get_text(struct member *m, struct gcal_wire *wire)
{
    return gcal_arena_own(m->arena, gcal_wire_get_text(wire), free);
}

GCAL_ARENA_DESTROYER(clear_files, gcal_catalogue_files_clear)

GCAL_ARENA_DESTROYER(clear_info, gcal_device_info_clear)

static int read_assignment(struct member *m, struct assignment *a, struct gcal_error *err)
{
    const struct gcal_buf *payload = &m->assignment.payload;
    struct gcal_catalogue_files *files = gcal_arena_alloc(m->arena, 1, sizeof(*files));
    const char *file, *text;
    double budget_s;
    uint64_t seed;

    gcal_arena_own(m->arena, files, clear_files);
    a->wire = gcal_wire_open(payload->data, payload->size);
    file = get_text(m, &a->wire);
    text = get_text(m, &a->wire);
    budget_s = gcal_wire_get_f64(&a->wire);
    seed = gcal_wire_get_u64(&a->wire);
    a->locks_of = get_text(m, &a->wire);
    gcal_catalogue_files_get(&a->wire, files);
    if (!(a->profiles = gcal_profiles_create(err)) ||
        gcal_profiles_get(&a->wire, a->profiles, err) < 0)
        return -1;
    a->n_devices = gcal_wire_get_u32(&a->wire);
    if (!file || !text || !a->locks_of || a->wire.bad || a->n_devices > a->wire.left)
        return damaged(err);
    if (!(a->catalogue = gcal_catalogue_open_with(files, err)))
        return -1;
    gcal_catalogue_count_by(a->catalogue, gcal_profiles_count, a->profiles);
    if (gcal_select_parse(text, strlen(text), file, a->catalogue, &a->config, err) < 0)
        return -1;
    a->config.measure.budget_s = budget_s;
    a->config.measure.seed = seed;
    return 0;
}

static int read_device(struct member *m, struct gcal_wire *wire,
                       struct gcal_measuring_device *d, struct gcal_error *err)
{
    if (gcal_device_info_get(wire, &d->info, err) < 0)
        return -1;
    d->kept = get_text(m, wire);
    d->n_done = gcal_wire_get_u32(wire);
    if (wire->bad || d->n_done > wire->left)
        return damaged(err);
    d->done = gcal_arena_alloc(m->arena, d->n_done, sizeof(*d->done));
    for (size_t i = 0; i < d->n_done; i++) {
        d->done[i].kernel_id = get_text(m, wire);
        d->done[i].time_s = gcal_wire_get_f64(wire);
        d->done[i].last_order = gcal_wire_get_u64(wire);
        d->done[i].built.registers = gcal_wire_get_u64(wire);
        d->done[i].built.private_bytes = gcal_wire_get_u64(wire);
    }
    return wire->bad ? damaged(err) : 0;
}

/* Devices are measured side by side, those that disturb each other one after the other.  A
 * device that fails is no error, unless nobody hears of it.
 */
static int measure_all(struct member *m, const struct assignment *a,
                       struct gcal_measuring_device *devices, struct gcal_error *err)
{
    const struct gcal_measuring_setup setup = { .arena = m->arena,
                                                .spawner = m->spawner,
                                                .node = m->node,
                                                .rank = gcal_comm_rank(m->comm),
                                                .config = &a->config,
                                                .catalogue = a->catalogue,
                                                .references = m->references,
                                                .outbox = m->outbox };
    const struct gcal_worker_tick ticks = { .call = empty_outbox, .context = m };
    size_t n = 0;

    gcal_measuring_sort(devices, a->n_devices);
    for (size_t i = 0; i < a->n_devices; i += n) {
        n = gcal_measuring_at_once(&devices[i], a->n_devices - i);
        gcal_measuring_run(&setup, &devices[i], n, &ticks);
        for (size_t k = i; k < i + n; k++)
            if (devices[k].rc < 0 && m->root_lost) {
                *err = devices[k].trouble;
                return -1;
            }
        if (m->failure.code) {
            *err = m->failure;
            return -1;
        }
    }
    return 0;
}

static int take_devices(struct member *m, struct assignment *a, struct gcal_error *err)
{
    struct gcal_measuring_device *devices =
        gcal_arena_alloc(m->arena, a->n_devices, sizeof(*devices));

    for (size_t i = 0; i < a->n_devices; i++) {
        if (read_device(m, &a->wire, &devices[i], err) < 0)
            return -1;
        gcal_arena_own(m->arena, &devices[i].info, clear_info);
    }
    gcal_measuring_label(m->arena, devices, a->n_devices);
    return measure_all(m, a, devices, err);
}

/* Lists the devices of this node, in a worker, and sends them to the root. */
static int send_hello(struct member *m, struct gcal_error *err)
{
    struct gcal_worker_tick ticks = { .call = tick, .context = m };
    struct gcal_device_info *devices = NULL;
    struct gcal_error trouble = { 0 };
    struct gcal_worker *worker;
    struct gcal_buf buf = { 0 };
    size_t count = 0;

    if ((worker = gcal_worker_start(m->spawner, &ticks, &trouble)))
        gcal_worker_list_devices(worker, LIST_LIMIT_S, &devices, &count, &trouble);
    gcal_worker_stop(worker);
    gcal_wire_put_text(&buf, m->node);
    gcal_wire_put_text(&buf, count ? "" : trouble.text);
    gcal_wire_put_u32(&buf, (uint32_t)count);
    for (size_t i = 0; i < count; i++) {
        gcal_device_info_put(&buf, &devices[i]);
        gcal_device_info_clear(&devices[i]);
    }
    free(devices);
    return send(m, GCAL_RANKS_TAG_HELLO, &buf, err);
}

static int work(struct member *m, struct gcal_error *err)
{
    struct assignment a = { 0 };
    struct gcal_buf nothing = { 0 };
    bool never = false;
    int rc = -1;

    if (await(m, &m->started, err) < 0 || send_hello(m, err) < 0 ||
        await(m, &m->assigned, err) < 0)
        return -1;
    if (read_assignment(m, &a, err) == 0 &&
        (!gcal_ranks_locks_fail(a.locks_of, m->node) ||
         send(m, GCAL_RANKS_TAG_UNLOCKED, &nothing, err) == 0) &&
        take_devices(m, &a, err) == 0 && send(m, GCAL_RANKS_TAG_DONE, &nothing, err) == 0)
        rc = await(m, &never, err);
    gcal_config_clear(&a.config);
    gcal_catalogue_close(a.catalogue);
    gcal_memo_destroy(a.profiles);
    return rc;
}

int gcal_member_run(struct gcal_comm *comm, struct gcal_worker_spawner *spawner,
                    const struct gcal_worker_tick *service)
{
    struct gcal_error err = { 0 };
    struct member m = { .arena = gcal_arena_create(),
                        .comm = comm,
                        .spawner = spawner,
                        .service = service,
                        .outbox = gcal_outbox_create(),
                        .ready = -1,
                        .status = GCAL_EINPUT };

    m.node = gcal_node_name(m.arena);
    m.last_heard_s = gcal_clock_now_s();
    m.references = gcal_plan_references_create(GCAL_PLAN_REFERENCES_BYTES, NULL);
    work(&m, &err);
    if (!m.ended)
        gcal_log(GCAL_LOG_ERROR, "%s", err.text);
    gcal_buf_free(&m.assignment.payload);
    gcal_buf_free(&m.link.payload);
    gcal_memo_destroy(m.references);
    gcal_outbox_destroy(m.outbox);
    gcal_arena_destroy(m.arena);
    return m.status;
}
