/* print_json.h - what a command prints with --json */
#ifndef GCAL_MPI_PRINT_JSON_H
#define GCAL_MPI_PRINT_JSON_H

#include <jansson.h>

/* One document on stdout, with a newline behind it. */
void gcal_print_json(const json_t *document);

#endif
