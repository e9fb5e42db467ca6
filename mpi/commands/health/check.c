/* check.c - gpucal health --check: a device measured, and compared with what it was */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "calib/health/health.h"
#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/strings.h"
#include "mpi/cli/command.h"
#include "mpi/cli/json.h"
#include "mpi/commands/health/private.h"
#include "store/files/store.h"
#include "store/params/params.h"

/* All is measured in two processes, and a loss has to show again in three more before it is one:
 * the noise of one process is none.
 */
enum { PASSES = 2, AGAIN = 3 };

/* Such a share of the reference is named. */
#define SLOWEST 0.05

struct check {
    struct gcal_arena *arena;
    const struct gcal_check_context *c;
    const struct gcal_device_info *info;
    const char *calibrated_utc;
    struct gcal_health_measured measured;
    size_t n_past, n_others;
    struct gcal_health_finding found[GCAL_HEALTH_N];
    double slowest[GCAL_HEALTH_N]; /* share of the reference's devices; NaN: unknown */
    size_t n_reference[GCAL_HEALTH_N];
    const char *remark; /* what was not read or kept; NULL: nothing */
};

static void remark(struct check *k, const char *what)
{
    k->remark = k->remark ? gcal_arena_format(k->arena, "%s; %s", k->remark, what)
                          : gcal_arena_strdup(k->arena, what);
}

/* Calibrations accept what was off before them. */
static const char *newest_calibration(const struct gcal_params_device *published)
{
    const char *newest = "";

    for (size_t i = 0; i < published->n_models; i++) {
        const char *utc =
            gcal_params_model_origin(published, &published->models[i]).calibrated_utc;

        if (strcmp(utc, newest) > 0)
            newest = utc;
    }
    return newest;
}

/* Readings of other devices of the type: of this node, and of up to 64 others that lie evenly among
 * all by their names, so that a store of thousands of nodes takes no longer.
 */
static size_t read_others(struct check *k, const struct gcal_checks *own,
                          struct gcal_health_reading *others)
{
    const char *epoch = gcal_health_epoch(k->arena, k->info);
    size_t n = gcal_health_others(own, k->info, epoch, &k->measured, others, 0), count,
           step;
    char **nodes;

    if (gcal_checks_nodes(k->c->store, &nodes, &count, NULL) < 0)
        return n;
    step = count / GCAL_HEALTH_MOST_DEVICES + (count % GCAL_HEALTH_MOST_DEVICES != 0);
    for (size_t i = 0; i < count; i += step) {
        struct gcal_checks checks;

        if (strcmp(nodes[i], k->c->node) != 0 &&
            gcal_checks_read(k->arena, k->c->store, nodes[i], &checks, NULL) == 0)
            n = gcal_health_others(&checks, k->info, epoch, &k->measured, others, n);
    }
    gcal_strings_free(nodes, count);
    return n;
}

static void judge(struct check *k, const struct gcal_checks *checks,
                  const struct gcal_health_reading *others)
{
    const struct gcal_health_policy policy = { .fail = k->c->policy->fail,
                                               .warn = k->c->policy->warn };
    struct gcal_health_reading now = gcal_health_read(&k->measured), *past;

    k->n_past = gcal_health_past(k->arena, checks, k->info, &k->measured,
                                 k->calibrated_utc, &past);
    gcal_health_judge(past, k->n_past, &now, &policy, k->found);
    gcal_health_judge_type(others, k->n_others, &now, &policy, k->found);
}

/* Where the reference of its type, if the store has one, puts the device. */
static void place(struct check *k)
{
    struct gcal_health_reference reference = { 0 };
    struct gcal_error why = { 0 };
    const char *text;
    int rc = gcal_checks_reference(k->arena, k->c->store, k->info->type, &text, &why);

    if (rc < 0 ||
        (rc > 0 && gcal_health_reference_parse(
                       k->arena, text,
                       gcal_arena_format(k->arena, "references/%s.tsv", k->info->type),
                       &reference, &why) < 0))
        remark(k, why.text);
    for (size_t r = 0; r < GCAL_HEALTH_N; r++)
        k->slowest[r] = isnan(k->measured.time_s[r])
                            ? NAN
                            : gcal_health_reference_slowest(
                                  &reference, r, k->measured.kernel[r],
                                  k->measured.time_s[r], &k->n_reference[r]);
}

