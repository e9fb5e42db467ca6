/* audit_example.c - page and metrics of a made-up site with given findings
 *
 *   audit_example FOLDER N_NODES [quiet|many]
 *
 * writes FOLDER/audit.html and FOLDER/audit.prom.
 *
 * Nodes have two GPUs each, or a CPU; devices scatter by 1 % around their type and
 * calibrations by 0.4 %.  The first devices have one story each: memory slower by 4.2 %
 * since run 31, a changed driver, slow from the start, suspect, calibrated only twice,
 * hostile names.  quiet: no stories; many: stories in turn for all devices.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/base/random.h"
#include "mpi/commands/audit/output/output.h"

#define N_RUNS        50
#define REPEATABILITY 0.004
#define HOSTILE       "<script>alert(\"1\")</script>'&\\\n\x01\xff${x} `id`"

static const struct {
    const char *parameter;
    enum gcal_audit_category category;
    double value;
} parameters[] = {
    { "p_f32load_stride1", GCAL_AUDIT_GLOBAL_MEMORY, 0.8321e-12 },
    { "p_f32store", GCAL_AUDIT_GLOBAL_MEMORY, 0.9617e-12 },
    { "p_tiles", GCAL_AUDIT_GLOBAL_MEMORY, 1.4453e-12 },
    { "p_rows", GCAL_AUDIT_GLOBAL_MEMORY, 11.631e-12 },
    { "p_f32load_uniform", GCAL_AUDIT_GLOBAL_MEMORY, 3.1739e-12 },
    { "p_f32madd", GCAL_AUDIT_ARITHMETIC, 1.0117e-12 },
    { "p_f32add", GCAL_AUDIT_ARITHMETIC, 1.0103e-12 },
    { "p_f32div", GCAL_AUDIT_ARITHMETIC, 7.4291e-12 },
    { "p_i32mul", GCAL_AUDIT_ARITHMETIC, 2.0441e-12 },
    { "p_f32exp", GCAL_AUDIT_ARITHMETIC, 4.1131e-12 },
    { "p_local", GCAL_AUDIT_LOCAL_MEMORY, 3.9823e-12 },
    { "p_broadcast", GCAL_AUDIT_LOCAL_MEMORY, 2.9557e-12 },
    { "p_barrier", GCAL_AUDIT_BARRIER, 32.263e-12 },
    { "p_group", GCAL_AUDIT_WORK_GROUPS, 603.51e-12 },
    { "p_launch", GCAL_AUDIT_LAUNCH, 4.2063e-6 },
    { "p_onchip_matmulTiled", GCAL_AUDIT_ONCHIP, 5.1187e-12 },
    { "p_overlap", GCAL_AUDIT_SHAPE, 1.7753 },
    { "p_hidden", GCAL_AUDIT_SHAPE, 0.2237 },
};

enum { N_SERIES = sizeof(parameters) / sizeof(*parameters) };

enum story { GOOD, SLOWER_MEMORY, NEW_DRIVER, SLOW_FROM_START, SUSPECT, NEW, NASTY };

struct site {
    uint64_t random;
    struct gcal_audit_output outputs[2];
    struct gcal_audit_summary summary;
    struct gcal_audit_policy policy;
    struct gcal_error err;
};

/* A device with its data, which findings refer to. */
struct made {
    struct gcal_audit_device device;
    struct gcal_track_run run[N_RUNS];
    const struct gcal_track_run *runs[N_RUNS];
    char utc[N_RUNS][24], run_id[N_RUNS][24];
    size_t epoch[N_RUNS], concerned[N_SERIES];
    char *epoch_description[2];
    double value[N_SERIES][N_RUNS], error[N_SERIES][N_RUNS];
    struct gcal_audit_series series[N_SERIES];
    struct gcal_audit_finding finding;
    char node[32], uid[32];
};

