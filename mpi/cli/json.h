/* json.h - what a command prints with --json */
#ifndef GCAL_MPI_CLI_JSON_H
#define GCAL_MPI_CLI_JSON_H

#include <jansson.h>

/* What is not finite is null, as JSON has no such numbers. */
json_t *gcal_json_number(double value);

/* One document on stdout, with a newline behind it. */
void gcal_json_print(const json_t *document);

#endif
