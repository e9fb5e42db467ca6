/* headers.c - the headers that sources may include: clang's plain ones, and gpucal's own */
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/array.h"
#include "kernels/base/buf.h"
#include "kernels/base/embed.h"
#include "kernels/base/error.h"
#include "kernels/base/file.h"
#include "kernels/includes/includes.h"
#include "kernels/source/private.h"

#define MOST_HEADER_BYTES (1u << 20)

/* The folder of opencl-c-base.h, as an absolute path, the caller's to free.  libclang derives it
 * from its own path, which is wrong where distributions link it into the common library
 * folder.
 */
char *gcal_source_include_folder(struct gcal_error *err)
{
    const char *folder = gcal_includes_clang_folder();
    char path[4096], *absolute;

    snprintf(path, sizeof(path), "%s/opencl-c-base.h", folder);
    if (access(path, R_OK) == 0 && (absolute = realpath(folder, NULL)))
        return absolute;
    gcal_error_set(err, GCAL_EINPUT,
                   "no opencl-c-base.h in %s: install libclang-common-%s-dev or set "
                   "GPUCAL_CLANG_INCLUDE to its folder",
                   folder, GPUCAL_CLANG_VERSION);
    return NULL;
}

/* Of clang's headers, those that OpenCL C and C include. */
static bool is_plain_header(const char *name)
{
    static const char *const others[] = { "opencl-c-base.h", "float.h", "limits.h",
                                          "iso646.h", "inttypes.h" };
    size_t n = strlen(name);

    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        if (strcmp(name, others[i]) == 0)
            return true;
    return n > 2 && strcmp(name + n - 2, ".h") == 0 &&
           strncmp(name + (strncmp(name, "__", 2) == 0 ? 2 : 0), "std", 3) == 0;
}

/* Their texts, for all parses: clang opens no file where it is not allowed to. */
static struct {
    size_t n, capacity;
    struct CXUnsavedFile *files;
} headers;

static void read_header(const char *folder, const char *name)
{
    struct CXUnsavedFile *grown = gcal_array_grow(
        headers.files, headers.n, &headers.capacity, sizeof(*grown), NULL);
    char *path = gcal_buf_format("%s/%s", folder, name);
    size_t size;
    char *text = path ? gcal_file_read(path, MOST_HEADER_BYTES, &size, NULL) : NULL;

    if (grown)
        headers.files = grown;
    if (grown && text) {
        headers.files[headers.n++] = (struct CXUnsavedFile){ path, text, size };
        return;
    }
    free(text);
    free(path);
}

/* gpucal's own, which the others' folder is said to have. */
extern const struct gcal_embedded_file gcal_source_headers[];

static void read_headers(void)
{
    char *folder = gcal_source_include_folder(NULL);
    DIR *dir = folder ? opendir(folder) : NULL;
    struct CXUnsavedFile *grown;

    for (struct dirent *e; dir && (e = readdir(dir));)
        if (is_plain_header(e->d_name))
            read_header(folder, e->d_name);
    if (dir)
        closedir(dir);
    for (const struct gcal_embedded_file *own = gcal_source_headers; folder && own->name;
         own++) {
        if (!(grown = gcal_array_grow(headers.files, headers.n, &headers.capacity,
                                      sizeof(*grown), NULL)))
            break;
        headers.files = grown;
        headers.files[headers.n++] =
            (struct CXUnsavedFile){ gcal_buf_format("%s/%s", folder, own->name),
                                    own->text, own->size };
    }
    free(folder);
}

void gcal_source_read_headers(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, read_headers);
}

const struct CXUnsavedFile *gcal_source_read_texts(size_t *n)
{
    gcal_source_read_headers();
    *n = headers.n;
    return headers.files;
}

bool gcal_source_has_header(const char *name)
{
    for (size_t i = 0; i < headers.n; i++) {
        const char *slash = strrchr(headers.files[i].Filename, '/');

        if (strcmp(slash ? slash + 1 : headers.files[i].Filename, name) == 0)
            return strcmp(name, "inttypes.h") != 0; /* it includes the system's */
    }
    return false;
}
