/* medians.h - the measurements that fits of later runs need, in a store
 *
 *   STORE/medians/NODE.tsv         of each device of a node: the medians of its runs
 *   STORE/kernels/TYPE.SHA256.tsv  kernels with their counts, once for all devices of a type
 *
 * A type is fitted to the devices of all runs that measured the same models by the same
 * kernels.  The fit is robust and has factors of devices and of outliers among them, so a
 * device adds no sums to it but the table of its medians: some 60 bytes for each kernel.
 *
 * Files are text; fields are separated by tabs, NAME=VALUE where names differ from line to
 * line; a backslash begins \t, \n and \\.  medians/NODE.tsv:
 *
 *   gpucal_medians 1 SHA256            of all lines below, the signature left out
 *   device NAME=VALUE..                a section: the run and the device, and what error all of its
 *                                      times share, shared_error
 *   model NAME FINGERPRINT             that the run measured on it
 *   kernels SHA256                     a file of kernels; the first, the second, ..
 *   m KERNEL SAMPLES MEDIAN SPREAD REGISTERS PRIVATE GROUP MULTIPLE
 *                                      KERNEL counts from 0 over the files of the section
 *
 * A section is replaced by a newer run of the device that measured all of its models.  A file
 * of kernels never changes; its name ends in the SHA-256 of its text:
 *
 *   gpucal_kernels 1
 *   profile SHA256 TEXT
 *   kernel NAME=VALUE..                its counts are counts=SHA256
 *
 * Files of medians are trusted and signed as parameter files are (store/files/store.h), and the
 * ledger has a line for each that was written: an older one in its place is refused.  Their hashes
 * cover the files of kernels, and the hashes in those the profiles.
 */
#ifndef GCAL_STORE_MEDIANS_H
#define GCAL_STORE_MEDIANS_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/base/strings.h"
#include "store/record/record.h"

struct gcal_error;
struct gcal_store;

/* One device in one run. */
struct gcal_medians_row {
    size_t kernel; /* of the record */
    size_t n_samples;
    double median_s, spread;
    struct gcal_built built;
};

struct gcal_medians_section {
    const struct gcal_record_header *run;
    const struct gcal_run_device *device;
    double shared_error; /* to be written; that of 'device' where it was read */
    struct gcal_strings models, fingerprints; /* measured, and their configurations */
    size_t n_rows;
    struct gcal_medians_row *rows;
};

/* Writes sections, whose kernels 'record' has, into the files of their nodes; those of one
 * node follow each other.  Sections of other devices stay, and older ones of the same device
 * with models that the new one does not have.  -1 (GCAL_ESTORE) with the first error: nodes
 * that could be written are.
 */
int gcal_medians_write(struct gcal_store *store, const struct gcal_record *record,
                       const struct gcal_medians_section *sections, size_t n,
                       struct gcal_error *err);

/* ---- reading ---- */

/* Whether a section counts; '*kept': names of models that it does not count for, separated
 * by newlines, the receiver's to free.  Its rows are not read yet.
 */
typedef bool gcal_medians_choose(void *context,
                                 const struct gcal_medians_section *section, char **kept);

/* What several nodes have in common: files of kernels that were read into a record, and the
 * ledger of the store.
 */
struct gcal_medians_cache;

struct gcal_medians_cache *gcal_medians_cache_create(const struct gcal_store *store);
void gcal_medians_cache_destroy(struct gcal_medians_cache *cache);

/* Adds the chosen sections of a node to 'record' (gcal_record_collect()), each as a run of
 * one device, that is 'in_store' (struct gcal_record_header).  A node without a file has none.  -1
 * (GCAL_EINPUT) for a damaged file, or one that is not trusted or not the newest: nothing of the
 * node counts then.  With a key, it or a trusted one must have signed the file.
 */
int gcal_medians_read(const struct gcal_store *store, const char *node,
                      gcal_medians_choose *choose, void *context, bool in_store,
                      struct gcal_medians_cache *cache, struct gcal_record *record,
                      struct gcal_error *err);

/* The nodes with a file, sorted; free with gcal_strings_free(). */
int gcal_medians_nodes(const struct gcal_store *store, char ***names, size_t *count,
                       struct gcal_error *err);

/* ---- upkeep ---- */

struct gcal_medians_check {
    size_t n_files, n_signed;                 /* of medians and of kernels; of medians */
    struct gcal_strings damaged, interrupted; /* a sentence each */
    struct gcal_strings missing;              /* files of kernels */
};

/* Checks all files of both folders: their hashes, signatures, the ledger, and that medians name
 * files that there are.  gcal_medians_check_clear() in any case.
 */
int gcal_medians_verify(const struct gcal_store *store, struct gcal_medians_check *found,
                        struct gcal_error *err);
void gcal_medians_check_clear(struct gcal_medians_check *found);

/* Removes files of kernels that no medians name, and that are older than a day; none while medians
 * cannot be read.  Adds to '*removed'; with 'dry_run' they are only counted.
 */
int gcal_medians_prune(struct gcal_store *store, bool dry_run, size_t *removed,
                       struct gcal_error *err);

#endif
