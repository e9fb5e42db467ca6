/* json.h - generators, kernels and results of 'gpucal kernels' as JSON (within mpi/commands/bench) */
#ifndef GCAL_MPI_COMMANDS_BENCH_JSON_H
#define GCAL_MPI_COMMANDS_BENCH_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct gcal_bench_run;
struct gcal_catalogue;
struct gcal_error;
struct gcal_kernel_list;

void gcal_bench_print_generators_json(const struct gcal_catalogue *catalogue);

struct gcal_bench_json_options {
    bool source, counts;
    size_t sub_group; /* of the counts */
};
int gcal_bench_print_kernels_json(const struct gcal_kernel_list *list,
                                  const struct gcal_bench_json_options *options,
                                  struct gcal_error *err);

/* Appends an object for each row, with the columns of the CSV file. */
int gcal_bench_add_results_json(json_t *results, const struct gcal_bench_run *run,
                                struct gcal_error *err);
/* Takes 'results'. */
void gcal_bench_print_results_json(json_t *results);

#endif
