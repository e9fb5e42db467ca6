/* private.h - shared by the files of kernels/source */
#ifndef GCAL_KERNELS_SOURCE_PRIVATE_H
#define GCAL_KERNELS_SOURCE_PRIVATE_H

#include "kernels/source/source.h"

/* As gcal_source_parse(), but with a partial tree for a source with errors. */
struct gcal_source_unit *gcal_source_open(enum gcal_source_language language,
                                          const char *source, const char *file,
                                          const char *build_options,
                                          struct gcal_error *err);

/* Returns whether an error at 'at' matters to nobody; NULL: all matter. */
typedef bool gcal_source_ignore(CXSourceLocation at, void *data);

/* -1 with the first error of the source that matters. */
int gcal_source_check_errors(const struct gcal_source_unit *unit,
                             gcal_source_ignore *ignore, void *data,
                             struct gcal_error *err);

/* cuda.c: the text with a reference to the kernel, if that is an instance of a template; the caller's
 * to free, NULL with 'err'.  And what it refers to; or a null cursor.
 */
char *gcal_source_refer(const char *source, const char *kernel, struct gcal_error *err);
CXCursor gcal_source_referred(const struct gcal_source_unit *unit);
/* cursor.c: declarations, each once, in the order in which they were added; starts as { 0 }, and
 * 'cursors' is the caller's to free.
 */
struct gcal_source_set {
    size_t n, capacity;
    CXCursor *cursors;
    bool failed; /* out of memory: one is missing */
};
/* Returns whether it was added now. */
bool gcal_source_set_add(struct gcal_source_set *set, CXCursor declaration);

/* cursor.c: null cursors where there is none */
CXCursor gcal_source_attribute(CXCursor decl, enum CXCursorKind kind);
bool gcal_source_has_attribute(CXCursor decl, enum CXCursorKind kind);
CXCursor gcal_source_first_child(CXCursor c);

/* left_out.c: where the name in quotes or angle brackets begins, behind a directive that reads a file; NULL:
 * another line.
 */
const char *gcal_source_included_name(char *line);
/* left_out.c: blanks each #include whose file was not put into the text (kernels/includes) and is none of the
 * headers that are read; 'missing': the names of those that kernels may need.
 */
void gcal_source_leave_out_includes(char *source, struct gcal_strings *missing);
/* Adds the options that leave out what the source has no word for. */
int gcal_source_leave_out_declarations(const char *source, struct gcal_strings *arguments,
                                       struct gcal_error *err);
/* headers.c: whether it is one of those that are read, their texts, and the folder of clang's (with
 * opencl-c-base.h), an absolute path that is the caller's to free; NULL with 'err'.
 */
bool gcal_source_has_header(const char *name);
const struct CXUnsavedFile *gcal_source_read_texts(size_t *n);
char *gcal_source_include_folder(struct gcal_error *err);

/* component.c: names found in printed functions */
struct gcal_source_names *gcal_source_names_create(void);
void gcal_source_names_destroy(struct gcal_source_names *names);

#endif
