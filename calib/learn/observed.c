/* observed.c - from observed times to the models of their kernels */
#include "calib/learn/observed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/log.h"
#include "kernels/base/median.h"
#include "kernels/base/yaml.h"
#include "kernels/model/profile.h"
#include "calib/learn/kernel.h"
#include "store/files/store.h"
#include "store/learned/learned.h"
#include "store/observed/observed.h"
#include "store/predict/predictor.h"

GCAL_ARENA_DESTROYER(clear_params, gcal_params_clear)
GCAL_ARENA_DESTROYER(clear_set, gcal_profile_set_clear)

/* Times at the same sizes from which on their median is good. */
#define LEAST_TIMES 3
#define FEW_SPREAD  0.2
/* What a median of launches is off by at least, relative. */
#define LEAST_SPREAD 0.01
/* Of log(observed / predicted). */
#define NEAR_INTERVALS 2
#define NEAR_RELATIVE  0.1
/* Lines of a kernel on a device that stay. */
#define MOST_LEFT 64

struct line {
    const char *text; /* as in the file */
    const char *fingerprint, *node, *uid, *sizes, *utc;
    double time_s;
};

struct profile_line {
    const char *text, *fingerprint, *kernel, *escaped;
};

struct merging {
    struct gcal_arena *arena;
    struct gcal_store *store;
    const struct gcal_learn_run *run;
    bool dry_run;
    struct gcal_observed *result;
    size_t n_lines, lines_capacity, n_profiles, profiles_capacity;
    struct line *lines;
    struct profile_line *profiles; /* the newest of a kernel is the last */
    size_t n_nodes, nodes_capacity;
    struct gcal_params **nodes; /* loaded; without devices: there is none */
    struct gcal_buf left;       /* lines that stay */
    struct gcal_learned_spreads
        spreads; /* of the general model with this configuration */
    const char *configuration;
};

/* ---- lines ---- */

enum { MOST_FIELDS = 9 };

/* Splits a copy of the line; 0: it has too many fields. */
static size_t split(struct gcal_arena *arena, const char *line, const char **fields)
{
    char *at = gcal_arena_strdup(arena, line);
    size_t n = 0;

    while (at && n < MOST_FIELDS) {
        char *end = strchr(at, '\t');

        fields[n++] = at;
        if (end)
            *end++ = '\0';
        at = end;
    }
    return at ? 0 : n;
}

static bool take_line(struct merging *m, const char *text, const char **f, size_t n)
{
    struct line line = { .text = text };
    char *end;

    if (n >= 4 && n <= 5 && strcmp(f[0], "profile") == 0) {
        m->profiles = gcal_arena_grow(m->arena, m->profiles, m->n_profiles,
                                      &m->profiles_capacity, sizeof(*m->profiles));
        m->profiles[m->n_profiles++] = (struct profile_line){ text, f[1], f[2], f[3] };
        return true;
    }
    if (n < 8 || strcmp(f[n - 1], "cut") == 0 || strcmp(f[0], "time") != 0)
        return false;
    line.fingerprint = f[1];
    line.node = f[2];
    line.uid = f[3];
    line.sizes = strcmp(f[4], "-") == 0 ? "" : f[4];
    line.time_s = strtod(f[5], &end);
    line.utc = f[6];
    if (!*f[5] || *end || !(line.time_s > 0) || !isfinite(line.time_s) ||
        strpbrk(line.sizes, " \n") || strpbrk(line.utc, " "))
        return false;
    m->lines = gcal_arena_grow(m->arena, m->lines, m->n_lines, &m->lines_capacity,
                               sizeof(*m->lines));
    m->lines[m->n_lines++] = line;
    return true;
}

