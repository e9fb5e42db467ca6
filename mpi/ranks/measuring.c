/* measuring.c - threads that measure the devices of a rank */
#include "mpi/ranks/measuring.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/clock.h"
#include "kernels/base/log.h"
#include "kernels/base/threads.h"
#include "kernels/base/wire.h"
#include "calib/select/select.h"
#include "mpi/ranks/ranks.h"

/* Devices that are measured at once. */
struct group {
    const struct gcal_measuring_setup *setup;
    struct gcal_plan_turns *turns; /* NULL: one device alone */
    pthread_mutex_t catalogue;     /* one thread counts at a time, on all processors */
    atomic_size_t n_running;
    size_t n;
    struct member *members;
};

struct member {
    struct gcal_arena *arena; /* of its thread */
    struct group *group;
    struct gcal_measuring_device *device;
    struct gcal_worker_ahead *ahead; /* of the devices of its type; NULL: none */
    struct gcal_plan_use use;
    size_t n_good;                   /* kernels that were measured */
    struct gcal_measuring_pace pace; /* of reports of progress */
    struct gcal_thread *thread;
};

static bool is_cpu(const struct gcal_measuring_device *device)
{
    return strcmp(device->info.device_type, "cpu") == 0;
}

/* ---- the sink ---- */

static struct gcal_outbox *outbox_of(const struct member *m)
{
    return m->group->setup->outbox;
}

static int sink_kernel(void *context, const struct gcal_run_kernel *kernel,
                       struct gcal_error *err)
{
    struct gcal_buf buf = { 0 };

    gcal_run_kernel_put(&buf, kernel);
    return gcal_outbox_put(outbox_of(context), GCAL_RANKS_TAG_KERNEL, &buf, err);
}

static int sink_measurement(void *context, const struct gcal_measurement *measurement,
                            struct gcal_error *err)
{
    struct member *m = context;
    struct gcal_buf buf = { 0 };

    m->n_good += measurement->status == GCAL_MEASUREMENT_GOOD;
    gcal_measurement_put(&buf, measurement);
    return gcal_outbox_put(outbox_of(context), GCAL_RANKS_TAG_MEASUREMENT, &buf, err);
}

static int sink_device(void *context, const struct gcal_run_device *device,
                       struct gcal_error *err)
{
    struct gcal_buf buf = { 0 };

    gcal_run_device_put(&buf, device);
    return gcal_outbox_put(outbox_of(context), GCAL_RANKS_TAG_DEVICE, &buf, err);
}

static int put_lost(const struct member *m, int tag, const char *node, int rank,
                    const char *reason, struct gcal_error *err)
{
    struct gcal_buf buf = { 0 };

    gcal_wire_put_text(&buf, node);
    gcal_wire_put_u32(&buf, (uint32_t)rank);
    gcal_wire_put_text(&buf, reason);
    return gcal_outbox_put(outbox_of(m), tag, &buf, err);
}

static int sink_lost(void *context, const char *node, int rank, const char *reason,
                     struct gcal_error *err)
{
    return put_lost(context, GCAL_RANKS_TAG_LOST, node, rank, reason, err);
}

bool gcal_measuring_is_due(struct gcal_measuring_pace *pace, const char *phase,
                           double now_s)
{
    if (pace->phase && strcmp(pace->phase, phase) == 0 &&
        now_s < pace->last_s + GCAL_MEASURING_PROGRESS_EVERY_S)
        return false;
    *pace = (struct gcal_measuring_pace){ .phase = phase, .last_s = now_s };
    return true;
}

static void report_progress(void *context, const struct gcal_plan_progress *p)
{
    struct member *m = context;
    struct gcal_buf buf = { 0 };

    if (!gcal_measuring_is_due(&m->pace, p->phase, gcal_clock_now_s()))
        return;
    gcal_wire_put_text(&buf, p->device_name);
    gcal_wire_put_text(&buf, p->phase);
    gcal_wire_put_u64(&buf, p->kernels_done);
    gcal_wire_put_u64(&buf, p->kernels_total);
    gcal_wire_put_f64(&buf, p->elapsed_s);
    gcal_wire_put_f64(&buf, p->left_s);
    gcal_outbox_put(outbox_of(m), GCAL_RANKS_TAG_PROGRESS, &buf, NULL);
}

static void note_use(void *context, const struct gcal_plan_use *use)
{
    struct member *m = context;

    m->use = *use;
}

/* ---- one device ---- */

/* As the record has it; 'failure': of a device that was given up, or NULL. */
static int send_device(struct member *m, char *failure, struct gcal_error *err)
{
    const struct gcal_measuring_setup *s = m->group->setup;
    const struct gcal_run_device device = {
        .node = (char *)s->node,
        .rank = s->rank,
        .failure = failure,
        .kept = *m->device->kept ? m->device->kept : NULL,
        .span_s = m->use.span_s,
        .busy_s = m->use.busy_s,
        .info = m->device->info,
    };

    return sink_device(m, &device, err);
}

