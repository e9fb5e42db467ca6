/* table_known.c - kernels that an OpenCL implementation cannot do, and why */
#include <stddef.h>

#include "tests/kernels/table.h"

const struct table_known table_known[] = {
    { "rusticl", "transfer_pieces", "direction:from_device memory:pageable", "arrived as",
      "Mesa 22.3: what is read in pieces into one array arrives elsewhere in it" },
    { .platform = NULL },
};
