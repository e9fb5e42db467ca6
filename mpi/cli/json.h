/* json.h - JSON output of commands */
#ifndef GCAL_MPI_CLI_JSON_H
#define GCAL_MPI_CLI_JSON_H

#include <jansson.h>

struct gcal_error;

/* Numbers that are not finite, which JSON lacks, become null. */
json_t *gcal_json_number(double value);

/* An object with n names and their values. */
json_t *gcal_json_sizes(size_t n, char *const *names, const double *values);

/* Prints one document and a newline to stdout: an object, or a list of objects, which get the
 * key "schema" with "gpucal-NAME-1", the name of their JSON Schema in docs/schema.
 */
void gcal_json_print(json_t *document, const char *name);

/* The document as a text with a newline at its end, by flags of json_dumps(); takes the document.
 * The receiver's to free; NULL with 'err'.
 */
char *gcal_json_text(json_t *document, size_t flags, struct gcal_error *err);

#endif
