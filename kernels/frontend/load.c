/* load.c - the front end's functions for programs, forwarded to the module */
#include <dlfcn.h>
#ifdef RTLD_DEEPBIND
#include <gnu/lib-names.h>
#endif
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "calib/base/error.h"
#include "kernels/frontend/frontend.h"

static const struct gcal_frontend *loaded;
static struct gcal_error load_error;

/* RTLD_LAZY: most of isl's 3400 calls between its own functions are never made.  The
 * module itself is linked to bind at once, so that a libclang without a function that it
 * calls is an error here.
 *
 * RTLD_LOCAL: OpenCL drivers load other versions of LLVM.
 *
 * RTLD_DEEPBIND: libclang's 17000 symbols are looked up in its own libraries first, not
 * in the forty of MPI and HDF5, which makes loading three times as fast.  Not when
 * malloc() is replaced (by a preloaded allocator or a sanitizer): libclang would free
 * with libc what came from the other.
 */
static int open_mode(void)
{
    int mode = RTLD_LAZY | RTLD_LOCAL;
#ifdef RTLD_DEEPBIND
    void *libc = dlopen(LIBC_SO, RTLD_NOW | RTLD_NOLOAD);

    if (libc) {
        if (dlsym(libc, "malloc") == dlsym(RTLD_DEFAULT, "malloc"))
            mode |= RTLD_DEEPBIND;
        dlclose(libc);
    }
#endif
    return mode;
}

/* Of the loader's texts, which have no code. */
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

/* 'reason' is dlerror()'s, which begins with the name of the library at fault. */
static void fail_to_open(const char *reason)
{
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
}

static void load(void)
{
    void *module = dlopen(GPUCAL_FRONTEND, open_mode());
    const struct gcal_frontend *found;

    if (!module) {
        fail_to_open(dlerror());
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

static const struct gcal_frontend *frontend(struct gcal_error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, load);
    if (!loaded && err) {
        *err = load_error;
        gcal_error_because(err, GCAL_REASON_FRONT_END);
    }
    return loaded;
}

/* ---- forwarders ---- */

struct gcal_profile *gcal_count(const struct gcal_count_request *request,
                                struct gcal_error *err)
{
    const struct gcal_frontend *f = frontend(err);

    return f ? f->count(request, err) : NULL;
}

int gcal_count_signature_read(const struct gcal_count_request *request,
                              struct gcal_count_signature *signature,
                              struct gcal_error *err)
{
    const struct gcal_frontend *f = frontend(err);

    return f ? f->read_signature(request, signature, err) : -1;
}

int gcal_count_describe(const struct gcal_count_request *request,
                        struct gcal_count_description *description,
                        struct gcal_error *err)
{
    const struct gcal_frontend *f = frontend(err);

    return f ? f->describe(request, description, err) : -1;
}

char *gcal_remove_work(const struct gcal_count_request *request,
                       const struct gcal_remove_options *removal,
                       struct gcal_remove_element *element, struct gcal_error *err)
{
    const struct gcal_frontend *f = frontend(err);

    return f ? f->remove(request, removal, element, err) : NULL;
}

int gcal_remove_find_loads(const struct gcal_count_request *request,
                           struct gcal_remove_load_list *loads, struct gcal_error *err)
{
    const struct gcal_frontend *f = frontend(err);

    return f ? f->find_loads(request, loads, err) : -1;
}

int gcal_remove_find_load_dependences(const struct gcal_count_request *request,
                                      struct gcal_remove_load_list *loads,
                                      struct gcal_error *err)
{
    const struct gcal_frontend *f = frontend(err);

    return f ? f->find_load_dependences(request, loads, err) : -1;
}

int gcal_interp_run_kernel(const struct gcal_count_request *request,
                           const size_t *global_size, size_t n_args,
                           struct gcal_interp_arg *args, struct gcal_error *err)
{
    const struct gcal_frontend *f = frontend(err);

    return f ? f->run_kernel(request, global_size, n_args, args, err) : -1;
}

int gcal_interp_observe_kernel(const struct gcal_count_request *request,
                               const size_t *global_size, size_t n_args,
                               struct gcal_interp_arg *args, gcal_interp_observe *observe,
                               void *context, struct gcal_error *err)
{
    const struct gcal_frontend *f = frontend(err);

    return f ? f->observe_kernel(request, global_size, n_args, args, observe, context,
                                 err)
             : -1;
}

int gcal_interp_run_function(const char *source, const char *file, const char *function,
                             size_t n_args, struct gcal_interp_arg *args,
                             struct gcal_error *err)
{
    const struct gcal_frontend *f = frontend(err);

    return f ? f->run_function(source, file, function, n_args, args, err) : -1;
}
