/* catalogue_files.h - the files of measurement kernels beside the built-in ones
 *
 * Pairs of a description (.yaml) and OpenCL C (.cl), from a site's folders or made in
 * memory.  They travel with a run: in its messages, its journal and its record.
 */
#ifndef GCAL_KERNELS_MODEL_RUN_CATALOGUE_FILES_H
#define GCAL_KERNELS_MODEL_RUN_CATALOGUE_FILES_H

#include <stddef.h>

#include "kernels/model/run/field.h"

struct gcal_buf;
struct gcal_wire;
struct gcal_error;

struct gcal_catalogue_file {
    char *folder; /* as the user named it: messages begin with "folder/name" */
    char *name;   /* "triad.yaml", without folder */
    char *text;
};

/* Starts as { 0 }.  In the order in which they are read. */
struct gcal_catalogue_files {
    size_t n, capacity;
    struct gcal_catalogue_file *items;
};

/* All members of struct gcal_catalogue_file. */
extern const struct gcal_field gcal_catalogue_file_fields[];

/* Appends copies of the texts. */
int gcal_catalogue_files_add(struct gcal_catalogue_files *files, const char *folder,
                             const char *name, const char *text, struct gcal_error *err);
/* The text of a file, or NULL.  'folder' NULL: any. */
const char *gcal_catalogue_files_find(const struct gcal_catalogue_files *files,
                                      const char *folder, const char *name);
/* Appends all of 'from' to 'to'; after -1, too, it is the caller's to clear. */
int gcal_catalogue_files_copy(struct gcal_catalogue_files *to,
                              const struct gcal_catalogue_files *from,
                              struct gcal_error *err);
void gcal_catalogue_files_clear(struct gcal_catalogue_files *files);

/* The binary encoding; get sets wire->bad on invalid data. */
void gcal_catalogue_files_put(struct gcal_buf *buf,
                              const struct gcal_catalogue_files *files);
void gcal_catalogue_files_get(struct gcal_wire *wire, struct gcal_catalogue_files *files);

#endif
