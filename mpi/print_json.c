#include "mpi/print_json.h"

#include <stdio.h>

void gcal_print_json(const json_t *document)
{
    json_dumpf(document, stdout, JSON_INDENT(2));
    putchar('\n');
}
