/* catalogue_pick.h - shared by tests of the catalogue: kernels that tags pick, and errors
 */
#ifndef GCAL_TESTS_KERNELS_GENERATE_CATALOGUE_PICK_H
#define GCAL_TESTS_KERNELS_GENERATE_CATALOGUE_PICK_H

#include "kernels/base/error.h"
#include "kernels/generate/generate.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

extern struct gcal_error err;

/* The kernels that tags, up to a NULL, pick; an error fails the test. */
struct gcal_kernel_list catalogue_pick(const struct gcal_catalogue *catalogue,
                                       enum gcal_match match, const char *const *tags);
#define PICK(catalogue, match, ...)                                                      \
    catalogue_pick(catalogue, match, (const char *const[]){ __VA_ARGS__, NULL })

/* Their number. */
void expect_number(const struct gcal_catalogue *catalogue, const char *const *tags,
                   size_t n_kernels);
#define EXPECT(catalogue, n, ...)                                                        \
    expect_number(catalogue, (const char *const[]){ __VA_ARGS__, NULL }, n)

/* Checking and generating 'tag' and 'tag2' (or NULL) both fail; the message of checking
 * contains 'words'.
 */
void expect_refused(const struct gcal_catalogue *catalogue, enum gcal_match match,
                    const char *tag, const char *tag2, const char *words);

/* ---- small catalogues, in the test's folder (tests/folder.h) ---- */

/* Makes the folder, with k.cl in it. */
int catalogue_folder_make(void **state);
/* A catalogue of one entry, one.yaml. */
struct gcal_catalogue *catalogue_open_one(const char *text);

#define TAIL                                                                             \
    "source: k.cl\nkernel: k\n"                                                          \
    "arguments: {lsize_0: [32], n: {size: [64, 96]}}\n"                                  \
    "local_size: [lsize_0]\nglobal_size: [n]\n"                                          \
    "args:\n"                                                                            \
    "- {name: x, buffer: float32, elements: n, output: true}\n"                          \
    "- {name: n, scalar: int32, value: n}\n"                                             \
    "check: {n: 32}\n"

/* The same with further arguments, before n, and keys. */
#define GENERATOR(arguments, keys, check)                                                \
    "gpucal_kernel: 1\nname: one\ntags: [red]\nsource: k.cl\nkernel: k\n"                \
    "arguments:\n" arguments "  n: {size: [64]}\n" keys                                  \
    "local_size: [32]\nglobal_size: [n]\nargs:\n"                                        \
    "- {name: x, buffer: float32, elements: n, output: true}\n"                          \
    "- {name: n, scalar: int32, value: n}\n"                                             \
    "check: {n: " check "}\n"
#define WITH(arguments, keys) GENERATOR(arguments, keys, "32")

#endif
