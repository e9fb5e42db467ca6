/* json.c - JSON output of commands */
#include "mpi/cli/json.h"

#include <math.h>
#include <stdio.h>

json_t *gcal_json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

void gcal_json_print(const json_t *document)
{
    json_dumpf(document, stdout, JSON_INDENT(2));
    putchar('\n');
}
