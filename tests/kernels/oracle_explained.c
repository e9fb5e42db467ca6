/* oracle_explained.c - where compiling makes something else of a kernel than its source
 * says, kernel by kernel, and what Oclgrind needs to know to run one
 */
#include "tests/kernels/oracle.h"

const struct oracle_explained oracle_explained[] = {
    { .generator = NULL },
};

const struct oracle_input oracle_inputs[] = {
    { .generator = NULL },
};

const struct oracle_barred oracle_barred[] = {
    { .generator = NULL },
};
