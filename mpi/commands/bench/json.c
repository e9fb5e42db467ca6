/* json.c - generators, kernels and results of 'gpucal kernels' as JSON */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/model/profile.h"
#include "mpi/commands/bench/bench.h"
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

int gcal_bench_print_kernels_json(const struct gcal_kernel_list *list, bool source,
                                  bool counts, size_t sub_group, struct gcal_error *err)
{
    struct gcal_arena *arena = gcal_arena_create();
    json_t *kernels = json_array();
    bool failed = false;

    for (size_t i = 0; i < list->n_kernels && !failed; i++) {
        const struct gcal_kernel *k = list->kernels[i];
        json_t *sizes = json_object(), *one;

        for (size_t s = 0; s < k->n_sizes; s++)
            json_object_set_new(sizes, k->sizes[s].name,
                                gcal_json_number(k->sizes[s].value));
        one = json_pack("{s:s, s:s, s:o}", "kernel", k->name, "generator", k->generator,
                        "sizes", sizes);
        json_array_append_new(kernels, one);
        if (source)
            json_object_set_new(one, "source", json_string(k->source));
        if (counts) { /* the features with their values at the kernel's sizes */
            size_t n = k->profile->n_parameters;
            struct gcal_count_points point = { .n = 1,
                                               .n_sizes = n,
                                               .values = gcal_arena_alloc(
                                                   arena, n, sizeof(*point.values)) };
            json_t *counted = NULL;

            failed = gcal_count_sizes_of_kernel(
                         k, n, (const char *const *)k->profile->parameters, point.values,
                         err) < 0 ||
                     !(counted = gcal_count_features_json(k->profile, (double)sub_group,
                                                          &point, err));
            json_object_set(one, "features",
                            json_object_get(json_array_get(counted, 0), "features"));
            json_decref(counted);
        }
    }
    gcal_arena_destroy(arena);
    if (!failed)
        print("kernels", kernels);
    else
        json_decref(kernels);
    return failed ? -1 : 0;
}

void gcal_bench_add_results_json(json_t *results, const struct gcal_bench_run *run)
{
    for (size_t i = 0; i < run->list.n_kernels; i++)
        if (run->rows[i].present)
            json_array_append_new(results, gcal_bench_row_json(run, i));
}

void gcal_bench_print_results_json(json_t *results)
{
    print("results", results);
}