/* Lines are cut by a crash, and full of zeros after a loss of power. */
static void read_file(struct merging *m, const struct gcal_observed_file *file)
{
    const char *fields[MOST_FIELDS], *at = file->text, *end = at + file->size;

    for (bool is_first = true; at < end; is_first = false) {
        size_t length = strcspn(at, "\n"), n;
        char *text = gcal_arena_format(m->arena, "%.*s", (int)length, at);

        if (at + length >= end || at[length] != '\n') {
            m->result->n_damaged++;
            at = memchr(at + length, '\n', (size_t)(end - at) - length);
            at = at ? at + 1 : end;
            continue;
        }
        at += length + 1;
        if (strcmp(text, is_first ? GCAL_OBSERVED_HEADER : GCAL_OBSERVED_TAKEN) == 0 ||
            strcmp(text, GCAL_OBSERVED_TAKEN) == 0)
            continue;
        if (is_first || !(n = split(m->arena, text, fields))) {
            m->result->n_damaged++;
            if (is_first)
                return;
            continue;
        }
        if (!gcal_observed_is_signed(m->store, text))
            m->result->n_unsigned++;
        else if (!take_line(m, text, fields, n))
            m->result->n_damaged++;
    }
}

static int compare_lines(const void *a, const void *b)
{
    const struct line *p = a, *q = b;
    int order = strcmp(p->fingerprint, q->fingerprint);

    order = order ? order : strcmp(p->node, q->node);
    order = order ? order : strcmp(p->uid, q->uid);
    order = order ? order : strcmp(p->sizes, q->sizes);
    order = order ? order : strcmp(p->utc, q->utc);
    return order ? order : strcmp(p->text, q->text);
}

static void sort_lines(struct merging *m)
{
    size_t n = 0;

    if (m->n_lines)
        qsort(m->lines, m->n_lines, sizeof(*m->lines), compare_lines);
    /* What was left of a publication that a crash ended is there twice. */
    for (size_t i = 0; i < m->n_lines; i++)
        if (!n || strcmp(m->lines[n - 1].text, m->lines[i].text) != 0)
            m->lines[n++] = m->lines[i];
    m->n_lines = n;
}

/* ---- devices ---- */

static struct gcal_params_device *find_device(struct merging *m, const char *node,
                                              const char *uid)
{
    struct gcal_params *params = NULL;

    for (size_t i = 0; i < m->n_nodes && !params; i++)
        if (strcmp(m->nodes[i]->node, node) == 0)
            params = m->nodes[i];
    if (!params) {
        params = gcal_arena_alloc(m->arena, 1, sizeof(*params));
        if (gcal_store_load(m->store, node, NULL, params, NULL) == 0)
            gcal_arena_own(m->arena, params, clear_params);
        else
            *params = (struct gcal_params){ .node = gcal_arena_strdup(m->arena, node) };
        m->nodes = gcal_arena_grow(m->arena, m->nodes, m->n_nodes, &m->nodes_capacity,
                                   sizeof(*m->nodes));
        m->nodes[m->n_nodes++] = params;
    }
    return (struct gcal_params_device *)gcal_params_find_uid(params, uid);
}

/* ---- a kernel ---- */

/* One kernel's times on one device. */
struct group {
    struct gcal_observed_kernel *of;
    struct gcal_params_device *device; /* NULL: none that could be learned on */
    char *name;                        /* "NODE/UID" */
    const struct gcal_params_model *general;
    const struct line *lines;
    size_t n_lines, n;
    struct gcal_params_time *times; /* medians, over the device's factor */
};

struct kernel {
    struct merging *m;
    const struct profile_line *line;
    struct gcal_profile_set *set;
    struct gcal_params *known;
    const struct gcal_params_device *device; /* that is counted for */
};

/* Sizes in the order of the profile. */
static int read_sizes(const struct gcal_profile *profile, const char *text, double *sizes,
                      struct gcal_error *err)
{
    size_t n_given = *text != '\0';

    for (const char *c = text; *c; c++)
        n_given += *c == ',';
    for (size_t i = 0; i < profile->n_parameters; i++) {
        size_t length = strlen(profile->parameters[i]);
        const char *at = text;
        char *end;

        while (at &&
               (strncmp(at, profile->parameters[i], length) != 0 || at[length] != '='))
            at = (at = strchr(at, ',')) ? at + 1 : NULL;
        sizes[i] = at ? strtod(at + length + 1, &end) : NAN;
        if (!at || n_given != profile->n_parameters || (*end && *end != ',') ||
            !(sizes[i] >= 0))
            return gcal_error_set(err, GCAL_EINPUT,
                                  "kernel %.60s: sizes '%.100s' are not those of its "
                                  "profile",
                                  profile->kernel, text);
    }
    return 0;
}