static double normal(struct site *site)
{
    double sum = -6;

    for (int i = 0; i < 12; i++)
        sum += (double)gcal_random_next(&site->random) / 18446744073709551616.0;
    return sum;
}

/* Relative slowdown of the parameter at that run. */
static double step(enum story story, size_t series, size_t run)
{
    bool memory = parameters[series].category == GCAL_AUDIT_GLOBAL_MEMORY;

    if ((story == SLOWER_MEMORY || story == NASTY) && memory && run >= 30)
        return 0.042;
    if (story == SUSPECT && series == 14 && run >= 48)
        return 0.05;
    if (story == NEW_DRIVER && run >= 25)
        return memory ? -0.012 : 0.018;
    if (story == SLOW_FROM_START)
        return parameters[series].category == GCAL_AUDIT_SHAPE ? 0 : 0.13;
    return 0;
}

static void make_runs(struct made *m, enum story story)
{
    size_t n = story == NEW ? 2 : N_RUNS;

    for (size_t i = 0; i < n; i++) {
        time_t at = 1795234625 - (time_t)(n - 1 - i) * 7 * 86400 + (time_t)(i * 977);
        struct tm utc;

        gmtime_r(&at, &utc);
        strftime(m->utc[i], sizeof(m->utc[i]), "%Y-%m-%dT%H:%M:%SZ", &utc);
        snprintf(m->run_id[i], sizeof(m->run_id[i]), "run%zu", i + 1);
        m->epoch[i] = story == NEW_DRIVER && i >= 25;
        m->run[i] = (struct gcal_track_run){
            .run_id = m->run_id[i],
            .utc = m->utc[i],
            .uid = m->uid,
            .type = m->device.type,
            .name = m->device.name,
            .driver = story == NASTY ? HOSTILE
                      : m->epoch[i]  ? "590.44.01"
                                     : "580.159.04",
            .configuration = "",
            .catalogue = "",
            .gpucal_version = GPUCAL_VERSION,
        };
        m->runs[i] = &m->run[i];
    }
    m->epoch_description[1] = (char *)"driver 580.159.04 became 590.44.01";
    m->device.n_runs = n;
    m->device.run = m->runs;
    m->device.epoch = m->epoch;
    m->device.epoch_description = m->epoch_description;
}

static void make_series(struct site *site, struct made *m, enum story story)
{
    bool looked_into = story != GOOD && story != NEW;
    size_t n = m->device.n_runs;
    double own;

    for (size_t k = 0; k < N_SERIES; k++) {
        struct gcal_audit_series *s = &m->series[k];
        double last;

        own = parameters[k].value * (1 + 0.01 * normal(site));
        for (size_t i = 0; i < n; i++) {
            m->value[k][i] =
                own * (1 + step(story, k, i)) * (1 + REPEATABILITY * normal(site));
            m->error[k][i] = 0.006 * m->value[k][i];
        }
        if (k == 7 && n > 12) /* a run without a value */
            m->value[k][12] = m->error[k][12] = NAN;
        last = step(story, k, n - 1);
        *s = (struct gcal_audit_series){
            .column = { .model = story == NASTY ? HOSTILE : "matmul_sq",
                        .form = "partial",
                        .parameter =
                            story == NASTY && k < 2 ? HOSTILE : parameters[k].parameter,
                        .unit = parameters[k].category == GCAL_AUDIT_SHAPE ? "1"
                                : story == NASTY && k == 1                 ? "s" HOSTILE
                                                                           : "s" },
            /* Categories are known for devices with findings only. */
            .category = looked_into ? parameters[k].category : GCAL_AUDIT_OTHER,
            .value = m->value[k],
            .error = m->error[k],
            .repeatability = REPEATABILITY,
            .reference =
                own * (1 + (story == NEW_DRIVER || story == SLOW_FROM_START ? last : 0)),
            .since = n,
            .false_alarm = 1,
            .driver_change = story == NEW_DRIVER ? last : NAN,
            .against_type = m->value[k][n - 1] / parameters[k].value - 1,
            .verdict = m->device.verdict == GCAL_AUDIT_UNKNOWN ? GCAL_AUDIT_UNKNOWN
                                                               : GCAL_AUDIT_PASS,
        };
        if (n < 3)
            s->reference = NAN;
        s->change = m->value[k][n - 1] / s->reference - 1;
        s->change_low = s->change - 0.005;
        s->change_high = s->change + 0.005;
        s->against_type_sigmas = s->against_type / 0.01;
        if (story != NEW_DRIVER && last != 0) {
            s->verdict = m->device.verdict;
            s->since = story == SUSPECT ? 48 : story == SLOW_FROM_START ? n : 30;
            m->concerned[m->finding.n_series++] = k;
        }
    }
}

