/* cache.h - the folder in which drivers keep built kernels; internal to calib/worker
 *
 * Drivers keep binaries by source and options, and processes of a user share them.  They do so
 * in the user's home, which several nodes may share.  gpucal's workers use a folder of this
 * node instead, $TMPDIR/gpucal-drivers-UID (TMPDIR: /tmp where it is not set, or is on a network
 * file system), which stays from run to run, with a folder for each driver.  No other user may
 * rename it, or a folder above it.
 *
 * Once no process uses it, the binaries that were used longest ago are removed, as far as all
 * together are larger than the limit: binaries are not removed below a driver that reads them.
 */
#ifndef GCAL_CALIB_WORKER_CACHE_H
#define GCAL_CALIB_WORKER_CACHE_H

#include <stdbool.h>
#include <stdint.h>

struct gcal_built;
struct gcal_error;

/* Of all binaries, in bytes. */
#define GCAL_WORKER_CACHE_BYTES (512ull << 20)

struct gcal_worker_cache {
    char *folder; /* NULL: none */
    int lock;     /* held as long as binaries must stay */
};

/* Makes the folder if it is not there, and trims it.  -1 with 'err' if it cannot be had, or if
 * others could write to it.
 */
int gcal_worker_cache_open(struct gcal_worker_cache *cache, struct gcal_error *err);
/* Trims it unless another process uses it. */
void gcal_worker_cache_close(struct gcal_worker_cache *cache);

/* Sets the variables by which drivers find their folders in it; a folder that is set already
 * stays.
 */
int gcal_worker_cache_set_variables(const char *folder, struct gcal_error *err);

/* Removes binaries of the folder, those used longest ago first, if all together have more than
 * 'most_bytes', until they have three quarters of it.
 */
void gcal_worker_cache_trim(const char *folder, uint64_t most_bytes);

/* ---- known.c: beside what drivers keep, what they said of it ---- */

/* Its folder in the cache. */
#define GCAL_WORKER_CACHE_KNOWN "known"

/* 'key': of the program, its kernel, the device and its driver; 'folder' NULL: nothing is kept.
 * False: it is not known.
 */
bool gcal_worker_cache_get_built(const char *folder, const char *key,
                                 struct gcal_built *built);
/* If it cannot be written, it is asked for again. */
void gcal_worker_cache_put_built(const char *folder, const char *key,
                                 const struct gcal_built *built);

#endif
