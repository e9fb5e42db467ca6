/* json.h - JSON output of commands */
#ifndef GCAL_MPI_CLI_JSON_H
#define GCAL_MPI_CLI_JSON_H

#include <jansson.h>

/* Numbers that are not finite, which JSON lacks, become null. */
json_t *gcal_json_number(double value);

/* An object with n names and their values. */
json_t *gcal_json_sizes(size_t n, char *const *names, const double *values);

/* Prints one document and a newline to stdout. */
void gcal_json_print(const json_t *document);

#endif
