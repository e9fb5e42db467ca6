/* tag.h - names of accesses and kernels in features */
#ifndef GCAL_KERNELS_MODEL_TAG_H
#define GCAL_KERNELS_MODEL_TAG_H

#include <stdbool.h>

struct gcal_buf;

/* Precedes every source for an OpenCL compiler: GPUCAL_TAG(name, a[i]) gives a memory access
 * a name for features and work removal.
 */
extern const char gcal_source_tag_prelude[];

/* Appends 'text' as a tag of letters and digits: "matmul_tiled" as "matmulTiled", or as
 * "MatmulTiled" with 'capital'.
 */
void gcal_tag_put(const char *text, bool capital, struct gcal_buf *out);

#endif
