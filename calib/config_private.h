/* config_private.h - the built-in configuration; internal to calib/ */
#ifndef GCAL_CALIB_CONFIG_PRIVATE_H
#define GCAL_CALIB_CONFIG_PRIVATE_H

#include <stddef.h>

/* The source tree's models.yaml, made data by embed_config.cmake. */
extern const char gcal_builtin_config[];
extern const size_t gcal_builtin_config_size;

#endif
