/* json.c - generators, kernels and results of 'gpucal kernels' as JSON */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/profile.h"
#include "mpi/commands/bench/bench.h"
#include "mpi/commands/bench/json.h"
#include "mpi/cli/json.h"
#include "mpi/commands/count/features.h"
#include "mpi/commands/count/sizes.h"

static json_t *texts_json(size_t n, char *const *texts)
{
    json_t *list = json_array();

    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, json_string(texts[i]));
    return list;
}

/* Takes 'value'. */
static void print(const char *key, json_t *value)
{
    json_t *all = json_pack("{s:o}", key, value);

    gcal_json_print(all, "kernels");
    json_decref(all);
}

void gcal_bench_print_generators_json(const struct gcal_catalogue *catalogue)
{
    json_t *list = json_array();

    for (size_t i = 0; i < gcal_catalogue_size(catalogue); i++) {
        struct gcal_generator_view view = gcal_catalogue_view(catalogue, i);

        json_array_append_new(list, json_pack("{s:s, s:s?, s:o, s:b}", "generator",
                                              view.name, "origin", view.origin, "tags",
                                              texts_json(view.n_tags, view.tags),
                                              "automatic", (int)view.automatic));
    }
    print("generators", list);
}

/* The features with their values at the kernel's sizes. */
static int add_counts(json_t *all, const struct gcal_kernel *k, size_t sub_group,
                      struct gcal_error *err)
{
    size_t n = k->profile->n_parameters;
    double *sizes = calloc(n + 1, sizeof(*sizes));
    struct gcal_count_points point = { .n = 1, .n_sizes = n, .values = sizes };
    json_t *counts = NULL;

    if (!sizes)
        return gcal_error_memory(err);
    if (gcal_count_sizes_of_kernel(k, n, (const char *const *)k->profile->parameters,
                                   sizes, err) == 0 &&
        (counts = gcal_count_features_json(k->profile, (double)sub_group, &point, err)))
        json_object_set(all, "features",
                        json_object_get(json_array_get(counts, 0), "features"));
    free(sizes);
    json_decref(counts);
    return counts ? 0 : -1;
}

static json_t *kernel_json(const struct gcal_kernel *k)
{
    json_t *sizes = json_object();

    for (size_t i = 0; i < k->n_sizes; i++)
        json_object_set_new(sizes, k->sizes[i].name, gcal_json_number(k->sizes[i].value));
    return json_pack("{s:s, s:s, s:o}", "kernel", k->name, "generator", k->generator,
                     "sizes", sizes);
}

int gcal_bench_print_kernels_json(const struct gcal_kernel_list *list,
                                  const struct gcal_bench_json_options *options,
                                  struct gcal_error *err)
{
    json_t *kernels = json_array(), *one;
    int rc = 0;

    for (size_t i = 0; i < list->n_kernels && rc == 0; i++) {
        json_array_append_new(kernels, one = kernel_json(list->kernels[i]));
        if (options->source)
            json_object_set_new(one, "source", json_string(list->kernels[i]->source));
        if (options->counts)
            rc = add_counts(one, list->kernels[i], options->sub_group, err);
    }
    if (rc == 0)
        print("kernels", kernels);
    else
        json_decref(kernels);
    return rc;
}

int gcal_bench_add_results_json(json_t *results, const struct gcal_bench_run *run,
                                struct gcal_error *err)
{
    char *csv = NULL;
    size_t size;
    FILE *file = open_memstream(&csv, &size);
    json_t *rows = NULL;

    if (!file)
        return gcal_error_memory(err);
    gcal_bench_csv_header(file);
    gcal_bench_csv_rows(file, run);
    if (fclose(file) == 0)
        rows = gcal_json_rows(csv, size, err);
    if (rows)
        json_array_extend(results, rows);
    json_decref(rows);
    free(csv);
    return rows ? 0 : -1;
}

void gcal_bench_print_results_json(json_t *results)
{
    print("results", results);
}