static int count_kernel(void *context, const char *text, struct gcal_kernel_time *time,
                        struct gcal_error *err)
{
    const struct kernel *k = context;
    struct gcal_arena *arena = k->m->arena;
    double *sizes;

    time->profile =
        gcal_profile_set_find(k->set, (double)k->device->info.sub_group_size, err);
    if (!time->profile)
        return -1;
    time->sizes = sizes =
        gcal_arena_alloc(arena, time->profile->n_parameters, sizeof(*sizes));
    return read_sizes(time->profile, text, sizes, err);
}

static int decode_profile(struct kernel *k, struct gcal_error *err)
{
    struct gcal_arena *arena = k->m->arena;
    char *text = gcal_arena_strdup(arena, k->line->escaped), *to = text;
    struct gcal_yaml *root;
    int rc;

    for (const char *at = k->line->escaped; *at; at++)
        if (*at == '\\' && at[1]) {
            at++;
            *to++ = *at == 'n' ? '\n' : *at == 't' ? '\t' : *at;
        } else {
            *to++ = *at;
        }
    *to = '\0';
    k->set =
        gcal_arena_own(arena, gcal_arena_alloc(arena, 1, sizeof(*k->set)), clear_set);
    if (!(root = gcal_yaml_parse(text, (size_t)(to - text), k->line->kernel, err)))
        return -1;
    rc = gcal_profile_set_decode(root, k->set, err);
    gcal_yaml_destroy(root);
    if (rc == 0 && strcmp(gcal_profile_identity(k->set->profiles[0])
                              ? gcal_profile_identity(k->set->profiles[0])
                              : "",
                          k->line->fingerprint) != 0)
        return gcal_error_set(err, GCAL_EINPUT, "its profile is another kernel's");
    return rc;
}

/* Times at the same sizes as one. */
static void find_medians(struct merging *m, struct group *g)
{
    double *values = gcal_arena_alloc(m->arena, g->n_lines, sizeof(*values));

    g->times = gcal_arena_alloc(m->arena, g->n_lines, sizeof(*g->times));
    for (size_t i = 0, next; i < g->n_lines; i = next) {
        struct gcal_params_time *t = &g->times[g->n++];
        double deviation;

        for (next = i;
             next < g->n_lines && strcmp(g->lines[next].sizes, g->lines[i].sizes) == 0;
             next++)
            values[next - i] = g->lines[next].time_s / g->general->factor;
        *t = (struct gcal_params_time){ .sizes = (char *)g->lines[i].sizes,
                                        .time_s = gcal_median(values, next - i),
                                        .measured_utc = (char *)g->lines[next - 1].utc,
                                        .device = g->name };
        for (size_t k = i; k < next; k++)
            values[k - i] = fabs(values[k - i] / t->time_s - 1);
        deviation = 1.4826 * gcal_median(values, next - i);
        t->spread =
            next - i < LEAST_TIMES
                ? FEW_SPREAD
                : fmax(LEAST_SPREAD, 1.2533 * deviation / sqrt((double)(next - i)));
    }
}

/* On the device, or on an unknown one. */
static const struct gcal_params_time *find_time(const struct gcal_params_model *own,
                                                const struct gcal_params_time *time)
{
    for (size_t i = 0; own && i < own->n_times; i++)
        if (strcmp(own->times[i].sizes, time->sizes) == 0 &&
            (!own->times[i].device || strcmp(own->times[i].device, time->device) == 0))
            return &own->times[i];
    return NULL;
}

/* What was expected at the sizes of a time, over the device's factor, and half of its 90 % interval,
 * as a logarithm: by the time that is known there, else by the kernel's model.
 */
static int expect_time(struct kernel *k, const struct group *g,
                       const struct gcal_predictor *predictor,
                       const struct gcal_params_time *t,
                       const struct gcal_params_model *own, double *time_s, double *width,
                       struct gcal_error *err)
{
    const struct gcal_params_time *known = find_time(own, t);
    struct gcal_prediction prediction;
    struct gcal_kernel_time time;

