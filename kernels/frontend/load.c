/* load.c - the module of the front end, with libclang */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/frontend/private.h"

static const struct gcal_frontend *loaded;
static struct gcal_error load_error;

/* RTLD_LAZY: most of isl's 3400 calls between its own functions are never made.  The
 * module itself is linked to bind at once, so that a libclang without a function that it
 * calls is an error here.
 */
#define OPEN_MODE (RTLD_LAZY | RTLD_LOCAL)

/* Knows the loader's texts, which have no code. */
static bool is_memory_short(const char *reason)
{
    static const char *const texts[] = {
        "failed to map segment",
        "cannot allocate",
        "out of memory",
        "cannot create shared object descriptor",
        "Cannot allocate memory",
        "cannot map pages for fdesc table",
        "cannot map zero-fill pages",
    };

    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        if (strstr(reason, texts[i]) && !strstr(reason, "not permitted")) /* noexec */
            return true;
    return false;
}

static void load(void)
{
    void *module = dlopen(GPUCAL_FRONTEND, OPEN_MODE);
    const struct gcal_frontend *found;

    if (!module) {
        /* 'reason' is dlerror()'s, which begins with the name of the library at fault. */
        const char *reason = dlerror();
        if (strncmp(reason, GPUCAL_FRONTEND ":", strlen(GPUCAL_FRONTEND ":")) == 0)
            gcal_error_set(
                &load_error, GCAL_EINPUT,
                "gpucal's front end for OpenCL C is missing: install gpucal again, "
                "with " GPUCAL_FRONTEND " (%s)",
                reason);
        else if (is_memory_short(reason))
            gcal_error_set(&load_error, GCAL_EINPUT,
                           "loading libclang " GPUCAL_CLANG_VERSION
                           " needs more memory: raise the limit of address space, "
                           "'ulimit -v' (%s)",
                           reason);
        else
            gcal_error_set(&load_error, GCAL_EINPUT,
                           "reading OpenCL C needs libclang " GPUCAL_CLANG_VERSION
                           ": install libclang1-" GPUCAL_CLANG_VERSION " (%s)",
                           reason);
        return;
    }
    found = dlsym(module, "gcal_frontend");
    if (found && strcmp(found->version, GPUCAL_VERSION) == 0) {
        loaded = found;
        return;
    }
    gcal_error_set(&load_error, GCAL_EINPUT,
                   GPUCAL_FRONTEND " is of %s%s, not of gpucal " GPUCAL_VERSION
                                   ": install gpucal again",
                   found ? "gpucal " : "another program", found ? found->version : "");
    dlclose(module);
}

const struct gcal_frontend *gcal_frontend_load(struct gcal_error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, load);
    if (!loaded && err) {
        *err = load_error;
        gcal_error_because(err, GCAL_REASON_FRONT_END);
    }
    return loaded;
}
