/* plan.c - the copies of a step: options --copy-in and --copy-out, and the buffers of a kernel */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/base/log.h"
#include "kernels/model/dtype.h"
#include "kernels/model/expr.h"
#include "kernels/model/profile.h"
#include "kernels/count/signature.h"
#include "kernels/generate/generate.h"
#include "mpi/commands/count/options.h"
#include "mpi/commands/predict/step/private.h"
#include "store/params/params.h"

#define AUTO "auto"

/* ---- options ---- */

enum { COPY_IN = 256, COPY_OUT };

static const struct argp_option options[] = {
    { "copy-in", COPY_IN, "BYTES[:MEMORY]", 0,
      "Predict a step: copies to the device before the kernel.  BYTES: an expression in "
      "the "
      "sizes (4*n), or auto: the buffers that the kernel reads.  MEMORY, of the host: "
      "pageable (default), pinned or mapped.  May be repeated, for a copy each",
      4 },
    { "copy-out", COPY_OUT, "BYTES[:MEMORY]", 0,
      "The same from the device after the kernel; auto: the buffers that it writes", 4 },
    { 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct gcal_step_options *o = state->input;

    switch (key) {
    case COPY_IN:
        gcal_option_list_add(&o->in, arg);
        break;
    case COPY_OUT:
        gcal_option_list_add(&o->out, arg);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

const struct argp gcal_step_options_argp = { .options = options, .parser = parse };

bool gcal_step_options_given(const struct gcal_step_options *o)
{
    return o->in.n || o->out.n;
}

/* ---- one copy ---- */

struct copy_option {
    const char *name, *text; /* "--copy-in", "4*n:pinned" */
    enum gcal_feature_copy_direction way;
    enum gcal_feature_host_memory host;
};

GCAL_ARENA_DESTROYER(destroy_expr, gcal_expr_destroy)

/* 'bytes': an expression in the profile's sizes; 'buffer' may be NULL. */
static int add(struct gcal_step_plan *plan, const struct copy_option *o,
               const struct gcal_profile *profile, const char *bytes, const char *buffer,
               struct gcal_error *err)
{
    struct gcal_expr *expr = gcal_expr_parse_in(
        bytes, profile->n_parameters, (const char *const *)profile->parameters, err);

    if (!gcal_arena_own(plan->arena, expr, destroy_expr))
        return gcal_error_prefix(err, "%s %s", o->name, o->text);
    plan->copies = gcal_arena_grow(plan->arena, plan->copies, plan->n, &plan->capacity,
                                   sizeof(*plan->copies));
    plan->copies[plan->n++] = (struct gcal_step_planned){
        .way = o->way,
        .host = o->host,
        .bytes = expr,
        .buffer = buffer ? gcal_arena_strdup(plan->arena, buffer) : NULL,
    };
    return 0;
}

static int read_memory(const char *text, struct copy_option *o, struct gcal_error *err)
{
    for (int i = GCAL_FEATURE_PAGEABLE; i <= GCAL_FEATURE_MAPPED; i++)
        if (strcmp(text, gcal_feature_host_memory_names[i]) == 0) {
            o->host = (enum gcal_feature_host_memory)i;
            return 0;
        }
    return gcal_error_set(err, GCAL_EINPUT,
                          "%s %s: expected pageable, pinned or mapped after ':', found "
                          "'%s'",
                          o->name, o->text, text);
}

/* ---- the buffers of a kernel ---- */

static bool is_copied(const struct gcal_count_signature_arg *arg,
                      const struct copy_option *o)
{
    return (arg->kind == GCAL_COUNT_SIGNATURE_BUFFER ||
            arg->kind == GCAL_COUNT_SIGNATURE_IMAGE) &&
           (o->way == GCAL_FEATURE_TO_DEVICE ? arg->read : arg->written);
}

/* Buffers whose extents follow from accesses. */
static int add_accessed(struct gcal_step_plan *plan, const struct copy_option *o,
                        const struct gcal_profile *profile,
                        const struct gcal_count_signature *signature,
                        struct gcal_error *err)
{
    for (size_t i = 0; i < signature->n_args; i++) {
        const struct gcal_count_signature_arg *arg = &signature->args[i];

        if (!is_copied(arg, o))
            continue;
        if (!arg->elements)
            return gcal_error_set(
                err, GCAL_EINPUT,
                "%s %s: %s: the extent of buffer '%s' is unknown: give its "
                "bytes (%s BYTES)",
                o->name, o->text, arg->unknown ? arg->unknown : "it", arg->name, o->name);
        if (add(plan, o, profile,
                gcal_arena_format(plan->arena, "%zu*(%s)", gcal_dtype_size(arg->dtype),
                                  arg->elements),
                arg->name, err) < 0)
            return -1;
    }
    return 0;
}

static int add_catalogue(struct gcal_step_plan *plan, const struct copy_option *o,
                         const struct gcal_step_source *source, struct gcal_error *err)
{
    const struct gcal_count_request request = gcal_kernel_request(source->kernel);
    struct gcal_count_signature signature = { 0 };
    int rc = gcal_count_signature_read(&request, &signature, err);

    if (rc == 0) {
        const struct gcal_kernel *k = source->kernel;
        struct gcal_geometry geometry = { 0 };

        /* Buffers whose elements the catalogue gives, at the kernel's sizes. */
        rc = gcal_kernel_geometry(k, k->n_sizes, k->sizes, &geometry, err);
        for (size_t i = 0; i < k->n_args && i < signature.n_args && rc == 0; i++)
            if (is_copied(&signature.args[i], o))
                rc = add(plan, o, source->profile,
                         gcal_arena_format(plan->arena, "%zu*%.17g",
                                           gcal_dtype_size(k->args[i].dtype),
                                           geometry.arg_values[i]),
                         k->args[i].name, err);
        gcal_kernel_geometry_clear(&geometry);
    }
    gcal_count_signature_clear(&signature);
    return rc;
}

static int add_file(struct gcal_step_plan *plan, const struct copy_option *o,
                    const struct gcal_step_source *source, struct gcal_error *err)
{
    struct gcal_count_request request = { 0 };
    struct gcal_count_signature signature = { 0 };
    int rc = gcal_count_options_request(source->count, &request, err);

    if (rc == 0)
        rc = gcal_count_signature_read(&request, &signature, err);
    if (rc == 0)
        rc = add_accessed(plan, o, source->profile, &signature, err);
    gcal_count_signature_clear(&signature);
    free((char *)request.source);
    return rc;
}

static int add_buffers(struct gcal_step_plan *plan, const struct copy_option *o,
                       const struct gcal_step_source *source, struct gcal_error *err)
{
    size_t before = plan->n;
    int rc;

    if (!source->kernel && !source->count->file)
        return gcal_error_set(err, GCAL_EINPUT,
                              "%s %s: a profile does not have the buffers of its kernel: "
                              "give their bytes, as an expression in its sizes",
                              o->name, o->text);
    rc = source->kernel ? add_catalogue(plan, o, source, err)
                        : add_file(plan, o, source, err);
    if (rc == 0 && plan->n == before)
        return gcal_error_set(err, GCAL_EINPUT, "%s %s: the kernel %s no buffer", o->name,
                              o->text,
                              o->way == GCAL_FEATURE_TO_DEVICE ? "reads" : "writes");
    return rc;
}

/* ---- the plan ---- */

static int add_option(struct gcal_step_plan *plan, const char *text,
                      enum gcal_feature_copy_direction way,
                      const struct gcal_step_source *source, struct gcal_error *err)
{
    struct copy_option o = { .name = way == GCAL_FEATURE_TO_DEVICE ? "--copy-in"
                                                                   : "--copy-out",
                             .text = text,
                             .way = way,
                             .host = GCAL_FEATURE_PAGEABLE };
    char *bytes = gcal_arena_strdup(plan->arena, text), *colon = strrchr(bytes, ':');

    if (colon) {
        *colon = '\0';
        if (read_memory(colon + 1, &o, err) < 0)
            return -1;
    }
    return strcmp(bytes, AUTO) == 0 ? add_buffers(plan, &o, source, err)
                                    : add(plan, &o, source->profile, bytes, NULL, err);
}

GCAL_ARENA_DESTROYER(destroy_transfers, gcal_transfers_destroy)

struct gcal_step_plan *gcal_step_plan_create(struct gcal_arena *arena,
                                             const struct gcal_step_options *o,
                                             const struct gcal_step_source *source,
                                             const struct gcal_params_device *device,
                                             struct gcal_error *err)
{
    struct gcal_step_plan *plan = gcal_arena_alloc(arena, 1, sizeof(*plan));
    const struct gcal_params_model *copies = gcal_transfers_find(device);
    char why[GCAL_PARAMS_WHY_SIZE];

    /* No other model predicts copies. */
    if (copies && gcal_params_model_is_poor(copies, why))
        gcal_log(GCAL_LOG_WARN, "model %s is poor: %s", copies->name, why);
    plan->arena = arena;
    plan->transfers =
        gcal_arena_own(arena, gcal_transfers_create(device, err), destroy_transfers);
    if (!plan->transfers)
        return NULL;
    for (size_t i = 0; i < o->in.n; i++)
        if (add_option(plan, o->in.items[i], GCAL_FEATURE_TO_DEVICE, source, err) < 0)
            return NULL;
    for (size_t i = 0; i < o->out.n; i++)
        if (add_option(plan, o->out.items[i], GCAL_FEATURE_FROM_DEVICE, source, err) < 0)
            return NULL;
    return plan;
}

/* The copies at 'sizes'; NULL with 'err' if one of them has no bytes. */
static struct gcal_transfers_copy *eval_copies(struct gcal_arena *arena,
                                               const struct gcal_step_plan *plan,
                                               const double *sizes,
                                               struct gcal_error *err)
{
    struct gcal_transfers_copy *copies =
        gcal_arena_alloc(arena, plan->n, sizeof(*copies));

    for (size_t i = 0; i < plan->n; i++) {
        const struct gcal_step_planned *c = &plan->copies[i];
        double bytes = gcal_expr_eval(c->bytes, sizes);

        copies[i] = (struct gcal_transfers_copy){ c->way, c->host, bytes, 1 };
        if (isfinite(bytes) && bytes > 0)
            continue;
        gcal_error_set(err, GCAL_EINPUT, "%s: a copy of %g bytes: must be above 0",
                       c->way == GCAL_FEATURE_TO_DEVICE ? "--copy-in" : "--copy-out",
                       bytes);
        return NULL;
    }
    return copies;
}

int gcal_step_plan_eval(const struct gcal_step_plan *plan, const double *sizes,
                        const struct gcal_prediction *kernel, struct gcal_step *step,
                        struct gcal_error *err)
{
    return gcal_step_plan_eval_in(plan, GCAL_FEATURE_HOST_ANY, sizes, kernel, step, err);
}

int gcal_step_plan_eval_in(const struct gcal_step_plan *plan,
                           enum gcal_feature_host_memory host, const double *sizes,
                           const struct gcal_prediction *kernel, struct gcal_step *step,
                           struct gcal_error *err)
{
    struct gcal_arena *arena = gcal_arena_create();
    struct gcal_transfers_copy *copies = eval_copies(arena, plan, sizes, err);
    int rc = -1;

    for (size_t i = 0; i < plan->n && copies && host != GCAL_FEATURE_HOST_ANY; i++)
        copies[i].host = host;
    if (copies)
        rc = gcal_step_predict(plan->transfers, kernel, plan->n, copies, step, err);
    gcal_arena_destroy(arena);
    return rc;
}

/* ---- parts ---- */

size_t gcal_step_plan_count(const struct gcal_step_plan *plan)
{
    return plan->n;
}

const struct gcal_transfers *gcal_step_plan_transfers(const struct gcal_step_plan *plan)
{
    return plan->transfers;
}

int gcal_step_plan_copy(const struct gcal_step_plan *plan, size_t i, const double *sizes,
                        struct gcal_step_copy *copy, struct gcal_error *err)
{
    const struct gcal_step_planned *planned = &plan->copies[i];
    struct gcal_arena *arena = gcal_arena_create();
    struct gcal_transfers_copy *copies = eval_copies(arena, plan, sizes, err);
    struct gcal_transfers_rate rate;
    struct gcal_prediction p;
    int rc = -1;

    if (copies && gcal_transfers_eval(plan->transfers, &copies[i], &p, err) == 0 &&
        gcal_transfers_rate(plan->transfers, planned->way, planned->host, &rate, err) ==
            0) {
        *copy = (struct gcal_step_copy){
            .buffer = planned->buffer,
            .way = planned->way,
            .host = planned->host,
            .bytes = copies[i].bytes,
            .time_s = p.time_s,
            .low_s = p.low_s,
            .high_s = p.high_s,
            .start_s = fmin(rate.start_s, p.time_s),
            .extrapolates = p.extrapolates,
        };
        rc = 0;
    }
    gcal_arena_destroy(arena);
    return rc;
}