    if (known) {
        *time_s = known->time_s;
        *width = GCAL_PARAMS_NORMAL_90 * hypot(known->spread, t->spread);
        return 0;
    }
    if (count_kernel(k, t->sizes, &time, err) < 0 ||
        gcal_predictor_eval(predictor, time.sizes, &prediction, NULL, err) < 0)
        return -1;
    *time_s = prediction.time_s / g->general->factor;
    *width = log(prediction.high_s / prediction.low_s) / 2;
    return 0;
}

/* How far the medians are from what was learned on devices of the type. */
static int find_ratio(struct kernel *k, struct group *g, struct gcal_error *err)
{
    const struct gcal_params_model *own =
        gcal_learned_find(k->known, g->device, g->general);
    struct gcal_predictor *p = NULL;
    struct gcal_kernel_time time;
    double *logs, *widths, log_ratio;
    int rc;

    if (!own)
        return 0;
    logs = gcal_arena_alloc(k->m->arena, g->n, sizeof(*logs));
    widths = gcal_arena_alloc(k->m->arena, g->n, sizeof(*widths));
    k->device = g->device;
    if ((rc = count_kernel(k, g->times[0].sizes, &time, err)) == 0)
        rc = gcal_learned_add(k->m->store, g->of->node, time.profile, g->device, err);
    g->general = gcal_learn_general(g->device); /* which the addition may have moved */
    if (rc >= 0 && !(p = gcal_predictor_create(g->device, NULL, time.profile, err)))
        rc = -1;
    for (size_t i = 0; i < g->n && rc >= 0; i++) {
        rc = expect_time(k, g, p, &g->times[i], own, &logs[i], &widths[i], err);
        logs[i] = log(g->times[i].time_s / logs[i]);
    }
    gcal_predictor_destroy(p);
    if (rc < 0)
        return -1;
    log_ratio = gcal_median(logs, g->n);
    g->of->ratio = exp(log_ratio);
    g->of->drifts = g->of->n_times >= LEAST_TIMES &&
                    fabs(log_ratio) > fmax(NEAR_INTERVALS * gcal_median(widths, g->n),
                                           log(1 + NEAR_RELATIVE));
    return 0;
}

static void judge(struct kernel *k, struct group *g)
{
    struct gcal_arena *arena = k->m->arena;
    struct gcal_error err = { 0 };

    if (!g->device)
        g->of->why = "the device is not in the file of its node";
    else if (!(g->general = gcal_learn_general(g->device)))
        g->of->why = "the device has no good general model: calibrate it";
    else {
        find_medians(k->m, g);
        g->of->n_sizes = g->n;
        if (find_ratio(k, g, &err) < 0)
            g->of->why = gcal_arena_strdup(arena, err.text);
        else if (g->of->drifts)
            g->of->why = "off what was learned there";
    }
}

/* Known times at the same sizes stay if they say more. */
static size_t choose_times(const struct kernel *k, const struct group *groups, size_t n,
                           const struct group *first, struct gcal_params_time *times)
{
    const struct gcal_params_model *own =
        gcal_learned_find(k->known, first->device, first->general);
    size_t n_times = 0;

    for (const struct group *g = first; g < groups + n; g++) {
        if (g->of->why || strcmp(g->of->type, first->of->type) != 0)
            continue;
        for (size_t i = 0; i < g->n; i++) {
            const struct gcal_params_time *known = find_time(own, &g->times[i]);

            if (!known || g->times[i].spread < known->spread)
                times[n_times++] = g->times[i];
        }
    }
    return n_times;
}

/* That of the kernel's file, else its own, which other kernels may have. */
static const char *name_model(const struct kernel *k, const struct group *g)
{
    const char *name = k->line->kernel;

    for (size_t i = 0; i < k->known->n_devices; i++)
        if (k->known->devices[i].n_models)
            return k->known->devices[i].models[0].name;
    return gcal_params_find_model(g->device, name)
               ? gcal_arena_format(k->m->arena, "%s-%.8s", name, k->line->fingerprint)
               : name;
}

