/* json.c - JSON output of commands */
#include "mpi/cli/json.h"

#include <math.h>
#include <stdio.h>

#include "mpi/cli/quiet.h"

json_t *gcal_json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *gcal_json_sizes(size_t n, char *const *names, const double *values)
{
    json_t *object = json_object();

    for (size_t i = 0; i < n; i++)
        json_object_set_new(object, names[i], gcal_json_number(values[i]));
    return object;
}

void gcal_json_print(const json_t *document)
{
    gcal_quiet_keep_all();
    json_dumpf(document, stdout, JSON_INDENT(2));
    putchar('\n');
}