/* Kernels that cannot be counted: the run goes on without them, and is not complete. */
static int report_failed(const struct member *m, const struct gcal_kernel_list *list,
                         struct gcal_error *err)
{
    const struct gcal_measuring_setup *s = m->group->setup;
    int rc = 0;

    for (size_t i = 0; i < list->failed.n && rc == 0; i++)
        rc = put_lost(m, GCAL_RANKS_TAG_LEFT_OUT, s->node, s->rank,
                      gcal_arena_format(m->arena, "left out: %s", list->failed.items[i]),
                      err);
    return rc;
}

static int select_kernels(struct member *m, const struct gcal_config *config,
                          struct gcal_kernel_list *list, struct gcal_error *err)
{
    double began_s;
    int rc;

    pthread_mutex_lock(&m->group->catalogue);
    began_s = gcal_clock_now_s();
    rc = gcal_select_kernels(config, m->group->setup->catalogue, &m->device->info, list,
                             err);
    pthread_mutex_unlock(&m->group->catalogue);
    gcal_log(GCAL_LOG_INFO, "%s: %zu kernels counted in %.1f s", m->device->label,
             list->n_kernels, gcal_clock_now_s() - began_s);
    return rc == 0 ? report_failed(m, list, err) : -1;
}

static int measure_kernels(struct member *m, const struct gcal_config *config,
                           const struct gcal_kernel_list *list, struct gcal_error *err)
{
    const struct gcal_measuring_setup *s = m->group->setup;
    struct gcal_device_info labelled = m->device->info;
    struct gcal_plan_hooks hooks = {
        .sink = { .context = m,
                  .device = sink_device,
                  .kernel = sink_kernel,
                  .measurement = sink_measurement,
                  .lost = sink_lost },
        .progress = report_progress,
        .used = note_use,
        .progress_context = m,
        .n_done = m->device->n_done,
        .done = m->device->done,
        .references = s->references,
        .turns = m->group->turns,
        .backwards = is_cpu(m->device) && s->rank % 2, /* virtual nodes share a host */
        .config = config,
    };
    struct gcal_plan_device_ops ops = gcal_plan_worker_ops_create(
        s->spawner, labelled.uid, config->measure.kernel_limit_s, NULL, err);
    int rc = -1;

    labelled.name = m->device->label; /* in messages */
    if (ops.context && m->ahead) {
        gcal_plan_worker_ops_build_ahead(
            &ops, m->ahead, gcal_plan_building_s(&labelled, &config->measure));
        m->ahead = NULL;
    }
    if (ops.context)
        rc = gcal_plan_measure(&ops, s->node, &labelled, list, &config->measure, &hooks,
                               err);
    gcal_plan_worker_ops_destroy(&ops);
    return rc;
}

static int measure(struct member *m, struct gcal_error *err)
{
    struct gcal_kernel_list list = { 0 };
    struct gcal_config config = *m->group->setup->config;
    struct gcal_config_model *of = config.models;
    int rc = -1;

    /* The device's own models are marked. */
    config.models = gcal_arena_alloc(m->arena, config.n_models, sizeof(*of));
    memcpy(config.models, of, config.n_models * sizeof(*of));
    gcal_ranks_set_kept(&config, m->device->kept);
    if (send_device(m, NULL, err) == 0 && select_kernels(m, &config, &list, err) == 0 &&
        measure_kernels(m, &config, &list, err) == 0) {
        /* Where nothing can be built, the kernels say so. */
        if (!m->device->info.sub_group_size && m->n_good)
            gcal_error_set(err, GCAL_EDEVICE,
                           "the size of its sub-groups is unknown, as the program that "
                           "asks for it could not be built: calibrate it again");
        else
            rc = send_device(m, NULL, err); /* now with its use */
    }
    gcal_kernel_list_clear(&list);
    return rc;
}

/* A device that fails is reported, and stops no other. */
static void report_failure(struct member *m)
{
    const struct gcal_measuring_setup *s = m->group->setup;
    struct gcal_measuring_device *d = m->device;

    if (send_device(m, d->trouble.text, NULL) == 0)
        sink_lost(m, s->node, s->rank,
                  gcal_arena_format(m->arena, "device %s: %s", d->label, d->trouble.text),
                  NULL);
}

/* Of a device that did not come to its kernels. */
static void leave_ahead(struct member *m)
{
    enum gcal_worker_ahead_stage at = GCAL_WORKER_AHEAD_OUTSIDE;

    if (m->ahead)
        gcal_worker_ahead_advance(m->ahead, &at, GCAL_WORKER_AHEAD_LEFT);
}

