/* catalogue_files.c - lists of a catalogue's files */
#include "kernels/model/run/catalogue_files.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/error.h"
#include "kernels/base/wire.h"

#define FILE_FIELD(...) GCAL_FIELD(struct gcal_catalogue_file, __VA_ARGS__)

const struct gcal_field gcal_catalogue_file_fields[] = {
    FILE_FIELD(TEXT, "folder", folder, NULL, "folder that it was read from"),
    FILE_FIELD(TEXT, "name", name, NULL, "name in that folder"),
    FILE_FIELD(TEXT, "text", text, NULL, "contents"),
    { 0 },
};

/* Of a file: the lengths of its texts. */
#define LEAST_FILE_BYTES 12

int gcal_catalogue_files_add(struct gcal_catalogue_files *files, const char *folder,
                             const char *name, const char *text, struct gcal_error *err)
{
    const struct gcal_catalogue_file file = { (char *)folder, (char *)name,
                                              (char *)text };
    struct gcal_catalogue_file *grown =
        gcal_array_grow(files->items, files->n, &files->capacity, sizeof(*grown), err);

    if (!grown)
        return -1;
    files->items = grown;
    grown += files->n++;
    *grown = (struct gcal_catalogue_file){ 0 };
    return gcal_fields_copy(gcal_catalogue_file_fields, grown, &file, err);
}

const char *gcal_catalogue_files_find(const struct gcal_catalogue_files *files,
                                      const char *folder, const char *name)
{
    for (size_t i = 0; i < files->n; i++)
        if (strcmp(files->items[i].name, name) == 0 &&
            (!folder || strcmp(files->items[i].folder, folder) == 0))
            return files->items[i].text;
    return NULL;
}

int gcal_catalogue_files_copy(struct gcal_catalogue_files *to,
                              const struct gcal_catalogue_files *from,
                              struct gcal_error *err)
{
    for (size_t i = 0; i < from->n; i++)
        if (gcal_catalogue_files_add(to, from->items[i].folder, from->items[i].name,
                                     from->items[i].text, err) < 0)
            return -1;
    return 0;
}

void gcal_catalogue_files_clear(struct gcal_catalogue_files *files)
{
    for (size_t i = 0; i < files->n; i++)
        gcal_fields_clear(gcal_catalogue_file_fields, &files->items[i]);
    free(files->items);
    *files = (struct gcal_catalogue_files){ 0 };
}

void gcal_catalogue_files_put(struct gcal_buf *buf,
                              const struct gcal_catalogue_files *files)
{
    gcal_wire_put_u64(buf, files->n);
    for (size_t i = 0; i < files->n; i++)
        gcal_fields_put(buf, gcal_catalogue_file_fields, &files->items[i]);
}

void gcal_catalogue_files_get(struct gcal_wire *wire, struct gcal_catalogue_files *files)
{
    size_t count = gcal_fields_get_count(wire, LEAST_FILE_BYTES);

    *files = (struct gcal_catalogue_files){ .capacity = count };
    files->items = gcal_fields_get_array(wire, count, sizeof(*files->items));
    if (wire->bad)
        return;
    files->n = count;
    for (size_t i = 0; i < count; i++)
        gcal_fields_get(wire, gcal_catalogue_file_fields, &files->items[i]);
}
