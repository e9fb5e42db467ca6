/* tag.h - names that accesses and kernels have in features */
#ifndef GCAL_CALIB_MODEL_TAG_H
#define GCAL_CALIB_MODEL_TAG_H

#include <stdbool.h>

struct gcal_buf;

/* Stands before every source that goes to an OpenCL compiler: a memory access may be
 * written GPUCAL_TAG(name, a[i]) to give it a name for features and work removal.
 */
extern const char gcal_source_tag_prelude[];

/* Appends 'text' as a tag, of letters and digits alone: "matmul_tiled" as "matmulTiled",
 * or "MatmulTiled" with 'capital'.
 */
void gcal_tag_put(const char *text, bool capital, struct gcal_buf *out);

#endif