/* First all resources, then what is off, as long as there is time for it. */
static int measure(struct check *k, const struct gcal_checks *checks,
                   struct gcal_error *err)
{
    struct gcal_health_reading others[GCAL_HEALTH_MOST_DEVICES];
    const struct gcal_check_context *c = k->c;
    struct gcal_health_measured *m = &k->measured;
    double each_s = 0;

    for (int i = 0; i < PASSES + AGAIN; i++) {
        bool which[GCAL_HEALTH_N] = { false };
        size_t n = 0;

        for (size_t r = 0; r < GCAL_HEALTH_N; r++) {
            size_t of = r == GCAL_HEALTH_CLOCK ? GCAL_HEALTH_ARITHMETIC : r;

            if ((i < PASSES || k->found[r].off || k->found[r].by_type) && !which[of]) {
                which[of] = true;
                n++;
            }
        }
        if (!n || m->busy_s + (double)n * each_s > GCAL_HEALTH_BUDGET_S)
            break;
        if (gcal_health_measure(k->arena, c->spawner, c->node, k->info, c->catalogue,
                                which, m, err) < 0)
            return -1;
        if (i == 0) {
            each_s = m->busy_s / (double)n;
            k->n_others = read_others(k, checks, others);
        }
        judge(k, checks, others);
    }
    for (size_t r = 0; r < GCAL_HEALTH_N; r++)
        if (!isnan(m->time_s[r]))
            return 0;
    return gcal_error_set(err, GCAL_EDEVICE,
                          "no resource was measured within %g s: check again when this "
                          "machine is less busy",
                          GCAL_HEALTH_BUDGET_S);
}

/* ---- the answer ---- */

static void keep(struct check *k)
{
    bool off[GCAL_HEALTH_N];
    struct gcal_error why = { 0 };
    struct gcal_store *store =
        gcal_command_store_open(k->arena, k->c->store_path, true, &why);

    for (size_t r = 0; r < GCAL_HEALTH_N; r++)
        off[r] = k->found[r].off;
    const struct gcal_checks_line line =
        gcal_health_line(k->arena, k->info, &k->measured, off);
    if (!store || gcal_checks_add(store, k->c->node, &line, &why) < 0)
        remark(k, gcal_arena_format(k->arena, "not kept for later checks: %s", why.text));
}

/* "memory bandwidth lost 3.1 % +- 0.2 %", for a resource that did; what the clock explains is said
 * with the clock.
 */
static void put_finding(struct gcal_buf *buf, const struct gcal_health_finding *f,
                        size_t resource)
{
    const char *name = gcal_health_resource_name(resource);

    gcal_buf_printf(buf, "%s%s", buf->size ? "; " : "", name);
    if (f->off)
        gcal_buf_printf(buf, " lost %.1f %% +- %.1f %%%s",
                        100 * expm1(f->loss - f->explained), 100 * f->error,
                        f->lasting ? " in the last five checks" : "");
    if (f->by_type)
        gcal_buf_printf(buf, "%s %.1f %% slower than the median of its type",
                        f->off ? "," : "", 100 * f->against_type);
}

/* The resources that are off, a clock's loss that is no warning, and where the reference puts it. */
static const char *describe(struct check *k, bool *any, bool *failed)
{
    const struct gcal_health_finding *clock = &k->found[GCAL_HEALTH_CLOCK];
    struct gcal_buf buf = { 0 };
    size_t n_known = 0, n_measured = 0;

    *any = *failed = false;
    for (size_t r = 0; r < GCAL_HEALTH_N; r++) {
        const struct gcal_health_finding *f = &k->found[r];

        n_measured += !isnan(k->measured.time_s[r]);
        n_known += !isnan(f->loss);
        if (f->off || f->by_type)
            put_finding(&buf, f, r);
        *any = *any || f->off || f->by_type;
        *failed = *failed || f->is_failure;
    }
    if (!*any && n_known)
        gcal_buf_printf(&buf, "%zu resources as in the checks before", n_known);
    else if (!*any)
        gcal_buf_printf(&buf,
                        "%zu resources measured, %zu of %d checks that a reference needs",
                        n_measured, k->n_past, GCAL_HEALTH_LEAST);
    if (!clock->off && clock->loss > 0.005)
        gcal_buf_printf(&buf, "; its clock is %.1f %% lower", 100 * clock->loss);
    for (size_t r = 0; r < GCAL_HEALTH_N; r++)
        if (k->slowest[r] <= SLOWEST && k->n_reference[r] >= 1 / SLOWEST)
            gcal_buf_printf(&buf, "; %s is of the slowest %.2g %% of %zu of its type",
                            gcal_health_resource_name(r), 100 * k->slowest[r],
                            k->n_reference[r]);
    return gcal_arena_take(k->arena, &buf);
}