static void make_finding(struct made *m, enum story story)
{
    static const struct {
        enum gcal_audit_verdict verdict;
        const char *code, *what, *next;
        double change, false_alarm;
        size_t since;
    } findings[] = {
        [SLOWER_MEMORY] = { GCAL_AUDIT_WARN, "GPUCAL-MEMORY-BANDWIDTH",
                            "global memory slower by 4.2 %",
                            "Look for retired pages and ECC errors (nvidia-smi -q -d "
                            "ECC,PAGE_RETIREMENT) and for a lower memory clock "
                            "(nvidia-smi -q -d CLOCK), then calibrate again.",
                            0.042, 3.1e-8, 30 },
        [NEW_DRIVER] = { GCAL_AUDIT_PASS, "GPUCAL-EPOCH",
                         "driver 580.159.04 became 590.44.01: 16 of 16 costs changed",
                         "Nothing: audits go on from here.", 0.018, NAN, 25 },
        [SLOW_FROM_START] = { GCAL_AUDIT_FAIL, "GPUCAL-SLOWER-THAN-TYPE",
                              "everything slower by 13 % than other devices of its type",
                              "Compare power limit, clocks and cooling with a good "
                              "node (nvidia-smi -q -d POWER,CLOCK,PERFORMANCE).",
                              0.13, 1.7e-4, 0 },
        [SUSPECT] = { GCAL_AUDIT_SUSPECT, "GPUCAL-LAUNCH",
                      "launch of kernels slower by 5.0 %",
                      "Nothing yet: the next calibration will tell.", 0.05, 0.0023, 48 },
        [NASTY] = { GCAL_AUDIT_FAIL, "GPUCAL-" HOSTILE, HOSTILE " slower", HOSTILE, 0.042,
                    NAN, 30 },
    };

    if (!m->finding.n_series && story != NEW_DRIVER)
        return;
    m->finding.verdict = findings[story].verdict;
    m->finding.code = findings[story].code;
    m->finding.what = (char *)findings[story].what;
    m->finding.next = (char *)findings[story].next;
    m->finding.change = findings[story].change;
    m->finding.change_low = findings[story].change - 0.004;
    m->finding.change_high = findings[story].change + 0.004;
    m->finding.false_alarm = findings[story].false_alarm;
    m->finding.since = findings[story].since;
    m->finding.series = m->concerned;
    m->device.n_findings = 1;
    m->device.findings = &m->finding;
}

static enum gcal_audit_verdict verdict_of(enum story story)
{
    switch (story) {
    case SLOWER_MEMORY:
        return GCAL_AUDIT_WARN;
    case SLOW_FROM_START:
    case NASTY:
        return GCAL_AUDIT_FAIL;
    case SUSPECT:
        return GCAL_AUDIT_SUSPECT;
    case NEW:
        return GCAL_AUDIT_UNKNOWN;
    default:
        return GCAL_AUDIT_PASS;
    }
}