/* Learns the times of all devices of one type. */
static int learn_type(struct kernel *k, const struct group *groups, size_t n,
                      const struct group *first, struct gcal_error *err)
{
    struct merging *m = k->m;
    struct gcal_learned d = { .arena = m->arena,
                              .store = m->store,
                              .device = first->device,
                              .general = first->general,
                              .name = name_model(k, first),
                              .count = count_kernel,
                              .context = k };
    const char *configuration =
        gcal_params_model_origin(first->device, first->general).configuration;
    struct gcal_params_time *times;
    size_t n_times = 0;
    int rc;

    for (const struct group *g = first; g < groups + n; g++)
        n_times += g->n;
    times = gcal_arena_alloc(m->arena, n_times, sizeof(*times));
    if (!(n_times = choose_times(k, groups, n, first, times)))
        return 0;
    configuration = configuration ? configuration : "";
    if (!m->configuration || strcmp(m->configuration, configuration) != 0)
        m->spreads = gcal_learned_estimate(m->store, d.device, d.general);
    m->configuration = configuration;
    d.spreads = m->spreads;
    k->device = first->device;
    gcal_learn_add_times(&d, n_times, times);
    if ((rc = gcal_learn_fit_kernel(&d, err)) == 0)
        rc = gcal_learn_publish_kernel(&d, m->run, err);
    gcal_params_clear(&d.known);
    m->result->n_learned += rc == 0;
    return rc;
}

static int compare_times(const void *a, const void *b)
{
    const struct line *const *p = a, *const *q = b;

    return strcmp((*q)->utc, (*p)->utc);
}

/* The newest. */
static void leave(struct kernel *k, const struct group *g, bool *has_profile)
{
    const struct line **newest =
        gcal_arena_alloc(k->m->arena, g->n_lines, sizeof(*newest));
    struct gcal_buf *left = &k->m->left;

    if (!left->size)
        gcal_buf_puts(left, GCAL_OBSERVED_HEADER "\n");
    if (!*has_profile)
        gcal_buf_printf(left, "%s\n", k->line->text);
    *has_profile = true;
    for (size_t i = 0; i < g->n_lines; i++)
        newest[i] = &g->lines[i];
    qsort(newest, g->n_lines, sizeof(*newest), compare_times);
    for (size_t i = 0; i < g->n_lines && i < MOST_LEFT; i++)
        gcal_buf_printf(left, "%s\n", newest[i]->text);
}

/* A kernel's lines, sorted by devices.  What cannot be learned stays, but if the store itself fails. */
static int merge_kernel(struct merging *m, const struct line *lines, size_t n_lines,
                        struct gcal_error *err)
{
    struct kernel k = { .m = m };
    struct group *groups = gcal_arena_alloc(m->arena, n_lines, sizeof(*groups));
    struct gcal_observed *result = m->result;
    struct gcal_error why = { 0 };
    bool has_profile = false;
    size_t n = 0, base = result->n;

    for (size_t i = 0; i < m->n_profiles; i++)
        if (strcmp(m->profiles[i].fingerprint, lines->fingerprint) == 0)
            k.line = &m->profiles[i];
    if (!k.line) {
        result->n_damaged += n_lines;
        return 0;
    }
    k.known = gcal_arena_alloc(m->arena, 1, sizeof(*k.known));
    gcal_arena_own(m->arena, k.known, clear_params);
    if (decode_profile(&k, &why) == 0)
        gcal_store_load_learned(m->store, lines->fingerprint, k.known, &why);
    for (size_t i = 0; i < n_lines; n++) {
        size_t next = i;

        while (next < n_lines && strcmp(lines[next].node, lines[i].node) == 0 &&
               strcmp(lines[next].uid, lines[i].uid) == 0)
            next++;
        groups[n] = (struct group){ .device = find_device(m, lines[i].node, lines[i].uid),
                                    .name = gcal_arena_format(
                                        m->arena, "%s/%s", lines[i].node, lines[i].uid),
                                    .lines = lines + i,
                                    .n_lines = next - i };
        result->kernels = gcal_arena_grow(m->arena, result->kernels, result->n,
                                          &result->capacity, sizeof(*result->kernels));
        result->kernels[result->n++] = (struct gcal_observed_kernel){
            .fingerprint = lines->fingerprint,
            .kernel = k.line->kernel,
            .node = lines[i].node,
            .uid = lines[i].uid,
            .device = groups[n].device ? groups[n].device->info.name : "",
            .type = groups[n].device ? groups[n].device->info.type : "",
            .n_times = next - i,
            .ratio = NAN,
            .why = *why.text ? gcal_arena_strdup(m->arena, why.text) : NULL
        };
        i = next;
    }
    for (size_t i = 0; i < n; i++) {
        groups[i].of = &result->kernels[base + i];
        if (!groups[i].of->why)
            judge(&k, &groups[i]);
    }
    for (size_t i = 0; i < n; i++) {
        bool is_first = !groups[i].of->why;

        for (size_t j = 0; j < i && is_first; j++)
            is_first =
                groups[j].of->why || strcmp(groups[j].of->type, groups[i].of->type) != 0;
        if (!is_first || m->dry_run) {
            m->result->n_learned += is_first;
            continue;
        }
        if (learn_type(&k, groups, n, &groups[i], &why) == 0)
            continue;
        if (why.code == GCAL_ESTORE) {
            *err = why;
            return -1;
        }
        for (size_t j = i; j < n; j++)
            if (!groups[j].of->why && strcmp(groups[j].of->type, groups[i].of->type) == 0)
                groups[j].of->why = gcal_arena_strdup(m->arena, why.text);
    }
    for (size_t i = 0; i < n; i++)
        if (groups[i].of->why)
            leave(&k, &groups[i], &has_profile);
    return 0;
}

