/* sample.h - made-up runs and parameters for the tests of store/ */
#ifndef GCAL_TESTS_STORE_SAMPLE_H
#define GCAL_TESTS_STORE_SAMPLE_H

#include "store/files/store.h"

/* A new temporary folder; removed with its contents. */
char *sample_folder(void);
void sample_folder_remove(char *folder);
/* The same for cmocka: set-up and tear-down with the folder as state. */
int sample_setup(void **state);
int sample_teardown(void **state);

/* "FOLDER/NAME", valid for three further calls. */
const char *sample_path(const char *folder, const char *name);

void sample_file_write(const char *path, const void *data, size_t size);
char *sample_file_read(const char *path, size_t *size);

struct gcal_run_sink;

struct gcal_record_header sample_header(void); /* borrows: not to be cleared */

/* Two devices, two kernels, three measurements, a link and a lost rank, into 'sink'. */
void sample_run(const struct gcal_run_sink *sink);

/* Fingerprints in what follows. */
#define SAMPLE_CONFIGURATION                                                             \
    "8c1f2b90d5a7e63b4419c07d2ef5a86b3390d17c4e8bfa26a95d70e1c2836f4d"
#define SAMPLE_CATALOGUE                                                                 \
    "d3a07f62b18e4c95fa207d61e38b94c0527ea6d91b3f08c74e65a29d810f3b7c"

/* One device 'uid' with one model of two parameters and three features, whose cost per
 * madd is 'madd_s'.
 */
struct gcal_params sample_params(const char *node, const char *uid, double madd_s);

/* The published file of a device type. */
void sample_load_type(const char *folder, const char *type, struct gcal_params *params);

/* Runs 'body' in a child that may write no file beyond 'max_bytes'; its result. */
int sample_with_file_limit(size_t max_bytes, int (*body)(void *context), void *context);

/* The verification of the store finds so many damages and interrupted publications; 'message'
 * (NULL: none) must be reported, and nothing else.
 */
void sample_expect_verified(const char *folder, size_t damaged, size_t interrupted,
                            const char *message);

/* The runs that the ledger has of a node or a type, "RUN;" each, in their order. */
void sample_expect_history(const char *folder, const char *scope, const char *expected);

/* The name of this host to the store: "here". */
extern char sample_host[65];

#endif
