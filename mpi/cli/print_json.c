#include "mpi/cli/print_json.h"

#include <math.h>
#include <stdio.h>

json_t *gcal_json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

void gcal_print_json(const json_t *document)
{
    json_dumpf(document, stdout, JSON_INDENT(2));
    putchar('\n');
}
