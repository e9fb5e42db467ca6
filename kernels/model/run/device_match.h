/* device_match.h - devices by a pattern, the same in every command and file */
#ifndef GCAL_KERNELS_MODEL_RUN_DEVICE_MATCH_H
#define GCAL_KERNELS_MODEL_RUN_DEVICE_MATCH_H

#include <stdbool.h>

struct gcal_device_info;

/* Returns whether the pattern, with * and ?, matches the device's name, uid, type
 * ("nvidia-cuda-nvidia-h200-132cu") or kind (gpu, cpu, accelerator); case is ignored.
 */
bool gcal_device_info_matches(const struct gcal_device_info *info, const char *pattern);

#endif