static json_t *resources_json(const struct check *k)
{
    json_t *list = json_array();

    for (size_t r = 0; r < GCAL_HEALTH_N; r++) {
        const struct gcal_health_finding *f = &k->found[r];

        if (isnan(k->measured.time_s[r]))
            continue;
        json_array_append_new(
            list,
            json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:i, s:b, s:b, s:o, s:b, s:o, s:i}",
                      "resource", gcal_health_resource_word(r), "time_s",
                      gcal_json_number(k->measured.time_s[r]), "loss",
                      gcal_json_number(expm1(f->loss)), "by_clock",
                      gcal_json_number(expm1(f->explained)), "error",
                      gcal_json_number(f->error), "limit", gcal_json_number(f->limit),
                      "checks", (int)f->n, "lasting", (int)f->lasting, "lost",
                      (int)f->off, "against_type", gcal_json_number(f->against_type),
                      "slower_than_type", (int)f->by_type, "slowest_share",
                      gcal_json_number(k->slowest[r]), "reference_devices",
                      (int)k->n_reference[r]));
    }
    return list;
}

json_t *gcal_check_device(struct gcal_verdicts *node, const struct gcal_check_context *c,
                          const struct gcal_params_device *published,
                          const struct gcal_device_info *info)
{
    struct gcal_verdicts own = { .arena = node->arena, .node = node->node };
    struct check k = { .arena = node->arena,
                       .c = c,
                       .info = info,
                       .calibrated_utc = newest_calibration(published) };
    struct gcal_checks checks = { 0 };
    struct gcal_error why = { 0 };
    bool any = false, failed = false, is_measured, is_calibrated;

    gcal_health_begin(&k.measured);
    if (gcal_checks_read(k.arena, c->store, c->node, &checks, &why) < 0)
        remark(&k, why.text);
    else if (checks.n_left_out)
        remark(
            &k,
            gcal_arena_format(
                k.arena,
                "%zu checks before are damaged, or not signed by a key that is trusted",
                checks.n_left_out));
    is_calibrated = gcal_store_is_locked(c->store, c->node) == 1;
    is_measured = !is_calibrated && measure(&k, &checks, &why) == 0;
    place(&k);
    if (k.measured.in_use || is_calibrated)
        gcal_verdicts_add(&own, GCAL_VERDICT_UNKNOWN, "GPUCAL-IN-USE",
                          is_calibrated ? "not judged: the node is being calibrated"
                                        : "not judged: others use it");
    else if (!is_measured)
        gcal_verdicts_add(&own, GCAL_VERDICT_UNKNOWN, "GPUCAL-BLIND",
                          gcal_arena_format(k.arena, "not measured: %s", why.text));
    if (k.measured.wrong)
        gcal_verdicts_add(&own, GCAL_VERDICT_FAILURE, "GPUCAL-WRONG", k.measured.wrong);
    if (is_measured && !k.measured.wrong) {
        const char *what = describe(&k, &any, &failed);

        gcal_verdicts_add(&own,
                          failed ? GCAL_VERDICT_FAILURE
                          : any  ? GCAL_VERDICT_WARNING
                                 : GCAL_VERDICT_GOOD,
                          any ? "GPUCAL-SLOWER" : "", what);
        keep(&k);
    }
    if (own.verdict != GCAL_VERDICT_GOOD)
        gcal_verdicts_add(node, own.verdict, own.code,
                          gcal_arena_format(k.arena, "%s: %s", info->name, own.reason));
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:i, s:i, s:s?, s:o}", "uid",
                     info->uid, "name", info->name, "type", info->type, "status",
                     gcal_verdict_names[own.verdict], "code", own.code, "reason",
                     own.reason, "device_s", gcal_json_number(k.measured.busy_s),
                     "checks", (int)k.n_past, "devices_of_type", (int)k.n_others,
                     "remark", k.remark, "resources", resources_json(&k));
}

static const char *text_of(const json_t *check, const char *key)
{
    return json_string_value(json_object_get(check, key));
}

void gcal_check_print(const json_t *check)
{
    const char *remark = text_of(check, "remark");

    printf("  %s (%s): %s: %s; %.1f s of the device%s%s\n", text_of(check, "name"),
           text_of(check, "uid"), text_of(check, "status"), text_of(check, "reason"),
           json_real_value(json_object_get(check, "device_s")), remark ? "; " : "",
           remark ? remark : "");
}
