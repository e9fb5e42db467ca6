/* includes.h - sources that are complete without the files that they include
 *
 * A source is kept in records, compiled on other nodes, reduced to derived kernels and
 * compared by its text, so it must not depend on files beside it.  Included files are
 * therefore put into the text, between #line directives: messages name the file and line
 * that the user wrote.  The directives have no folders, so that equal files give equal
 * texts wherever they are.
 */
#ifndef GCAL_KERNELS_INCLUDES_H
#define GCAL_KERNELS_INCLUDES_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/request.h"

struct gcal_error;

/* The text 'source' of 'file' with each #include "X" and #include <X> replaced by the
 * contents of X, theirs included; the caller's to free.  X is looked for in the folder of
 * the including file (quotes only), then in the n 'folders' in order.  A file with
 * #pragma once is put in once.  A file that is not found, or that is not below the folder of
 * 'file' or one of 'folders', links resolved, stays an #include, as it may be in code that an
 * #if leaves out.  NULL with 'err' (GCAL_EINPUT) if a file cannot be read,
 * or includes itself without an include guard.
 */
char *gcal_includes_inline(const char *source, const char *file, size_t n,
                           const char *const *folders, struct gcal_error *err);

/* The same for the text of 'file', of at most 'max_bytes'. */
char *gcal_includes_read(const char *file, size_t max_bytes, size_t n,
                         const char *const *folders, struct gcal_error *err);

/* The folder of clang's own headers, with opencl-c-base.h: $GPUCAL_CLANG_INCLUDE, or that of
 * the build.
 */
const char *gcal_includes_clang_folder(void);

/* The language of a file, by the end of its name: CUDA of .cu and .cuh, HIP of .hip. */
enum gcal_source_language gcal_includes_language(const char *file);

/* Returns whether a text (NULL: no) has a word by which a compiler reads or looks for files, as
 * "include": in comments as well, and over continued lines.
 */
bool gcal_includes_may_remain(const char *text);

#endif
