/* report.c - what learning prints: the plan, the results, the next command */
#include <stdio.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/model/profile.h"
#include "mpi/cli/escape.h"
#include "mpi/cli/json.h"
#include "mpi/commands/learn/private.h"
#include "store/learned/learned.h"

void gcal_learn_print_plan(const struct gcal_learning *l)
{
    if (l->c->quiet)
        return;
    printf("kernel '%s' on %s\n", l->own.signature.kernel, l->info->name);
    for (size_t i = 0; i < l->own.signature.n_args; i++) {
        const struct gcal_count_signature_arg *arg = &l->own.signature.args[i];

        if (arg->kind == GCAL_COUNT_SIGNATURE_STRUCT)
            printf("  %s: %s bytes\n", arg->name, l->own.args[i].value);
        else if (arg->dtype && arg->kind != GCAL_COUNT_SIGNATURE_SCALAR)
            printf("  %s: %s elements of %s%s\n", arg->name, l->own.args[i].value,
                   arg->dtype, arg->written ? ", written" : "");
    }
    for (size_t i = 0; i < l->own.defaults.n; i++)
        printf("  %s\n", l->own.defaults.items[i]);
    if (l->trial.checked)
        printf("results: two runs agree, and so does %s\n", l->trial.how);
    else
        printf("results: two runs agree; not compared otherwise: %s\n", l->trial.how);
    printf("measured at:\n");
    for (size_t i = 0; i < l->own.n_sizes; i++) {
        printf("  %s =", l->own.sizes[i].name);
        for (size_t k = 0; k < l->points.n; k++)
            printf(" %.0f", l->points.values[k * l->points.n_sizes + i]);
        printf("\n");
    }
    fflush(stdout);
}

static void put_option(struct gcal_buf *line, const char *name, const char *value)
{
    if (!value)
        return;
    gcal_buf_printf(line, " --%s ", name);
    gcal_escape_shell(line, value);
}

/* The command that predicts the kernel at the last point. */
static void print_prediction_command(const struct gcal_learning *l)
{
    const struct gcal_count_options *o = &l->c->count;
    const double *sizes = l->points.values + (l->points.n - 1) * l->points.n_sizes;
    const struct gcal_count_signature *s = &l->own.signature;
    struct gcal_buf line = { 0 };

    gcal_buf_puts(&line, "predict it: gpucal predict ");
    gcal_escape_shell(&line, o->file);
    gcal_buf_printf(&line, " --kernel %s", s->kernel);
    for (size_t d = 0; d < s->n_dims; d++)
        gcal_buf_printf(&line, "%s%zu", d ? "," : " --local ", s->local_size[d]);
    for (size_t d = 0; d < s->n_dims; d++) {
        gcal_buf_puts(&line, d ? "," : " --global ");
        gcal_escape_shell(&line, o->global[d]);
    }
    gcal_buf_puts(&line, o->source_options ? o->source_options : "");
    for (size_t i = 0; i < l->own.profile->n_parameters; i++) {
        const char *name = l->own.profile->parameters[i];

        gcal_buf_printf(&line, "%s%s=%.0f", i ? "," : " --at ", name,
                        sizes[gcal_own_sizes_find(&l->own, name, strlen(name))]);
    }
    put_option(&line, "device", l->c->device);
    put_option(&line, "store", l->c->store);
    if (!line.failed)
        puts(line.data);
    gcal_buf_free(&line);
}

/* {"dram": {"value": 1.08, "standard_error": 0.05}, ..} */
static json_t *list_corrections(const struct gcal_params_model *m)
{
    json_t *all = json_object();

    for (size_t i = 0; i < m->n_parameters; i++)
        if (m->standard_error[i] > 0)
            json_object_set_new(all, m->parameter[i] + strlen(GCAL_LEARNED_PREFIX),
                                json_pack("{s:f, s:f}", "value", m->value[i],
                                          "standard_error", m->standard_error[i]));
    return all;
}

/* {"n": 1024, "m": 64} of "n=1024,m=64" */
static json_t *sizes_json(const char *sizes)
{
    json_t *point = json_object();

    while (*sizes) {
        size_t name = strcspn(sizes, "="), end = strcspn(sizes, ",");

        json_object_setn_new(point, sizes, name,
                             json_real(strtod(sizes + name + 1, NULL)));
        sizes += end + (sizes[end] == ',');
    }
    return point;
}

static json_t *learned_json(const struct gcal_learned *d, double took_s)
{
    json_t *sizes = json_array();

    for (size_t i = 0; i < d->n; i++)
        json_array_append_new(sizes, sizes_json(d->kept[i].sizes));
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:b, s:f, s:o}", "model", d->name, "kernel",
        d->times[0].profile->kernel, "device", d->device->info.name, "uid",
        d->device->info.uid, "general_mean_error", gcal_json_number(d->general_error),
        "held_out_mean_error", gcal_json_number(d->held_out_error), "corrections",
        list_corrections(&d->model), "published", true, "took_s", took_s, "sizes", sizes);
}

/* "  dram        1.08 +- 0.05" */
static void print_corrections(const struct gcal_params_model *m)
{
    printf("\nlimits of the general model are multiplied by:\n");
    for (size_t i = 0; i < m->n_parameters; i++)
        if (m->standard_error[i] > 0)
            printf("  %-12s %5.3f +- %.3f\n",
                   m->parameter[i] + strlen(GCAL_LEARNED_PREFIX), m->value[i],
                   m->standard_error[i]);
}

void gcal_learn_print_kernels(const struct gcal_learn_command *c,
                              const struct gcal_learned *kernels, size_t n, double took_s)
{
    json_t *list = json_array();

    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, learned_json(&kernels[i], took_s));
    if (c->json)
        gcal_json_print(n > 1 ? list : json_array_get(list, 0), "learn");
    for (size_t i = 0; i < n && !c->json; i++) {
        if (!c->quiet && n == 1)
            print_corrections(&kernels[i].model);
        printf("gpucal: learned '%s' from %zu time%s: %.1f %% mean error at sizes that "
               "were held out (general model: %.1f %%)\n",
               kernels[i].name, kernels[i].n, kernels[i].n > 1 ? "s" : "",
               100 * kernels[i].held_out_error, 100 * kernels[i].general_error);
    }
    json_decref(list);
}

void gcal_learn_print_end(const struct gcal_learning *l, double took_s)
{
    const struct gcal_learned *learned = &l->learned;

    if (l->c->json) {
        gcal_learn_print_kernels(l->c, learned, 1, took_s);
        return;
    }
    if (!l->c->quiet)
        print_corrections(&learned->model);
    printf(
        "gpucal: learned '%s' in %.1f s: %.1f %% mean error at sizes that were held out "
        "(general model: %.1f %%); published\n",
        l->own.model, took_s, 100 * learned->held_out_error,
        100 * learned->general_error);
    print_prediction_command(l);
}
