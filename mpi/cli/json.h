/* json.h - JSON output of commands */
#ifndef GCAL_MPI_CLI_JSON_H
#define GCAL_MPI_CLI_JSON_H

#include <jansson.h>

/* Numbers that are not finite, which JSON lacks, become null. */
json_t *gcal_json_number(double value);

/* Prints one document and a newline to stdout. */
void gcal_json_print(const json_t *document);

#endif
