/* test_types.c - the devices that a device is compared with: few of a large store, and the same in
 * each audit
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "calib/audit/private.h"
#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/random.h"
#include "tests/folder.h"
#include "tests/unit.h"

/* Every RARE-th node has a device of a type of its own beside the one that all have. */
enum { NODES = 260, RARE = 20, RUNS = 5 };

static const struct gcal_audit_policy policy = {
    .warn = 0.02, .fail = 0.1, .false_alarms = 0.001, .confirm = 2, .of = 3
};

#define DEVICE                                                                           \
    "- {uid: %s, type: %s, name: GPU, vendor: V, platform: P, driver: '580.1', "         \
    "version: '3', device_type: gpu, pci: '', compute_units: 132, "                      \
    "max_work_group_size: 1024, max_clock_hz: 1.98e+09, global_memory_bytes: 1e11, "     \
    "max_alloc_bytes: 1e10, local_memory_bytes: 49152, timer_resolution_s: 1e-06, "      \
    "sub_group_size: 32, cache_bytes: 6e7, fp16: false, fp64: true, "                    \
    "run_id: r, calibrated_utc: '2026-11-21T15:13:16Z', gpucal_version: 0.1.0, "         \
    "configuration: A, catalogue: k, fitted: 1, models: []}\n"

static struct gcal_arena *arena; /* of all summaries */

/* ---- which tracks are read ---- */

static atomic_size_t n_read;

int __real_gcal_track_load(const struct gcal_store *store, const char *node,
                           struct gcal_track *track, struct gcal_error *err);
int __wrap_gcal_track_load(const struct gcal_store *store, const char *node,
                           struct gcal_track *track, struct gcal_error *err);

int __wrap_gcal_track_load(const struct gcal_store *store, const char *node,
                           struct gcal_track *track, struct gcal_error *err)
{
    n_read++;
    return __real_gcal_track_load(store, node, track, err);
}

/* ---- the store ---- */

static double some(uint64_t *random)
{
    return 1e-9 * (1 + 1e-3 * (double)(gcal_random_next(random) % 100));
}

static void put_runs(struct gcal_buf *track, const char *uid, const char *type,
                     uint64_t *random)
{
    for (int run = 0; run < RUNS; run++)
        gcal_buf_printf(
            track,
            "run\tr%d\t2026-11-21T04:27:51Z\t%s\t%s\tGPU\t580.1\tA\tk\t0.1.0\t0"
            "\t%.6g\t1e-12\n",
            run, uid, type, some(random));
}

static void write_node(int node, const char *name)
{
    struct gcal_buf track = { 0 }, file = { 0 };
    uint64_t random = (uint64_t)node;
    const char *types[] = { "common", "rare" };

    gcal_buf_puts(&track, "gpucal_track 2\ncolumns\t0\t=c1\tm/linear/p/s\n");
    gcal_buf_printf(&file, "gpucal_params: 7\nnode: %s\ndevices:\n", name);
    for (int i = 0; i <= (node % RARE == 0); i++) {
        char *uid = gcal_buf_format("u%d-%d", node, i);

        put_runs(&track, uid, types[i], &random);
        gcal_buf_printf(&file, DEVICE, uid, types[i]);
        free(uid);
    }
    /* Of a device that the node had. */
    put_runs(&track, "gone", "common", &random);
    gcal_buf_puts(&file, "...\n");
    for (int i = 0; i < 2; i++) {
        char *path = gcal_buf_format(i ? "tracks/%s.tsv" : "nodes/%s.yaml", name);

        folder_write(path, i ? track.data : file.data);
        free(path);
    }
    gcal_buf_free(&track);
    gcal_buf_free(&file);
}

static int make_store(void **state)
{
    char path[128];

    if (folder_make(state) < 0)
        return -1;
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof(path), "%s/%s", folder, i ? "tracks" : "nodes");
        if (mkdir(path, 0755) < 0)
            return -1;
    }
    for (int node = 0; node < NODES; node++) {
        char name[8];

        snprintf(name, sizeof(name), "n%03d", node);
        write_node(node, name);
    }
    return 0;
}

/* ---- audits ---- */

/* By series of a node: what it is compared with. */
struct seen {
    const char *node;
    size_t n;
    double repeatability[4], against_type[4];
};

static int look(void *context, const struct gcal_audit_device *d, struct gcal_error *err)
{
    struct seen *seen = context;

    (void)err;
    if (strcmp(d->node, seen->node) != 0)
        return 0;
    seen->repeatability[seen->n] = d->series[0].repeatability;
    seen->against_type[seen->n++] = d->series[0].against_type;
    return 0;
}

static struct seen audit(const char *pattern, const char *node)
{
    struct gcal_audit_summary summary = { 0 };
    struct gcal_error err = { 0 };
    struct gcal_store *store = gcal_store_open(folder, &err);
    struct seen seen = { .node = node };

    n_read = 0;
    if (!store ||
        gcal_audit_store(arena, store, pattern, &policy, look, &seen, &summary, &err) < 0)
        fail_msg("%s", err.text);
    gcal_store_close(store);
    return seen;
}

static void is_judged_as_among_all(const char *node, size_t n_devices)
{
    struct seen alone = audit(node, node), among = audit(NULL, node);

    assert_int_equal(alone.n, n_devices);
    assert_int_equal(among.n, n_devices);
    for (size_t i = 0; i < n_devices; i++) {
        assert_true(alone.repeatability[i] > 0);
        assert_true(alone.repeatability[i] == among.repeatability[i]);
        assert_true(alone.against_type[i] == among.against_type[i]);
    }
}

/* Its own track twice, and those of 200 nodes; nodes are read by 32. */
static void a_node_is_compared_with_200_devices(void **state)
{
    (void)state;
    audit("n001", "n001");
    assert_in_range(n_read, 202, 2 + 200 + 31);
    is_judged_as_among_all("n001", 2);
}

/* All nodes are looked at for the rare type, but the tracks of the others are not read for it. */
static void a_rare_type_is_looked_for(void **state)
{
    (void)state;
    is_judged_as_among_all("n040", 3);
    audit("n040", "n040");
    assert_in_range(n_read, 202, 2 + 200 + 31 + NODES / RARE);
}

/* For the types 200 and more, then each once. */
static void an_audit_of_all_reads_few_twice(void **state)
{
    (void)state;
    audit(NULL, "n001");
    assert_in_range(n_read, NODES + 200, NODES + 200 + 31 + NODES / RARE);
}

/* A device that its node had, and a node whose file is damaged, represent nothing. */
static void what_is_not_published_represents_no_type(void **state)
{
    struct seen before = audit("n040", "n040"), after;

    (void)state;
    folder_write("nodes/n020.yaml", "nonsense: [\n");
    after = audit("n040", "n040");
    assert_int_equal(after.n, 3);
    assert_true(after.against_type[1] != before.against_type[1]);
    folder_write("nodes/n020.yaml", "gpucal_params: 7\nnode: n020\ndevices: []\n...\n");
    assert_true(audit("n040", "n040").against_type[1] == after.against_type[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_is_compared_with_200_devices),
        cmocka_unit_test(a_rare_type_is_looked_for),
        cmocka_unit_test(an_audit_of_all_reads_few_twice),
        cmocka_unit_test(what_is_not_published_represents_no_type),
    };
    int failed;

    arena = gcal_arena_create();
    failed = cmocka_run_group_tests(tests, make_store, folder_remove);
    gcal_arena_destroy(arena);
    return failed;
}