static void *run_member(void *context)
{
    struct member *m = context;

    m->device->rc = measure(m, &m->device->trouble);
    leave_ahead(m);
    if (m->device->rc < 0)
        report_failure(m);
    atomic_fetch_sub(&m->group->n_running, 1);
    return NULL;
}

/* ---- building ahead ---- */

static bool is_same_type(const struct gcal_measuring_device *a,
                         const struct gcal_measuring_device *b)
{
    return strcmp(a->info.type, b->info.type) == 0 &&
           strcmp(a->info.driver, b->info.driver) == 0;
}

/* The first device of each type; the number of devices of its type. */
static size_t count_type(const struct group *g, size_t i, bool *is_first)
{
    size_t n = 0;

    *is_first = true;
    for (size_t k = 0; k < g->n; k++)
        if (is_same_type(g->members[i].device, g->members[k].device)) {
            n++;
            *is_first = *is_first && k >= i;
        }
    return n;
}

/* Without workers that build ahead, the run goes on. */
static void start_ahead(struct group *g, struct gcal_worker_ahead **all)
{
    const struct gcal_measuring_setup *s = g->setup;
    size_t n_types = 0;
    bool is_first;

    for (size_t i = 0; i < g->n; i++) {
        count_type(g, i, &is_first);
        n_types += is_first;
    }
    for (size_t i = 0; i < g->n; i++) {
        const struct gcal_device_info *info = &g->members[i].device->info;
        size_t n_users = count_type(g, i, &is_first);
        size_t n = gcal_worker_ahead_workers(s->spawner, info, g->n);

        if (!is_first || !n)
            continue;
        n = n > n_types ? n / n_types : 1;
        all[i] = gcal_worker_ahead_start(s->spawner, info, n, n_users,
                                         s->config->measure.kernel_limit_s, NULL);
        for (size_t k = i; k < g->n; k++)
            if (is_same_type(g->members[i].device, g->members[k].device))
                g->members[k].ahead = all[i];
    }
}

/* ---- all devices of a group ---- */

void gcal_measuring_run(const struct gcal_measuring_setup *setup,
                        struct gcal_measuring_device *devices, size_t n,
                        const struct gcal_worker_tick *tick)
{
    struct group g = { .setup = setup, .catalogue = PTHREAD_MUTEX_INITIALIZER, .n = n };
    struct gcal_worker_ahead **ahead =
        gcal_arena_alloc(setup->arena, n, sizeof(struct gcal_worker_ahead *));

    g.members = gcal_arena_alloc(setup->arena, n, sizeof(*g.members));
    for (size_t i = 0; i < n; i++)
        g.members[i] = (struct member){ .arena = gcal_arena_child(setup->arena),
                                        .group = &g,
                                        .device = &devices[i] };
    g.turns = n > 1 ? gcal_plan_turns_create() : NULL;
    atomic_store(&g.n_running, n);
    start_ahead(&g, ahead);
    for (size_t i = 0; i < g.n; i++) {
        struct member *m = &g.members[i];

        m->device->rc = -1;
        if ((m->thread = gcal_thread_start(run_member, m, &m->device->trouble)))
            continue;
        leave_ahead(m);
        report_failure(m);
        atomic_fetch_sub(&g.n_running, 1);
    }
    while (atomic_load(&g.n_running))
        tick->call(tick->context);
    for (size_t i = 0; i < n; i++)
        gcal_thread_join(g.members[i].thread);
    for (size_t i = 0; i < n; i++)
        gcal_worker_ahead_stop(ahead[i]);
    gcal_plan_turns_destroy(g.turns);
    tick->call(tick->context);
}

/* ---- devices ---- */

void gcal_measuring_label(struct gcal_arena *arena, struct gcal_measuring_device *devices,
                          size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *name = devices[i].info.name;
        size_t same = 0, number = 0;

        for (size_t k = 0; k < n; k++)
            if (strcmp(devices[k].info.name, name) == 0) {
                same++;
                number += k <= i;
            }
        devices[i].label = same > 1 ? gcal_arena_format(arena, "%s #%zu", name, number)
                                    : devices[i].info.name;
    }
}

void gcal_measuring_sort(struct gcal_measuring_device *devices, size_t n)
{
    size_t at = 0;

    for (size_t i = 0; i < n; i++) {
        struct gcal_measuring_device device = devices[i];

        if (is_cpu(&device))
            continue;
        memmove(&devices[at + 1], &devices[at], (i - at) * sizeof(*devices));
        devices[at++] = device;
    }
}

size_t gcal_measuring_at_once(const struct gcal_measuring_device *devices, size_t n)
{
    size_t n_others = 0;

    while (n_others < n && !is_cpu(&devices[n_others]))
        n_others++;
    return n_others ? n_others : n > 0;
}
