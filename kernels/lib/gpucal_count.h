/* gpucal_count.h - libgpucal-count: counts the work of OpenCL C kernels within a program
 *
 *   struct gpucal_count_request request = { 0 };
 *   request.source = text;                  (or request.file alone, which is then read)
 *   request.n_dims = 1;
 *   request.local_size[0] = 256;
 *   request.global_size[0] = "n";
 *   struct gpucal_profile *profile = gpucal_count(&request, device, &err);
 *
 * The profile is libgpucal's: bind a model to it, predict, and close it.  A library of its own,
 * as it needs libclang, which is loaded at the first call; libgpucal does not.
 *
 * Several threads may count at the same time.  Nothing is printed, and no file but the
 * source, what it includes and clang's own headers is read.  As libgpucal's, the functions
 * take NULL for an error and not a crash.
 *
 * Sources may be of strangers: another process, gpucal-frontend, reads and counts them.  The
 * first call starts it; it is not a child of this one, and ends with it.  A source that takes
 * more than 30 s of a processor, 300 s in all or 1 GiB of memory, or that crashes clang, is an
 * error.  Files are included only from below the source's folder and 'include_folders'.
 */
#ifndef GPUCAL_COUNT_H
#define GPUCAL_COUNT_H

#include <gpucal.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The average trip count, under the name 'size', of the first loop that begins in or after
 * 'line' and whose length depends on data.
 */
struct gpucal_count_trips {
    int line;
    const char *size;
    uint64_t reserved[2]; /* 0 */
};

/* A kernel and its launch, as the options of 'gpucal count' give them.  Unused members are 0. */
struct gpucal_count_request {
    const char *source; /* NULL: the contents of 'file' */
    const char *file; /* its name, for messages; CUDA if it ends in .cu or .cuh, HIP if in
                                   .hip, else OpenCL C; files that it includes are looked
                                   for in its folder, then in 'include_folders' */
    const char *kernel;         /* NULL: the only kernel of the source */
    const char *build_options;  /* "-DT=16 -cl-std=CL2.0", or NULL */
    size_t n_dims;              /* 1 to 3 */
    size_t local_size[3];       /* work-items; 0: the kernel's reqd_work_group_size */
    const char *global_size[3]; /* work-items, as expressions in sizes: "n", "n/4" */
    const char *assume;         /* "n % 16 = 0 and n >= 16", or NULL */
    int allow_estimates; /* mark inexact counts as estimates instead of refusing them */
    size_t n_include_folders;
    const char *const *include_folders;
    size_t n_trips;
    const struct gpucal_count_trips *trips;
    uint64_t reserved[8]; /* 0: in its place, later versions may have members */
};

/* Counts all that models can ask for, for the sub-group size of 'device'; NULL: for devices of 8,
 * 16, 32 or 64.  Takes some 30 to 100 ms for each size; the first call also loads libclang.
 */
struct gpucal_profile *gpucal_count(const struct gpucal_count_request *request,
                                    const struct gpucal_device *device,
                                    struct gpucal_error *err);

/* The same as the text of a profile, for gpucal_profile_parse(), a file or a cache; free it by
 * gpucal_count_free().
 */
char *gpucal_count_text(const struct gpucal_count_request *request,
                        const struct gpucal_device *device, struct gpucal_error *err);
void gpucal_count_free(char *text);

#ifdef __cplusplus
}
#endif
#endif
