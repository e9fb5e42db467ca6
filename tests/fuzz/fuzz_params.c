/* fuzz_params.c - any bytes as a parameter file: refused, or written back the same way */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "store/params.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is read from 'text' as it is written again, or NULL. */
static char *rewritten(const char *text, size_t size, size_t *out_size)
{
    struct gcal_params params = { 0 };
    char *out = NULL;

    if (gcal_params_decode(text, size, "fuzz", &params, NULL) == 0) {
        out = gcal_params_encode(&params, out_size, NULL);
        gcal_params_clear(&params);
    }
    return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t once_size, twice_size;
    char *once = rewritten((const char *)data, size, &once_size);

    if (once) {
        char *twice = rewritten(once, once_size, &twice_size);

        if (!twice || once_size != twice_size || memcmp(once, twice, once_size) != 0)
            abort();
        free(twice);
    }
    free(once);
    return 0;
}
