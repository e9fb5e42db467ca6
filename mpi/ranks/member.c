/* member.c - the work of every rank: lists devices, measures those assigned, reports */
#include <stdlib.h>
#include <string.h>

#include "calib/base/clock.h"
#include "calib/base/error.h"
#include "calib/base/log.h"
#include "calib/base/wire.h"
#include "calib/plan/references.h"
#include "calib/select/select.h"
#include "mpi/cli/command.h"
#include "mpi/ranks/ranks.h"
#include "mpi/ranks/selection.h"

#define LIST_LIMIT_S 60.0

struct member {
    struct gcal_comm *comm;
    struct gcal_worker_spawner *spawner;
    const struct gcal_worker_tick *service;
    char *node;
    const char *device_name; /* of the device measured now */
    double last_sent_s, last_heard_s;
    bool root_lost;
    bool ended;
    int status; /* of the run, once ended */
    struct gcal_comm_message assignment;
    bool started, assigned;
    struct gcal_plan_references *references; /* of all its devices */
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
        m->ended = true;
        break;
    case GCAL_RANKS_TAG_ASSIGN:
        m->assignment = *message;
        m->assigned = true;
        return; /* kept */
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

/* Waits for '*what' to become true; -1 if the run has ended or rank 0 is lost. */
static int await(struct member *m, const bool *what, struct gcal_error *err)
{
    while (!*what && !m->ended && !m->root_lost) {
        tick(m);
        gcal_clock_sleep_s(0.02);
    }
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

/* ---- the sink: sends everything to the root ---- */

static int check_root(const struct member *m, struct gcal_error *err)
{
    return m->root_lost || m->ended
               ? gcal_error_set(err, GCAL_EINPUT, "rank 0 no longer answers")
               : 0;
}

static int sink_kernel(void *context, const struct gcal_run_kernel *kernel,
                       struct gcal_error *err)
{
    struct gcal_buf buf = { 0 };

    gcal_run_kernel_put(&buf, kernel);
    return check_root(context, err) < 0 ? -1
                                        : send(context, GCAL_RANKS_TAG_KERNEL, &buf, err);
}

static int sink_measurement(void *context, const struct gcal_measurement *measurement,
                            struct gcal_error *err)
{
    struct gcal_buf buf = { 0 };

    gcal_measurement_put(&buf, measurement);
    if (check_root(context, err) == 0)
        return send(context, GCAL_RANKS_TAG_MEASUREMENT, &buf, err);
    gcal_buf_free(&buf);
    return -1;
}

static int sink_device(void *context, const struct gcal_run_device *device,
                       struct gcal_error *err)
{
    struct gcal_buf buf = { 0 };

    gcal_run_device_put(&buf, device);
    return send(context, GCAL_RANKS_TAG_DEVICE, &buf, err);
}

static int send_lost(struct member *m, int tag, const char *node, int rank,
                     const char *reason, struct gcal_error *err)
{
    struct gcal_buf buf = { 0 };

    gcal_wire_put_text(&buf, node);
    gcal_wire_put_u32(&buf, (uint32_t)rank);
    gcal_wire_put_text(&buf, reason);
    return send(m, tag, &buf, err);
}

static int sink_lost(void *context, const char *node, int rank, const char *reason,
                     struct gcal_error *err)
{
    return send_lost(context, GCAL_RANKS_TAG_LOST, node, rank, reason, err);
}

static void report_progress(void *context, const struct gcal_plan_progress *p)
{
    struct gcal_buf buf = { 0 };

    gcal_wire_put_text(&buf, p->device_name);
    gcal_wire_put_text(&buf, p->phase);
    gcal_wire_put_u64(&buf, p->kernels_done);
    gcal_wire_put_u64(&buf, p->kernels_total);
    gcal_wire_put_f64(&buf, p->elapsed_s);
    gcal_wire_put_f64(&buf, p->left_s);
    send(context, GCAL_RANKS_TAG_PROGRESS, &buf, NULL);
}

static void report_selection(void *context, const struct gcal_plan_selection *selection)
{
    struct member *m = context;
    struct gcal_buf buf = { 0 };

    gcal_selection_put(&buf, m->device_name, selection);
    send(m, GCAL_RANKS_TAG_SELECTION, &buf, NULL);
}

/* ---- measuring ---- */

/* Content of ASSIGN. */
struct assignment {
    struct gcal_config config;
    struct gcal_catalogue *catalogue;
    struct gcal_wire wire; /* at the first device not read yet */
    size_t n_devices;
};

static int read_assignment(struct member *m, struct assignment *a, struct gcal_error *err)
{
    const struct gcal_buf *payload = &m->assignment.payload;
    struct gcal_catalogue_files files = { 0 };
    char *file, *text;
    double budget_s;
    uint64_t seed;
    int rc = -1;

    a->wire = gcal_wire_open(payload->data, payload->size);
    file = gcal_wire_get_text(&a->wire);
    text = gcal_wire_get_text(&a->wire);
    budget_s = gcal_wire_get_f64(&a->wire);
    seed = gcal_wire_get_u64(&a->wire);
    gcal_catalogue_files_get(&a->wire, &files);
    a->n_devices = gcal_wire_get_u32(&a->wire);
    if (!file || !text || a->wire.bad) {
        gcal_error_set(err, GCAL_EINPUT, "damaged message from rank 0");
        goto out;
    }
    if (!(a->catalogue = gcal_catalogue_open_with(&files, err)) ||
        gcal_select_parse(text, strlen(text), file, a->catalogue, &a->config, err) < 0)
        goto out;
    a->config.measure.budget_s = budget_s;
    a->config.measure.seed = seed;
    rc = 0;
out:
    gcal_catalogue_files_clear(&files);
    free(file);
    free(text);
    return rc;
}

/* Kernels that cannot be counted: the run goes on without them, and is not complete. */
static int report_failed(struct member *m, const struct gcal_kernel_list *list,
                         struct gcal_error *err)
{
    int rank = gcal_comm_rank(m->comm), rc = 0;

    for (size_t i = 0; i < list->failed.n && rc == 0; i++) {
        char *reason = gcal_buf_format("left out: %s", list->failed.items[i]);

        rc = send_lost(m, GCAL_RANKS_TAG_LEFT_OUT, m->node, rank,
                       reason ? reason : list->failed.items[i], err);
        free(reason);
    }
    return rc;
}

static int measure(struct member *m, struct assignment *a,
                   const struct gcal_device_info *info, char *kept, size_t n_done,
                   const struct gcal_plan_done *done, struct gcal_error *err)
{
    struct gcal_worker_tick ticks = { .call = tick, .context = m };
    struct gcal_plan_hooks hooks = {
        .sink = { .context = m,
                  .device = sink_device,
                  .kernel = sink_kernel,
                  .measurement = sink_measurement,
                  .lost = sink_lost },
        .tick = ticks,
        .progress = report_progress,
        .chosen = report_selection,
        .progress_context = m,
        .n_done = n_done,
        .done = done,
        .references = m->references,
        .config = &a->config,
    };
    struct gcal_run_device device = { .node = m->node,
                                      .rank = gcal_comm_rank(m->comm),
                                      .kept = *kept ? kept : NULL,
                                      .info = *info };
    size_t n_builders = gcal_worker_ahead_workers(m->spawner, info, 1);
    struct gcal_worker_ahead *ahead = NULL;
    struct gcal_kernel_list list = { 0 };
    struct gcal_plan_device_ops ops = { 0 };
    int rc = -1;

    m->device_name = info->name;
    /* Its workers open the device while kernels are counted.  Without it, the run goes on. */
    if (n_builders)
        ahead = gcal_worker_ahead_start(m->spawner, info->uid, n_builders, 1,
                                        a->config.measure.kernel_limit_s, NULL);
    gcal_ranks_set_kept(&a->config, kept);
    if (sink_device(m, &device, err) < 0 ||
        gcal_select_kernels(&a->config, a->catalogue, info, &list, err) < 0 ||
        report_failed(m, &list, err) < 0)
        goto out;
    ops = gcal_plan_worker_ops_create(m->spawner, info->uid,
                                      a->config.measure.kernel_limit_s, &ticks, err);
    if (ops.context && ahead)
        gcal_plan_worker_ops_build_ahead(&ops, ahead);
    if (ops.context)
        rc = gcal_plan_measure(&ops, m->node, info, &list, &a->config.measure, &hooks,
                               err);
    gcal_plan_worker_ops_destroy(&ops);
out:
    gcal_worker_ahead_stop(ahead);
    gcal_kernel_list_clear(&list);
    return rc;
}

static int report_failure(struct member *m, const struct gcal_device_info *info,
                          char *text, struct gcal_error *err)
{
    int rank = gcal_comm_rank(m->comm);
    struct gcal_run_device device = {
        .node = m->node, .rank = rank, .info = *info, .failure = text
    };
    char *reason = gcal_buf_format("device %s: %s", info->name, text);
    int rc = sink_device(m, &device, err);

    if (rc == 0)
        rc = sink_lost(m, m->node, rank, reason ? reason : text, err);
    free(reason);
    return rc;
}

/* Reads the next device from the assignment and measures it.  A device that fails is
 * reported, and is not an error.
 */
static int take_device(struct member *m, struct assignment *a, struct gcal_error *err)
{
    struct gcal_device_info info = { 0 };
    struct gcal_error trouble = { 0 };
    struct gcal_plan_done *done = NULL;
    size_t n_done = 0;
    char *kept;
    int rc = -1;

    if (gcal_device_info_get(&a->wire, &info, err) < 0)
        return -1;
    kept = gcal_wire_get_text(&a->wire);
    n_done = gcal_wire_get_u32(&a->wire);
    if (a->wire.bad || n_done > a->wire.left ||
        !(done = calloc(n_done + 1, sizeof(*done)))) {
        gcal_error_set(err, GCAL_EINPUT, "damaged message from rank 0");
        goto out;
    }
    for (size_t i = 0; i < n_done; i++) {
        done[i].kernel_id = gcal_wire_get_text(&a->wire);
        done[i].time_s = gcal_wire_get_f64(&a->wire);
        done[i].last_order = gcal_wire_get_u64(&a->wire);
    }
    if (a->wire.bad) {
        gcal_error_set(err, GCAL_EINPUT, "damaged message from rank 0");
        goto out;
    }
    rc = measure(m, a, &info, kept, n_done, done, &trouble);
    if (rc < 0 && m->root_lost) {
        *err = trouble;
        goto out;
    }
    if (rc < 0)
        rc = report_failure(m, &info, trouble.text, err);
out:
    for (size_t i = 0; i < n_done && done; i++)
        free(done[i].kernel_id);
    free(done);
    free(kept);
    gcal_device_info_clear(&info);
    return rc;
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
    if (read_assignment(m, &a, err) < 0)
        goto out;
    for (size_t i = 0; i < a.n_devices; i++)
        if (take_device(m, &a, err) < 0)
            goto out;
    if (send(m, GCAL_RANKS_TAG_DONE, &nothing, err) < 0)
        goto out;
    rc = await(m, &never, err);
out:
    gcal_config_clear(&a.config);
    gcal_catalogue_close(a.catalogue);
    return rc;
}

int gcal_member_run(struct gcal_comm *comm, struct gcal_worker_spawner *spawner,
                    const struct gcal_worker_tick *service)
{
    struct gcal_error err = { 0 };
    struct member m = {
        .comm = comm, .spawner = spawner, .service = service, .status = GCAL_EINPUT
    };

    m.last_heard_s = gcal_clock_now_s();
    m.references = gcal_plan_references_create(GCAL_PLAN_REFERENCES_BYTES, NULL);
    if ((m.node = gcal_node_name(&err)))
        work(&m, &err);
    if (!m.ended)
        gcal_log(GCAL_LOG_ERROR, "%s", err.text);
    gcal_buf_free(&m.assignment.payload);
    gcal_plan_references_destroy(m.references);
    free(m.node);
    return m.status;
}