static int give(struct site *site, size_t node, size_t index, enum story story)
{
    struct made *m = calloc(1, sizeof(*m));
    bool cpu = node % 8 == 7;
    int rc = 0;

    if (!m)
        return gcal_error_memory(&site->err);
    snprintf(m->node, sizeof(m->node), "gpu%04zu", node + 1);
    snprintf(m->uid, sizeof(m->uid), "uuid:%08zx-%04zx", node * 2654435761u % 0xffffffff,
             index);
    m->device = (struct gcal_audit_device){
        .node = story == NASTY ? HOSTILE : m->node,
        .uid = m->uid,
        .type = story == NASTY  ? HOSTILE
                : cpu           ? "portable-computing-language-cpu-epyc-9654-192cu"
                : node % 8 >= 5 ? "nvidia-cuda-nvidia-a100-sxm4-80gb-108cu"
                                : "nvidia-cuda-nvidia-h200-132cu",
        .name = story == NASTY  ? HOSTILE
                : cpu           ? "AMD EPYC 9654"
                : node % 8 >= 5 ? "NVIDIA A100-SXM4-80GB"
                                : "NVIDIA H200",
        .n_series = N_SERIES,
        .series = m->series,
        .verdict = verdict_of(story),
    };
    make_runs(m, story);
    make_series(site, m, story);
    make_finding(m, story);
    site->summary.n_devices++;
    site->summary.n_runs += m->device.n_runs;
    site->summary.n_verdicts[m->device.verdict]++;
    for (size_t i = 0; i < 2 && rc == 0; i++)
        rc = site->outputs[i].device(site->outputs[i].context, &m->device, &site->err);
    free(m);
    return rc;
}

static enum story story_of(size_t device, const char *mode)
{
    static const enum story stories[] = { GOOD, GOOD,       SLOWER_MEMORY,
                                          GOOD, NEW_DRIVER, SLOW_FROM_START,
                                          GOOD, GOOD,       SUSPECT,
                                          NEW,  NASTY };
    const size_t n = sizeof(stories) / sizeof(*stories);

    if (strcmp(mode, "many") == 0)
        device %= n;
    return device < n && strcmp(mode, "quiet") != 0 ? stories[device] : GOOD;
}

static int give_all(struct site *site, size_t n_nodes, const char *mode)
{
    size_t n_devices = 0;

    for (size_t node = 0; node < n_nodes; node++, site->summary.n_nodes++)
        for (size_t i = 0; i < (node % 8 == 7 ? 1 : 2); i++, n_devices++)
            if (give(site, node, i, story_of(n_devices, mode)) < 0)
                return -1;
    for (size_t i = 0; i < 2; i++)
        if (site->outputs[i].end(site->outputs[i].context, &site->summary, &site->err) <
            0)
            return -1;
    return 0;
}

int main(int argc, char **argv)
{
    struct site site = { .random = 17,
                         .policy = { .warn = 0.03,
                                     .fail = 0.1,
                                     .false_alarms = 1e-3,
                                     .confirm = 2,
                                     .of = 3 } };
    struct gcal_audit_output_options about = { .store =
                                                   argc > 3 ? "/shared/gpucal" : HOSTILE,
                                               .policy = site.policy };
    struct gcal_arena *arena = gcal_arena_create();
    int rc = -1;

    if (argc < 3) {
        fprintf(stderr, "usage: audit_example FOLDER N_NODES [quiet|many]\n");
        return 1;
    }
    if (gcal_audit_output_html(arena, &about,
                               gcal_arena_format(arena, "%s/audit.html", argv[1]),
                               &site.outputs[0], &site.err) == 0 &&
        gcal_audit_output_prometheus(arena, &about,
                                     gcal_arena_format(arena, "%s/audit.prom", argv[1]),
                                     &site.outputs[1], &site.err) == 0)
        rc = give_all(&site, (size_t)strtoul(argv[2], NULL, 10),
                      argc > 3 ? argv[3] : "some");
    if (rc < 0)
        fprintf(stderr, "%s\n", site.err.text);
    gcal_arena_destroy(arena);
    return rc < 0;
}
