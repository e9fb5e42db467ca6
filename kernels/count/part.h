/* part.h - tags of the two parts of a kernel, f_memory and f_onchip; internal to kernels/
 */
#ifndef GCAL_KERNELS_PART_H
#define GCAL_KERNELS_PART_H

#include <stdbool.h>

struct gcal_buf;
struct gcal_error;
struct gcal_kernel;
struct gcal_setting;

/* "matmul_tiled" as "matmulTiled", or "MatmulTiled" with 'capital': letters and digits
 * alone, as tags are.
 */
void gcal_put_camel(const char *text, bool capital, struct gcal_buf *out);

/* Gives the parts of a kernel that has just been counted the setting's tag; a kernel with
 * work removed gets the part that it keeps of its origin, which is counted for that
 * unless 'tree' has it (see gcal_kernel_finish()).
 */
int gcal_parts_set(const struct gcal_setting *setting, struct gcal_kernel *kernel,
                   void **tree, struct gcal_error *err);

#endif
