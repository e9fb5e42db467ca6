/* seal.c - the checksum of a record
 *
 * HDF5 leaves the first 512 bytes of a record (its "user block") to gpucal.  They have a
 * line with the checksum of all bytes after them, because HDF5 may crash on a damaged
 * file before it detects the damage.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/error.h"
#include "kernels/base/checksum.h"
#include "store/record/file.h"

#define SEAL_START "gpucal record, fnv1a-64 "

/* Of the bytes after the user block.  -1 with errno. */
static int sum_file(int fd, uint64_t *sum)
{
    off_t at = GCAL_RECORD_SEAL_BYTES;
    char block[65536];
    ssize_t got;

    *sum = GCAL_CHECKSUM_START;
    while ((got = pread(fd, block, sizeof(block), at)) != 0) {
        if (got < 0 && errno != EINTR)
            return -1;
        if (got > 0) {
            *sum = gcal_checksum(*sum, block, (size_t)got);
            at += got;
        }
    }
    return 0;
}

static void format_seal(char seal[GCAL_RECORD_SEAL_BYTES], uint64_t sum)
{
    memset(seal, 0, GCAL_RECORD_SEAL_BYTES);
    snprintf(seal, GCAL_RECORD_SEAL_BYTES, SEAL_START "%016llx\n",
             (unsigned long long)sum);
}

int gcal_record_seal(int fd)
{
    char seal[GCAL_RECORD_SEAL_BYTES];
    uint64_t sum;

    if (sum_file(fd, &sum) < 0)
        return -1;
    format_seal(seal, sum);
    return pwrite(fd, seal, sizeof(seal), 0) == (ssize_t)sizeof(seal) ? 0 : -1;
}

int gcal_record_check_seal(int fd, struct gcal_error *err)
{
    static const char magic[8] = "\211HDF\r\n\032\n";
    char head[GCAL_RECORD_SEAL_BYTES] = "", seal[GCAL_RECORD_SEAL_BYTES];
    ssize_t got = pread(fd, head, sizeof(head), 0);
    uint64_t sum;

    if (got < 0)
        return gcal_error_set(err, GCAL_EINPUT, "%s", strerror(errno));
    /* The seal of an edited record was removed (h5unjam): see gpucal-record.5. */
    if (memcmp(head, magic, sizeof(magic)) == 0)
        return 0;
    if (strncmp(head, SEAL_START, strlen(SEAL_START)) != 0)
        return gcal_error_set(err, GCAL_EINPUT, "not an HDF5 file");
    if (sum_file(fd, &sum) < 0)
        return gcal_error_set(err, GCAL_EINPUT, "%s", strerror(errno));
    format_seal(seal, sum);
    if (memcmp(head, seal, sizeof(seal)) != 0)
        return gcal_error_set(err, GCAL_EINPUT, "truncated or damaged: wrong checksum");
    return 0;
}