/* Devices on which nothing is as it was learned. */
static void find_devices(struct gcal_observed *o)
{
    for (size_t i = 0; i < o->n; i++) {
        size_t n = 0, n_alike = 0;

        for (size_t k = 0; k < o->n; k++) {
            if (isnan(o->kernels[k].ratio) ||
                strcmp(o->kernels[k].node, o->kernels[i].node) != 0 ||
                strcmp(o->kernels[k].uid, o->kernels[i].uid) != 0)
                continue;
            n++;
            n_alike += o->kernels[k].drifts &&
                       (o->kernels[k].ratio > 1) == (o->kernels[i].ratio > 1);
        }
        o->kernels[i].all_drift = o->kernels[i].drifts && n > 1 && n_alike == n;
    }
}

int gcal_learn_observed(struct gcal_arena *arena, struct gcal_store *store,
                        const struct gcal_learn_run *run, bool dry_run,
                        struct gcal_observed *observed, struct gcal_error *err)
{
    struct merging m = {
        .arena = arena, .store = store, .run = run, .dry_run = dry_run, .result = observed
    };
    struct gcal_observed_files *files = gcal_arena_alloc(arena, 1, sizeof(*files));
    int rc = gcal_observed_read(store, !dry_run, files, err);

    *observed = (struct gcal_observed){ .n_files = files->n };
    if (rc == 0) {
        for (size_t i = 0; i < files->n; i++)
            read_file(&m, &files->items[i]);
        sort_lines(&m);
    }
    for (size_t i = 0, next; rc == 0 && i < m.n_lines; i = next) {
        for (next = i; next < m.n_lines &&
                       strcmp(m.lines[next].fingerprint, m.lines[i].fingerprint) == 0;
             next++)
            ;
        rc = merge_kernel(&m, m.lines + i, next - i, err);
    }
    find_devices(observed);
    if (rc == 0 && m.left.failed)
        rc = gcal_error_memory(err);
    if (rc == 0 && !dry_run)
        rc = gcal_observed_replace(store, files, m.left.data, err);
    gcal_buf_free(&m.left);
    gcal_observed_clear(files);
    return rc;
}

void gcal_learn_observed_too(struct gcal_store *store, const struct gcal_learn_run *run)
{
    struct gcal_arena *arena = gcal_arena_create();
    struct gcal_observed observed;
    struct gcal_error err;

    if (gcal_learn_observed(arena, store, run, false, &observed, &err) < 0)
        gcal_log(GCAL_LOG_WARN, "observed times are not learned: %s", err.text);
    else
        for (size_t i = 0; i < observed.n; i++)
            if (observed.kernels[i].drifts)
                gcal_log(GCAL_LOG_WARN,
                         "kernel %s on %s of %s takes %.2f times what was learned "
                         "('gpucal store merge --dry-run')",
                         observed.kernels[i].kernel, observed.kernels[i].device,
                         observed.kernels[i].node, observed.kernels[i].ratio);
    gcal_arena_destroy(arena);
}
