/* table_known.c - kernels that an OpenCL implementation cannot do, and why */
#include <stddef.h>

#include "tests/kernels/table.h"

const struct table_known table_known[] = {
    { .platform = NULL },
};
