/* load.c - loads the front end's module when it is first needed, and forwards to it */
#include <dlfcn.h>
#ifdef RTLD_DEEPBIND
#include <gnu/lib-names.h>
#endif
#include <pthread.h>
#include <string.h>

#include "calib/base/error.h"
#include "kernels/frontend/frontend.h"

static const struct gcal_frontend *loaded;
static struct gcal_error load_error;

/* RTLD_LOCAL: OpenCL drivers bring other versions of LLVM along.
 *
 * RTLD_DEEPBIND: libclang's 17000 symbols are looked up in its own libraries first and
 * not in the forty that MPI and HDF5 bring, a third of the time that loading takes.  Not
 * when malloc() was replaced (a preloaded allocator, a sanitizer): libclang would free
 * with libc's what libc's functions took from the other.
 */
static int open_mode(void)
{
    int mode = RTLD_NOW | RTLD_LOCAL;
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

static void load(void)
{
    void *module = dlopen(GPUCAL_FRONTEND, open_mode());
    const char *reason = module ? "it is not gpucal's front end" : dlerror();
    const struct gcal_frontend *found = module ? dlsym(module, "gcal_frontend") : NULL;

    if (found && strcmp(found->version, GPUCAL_VERSION) == 0)
        loaded = found;
    else if (found)
        gcal_error_set(&load_error, GCAL_EINPUT,
                       GPUCAL_FRONTEND " is of gpucal %s, not " GPUCAL_VERSION
                                       ": install gpucal again",
                       found->version);
    else
        gcal_error_set(&load_error, GCAL_EINPUT,
                       "reading OpenCL C needs " GPUCAL_FRONTEND
                       " and libclang: install libclang1-" GPUCAL_CLANG_VERSION " (%s)",
                       reason);
}

static const struct gcal_frontend *frontend(struct gcal_error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, load);
    if (!loaded && err)
        *err = load_error;
    return loaded;
}

/* ---- forwarders ---- */

struct gcal_profile *gcal_count(const struct gcal_count_request *request,
                                struct gcal_error *err)
{
    const struct gcal_frontend *f = frontend(err);

    return f ? f->count(request, err) : NULL;
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

    return f ? f->loads(request, loads, err) : -1;
}

int gcal_remove_find_load_dependences(const struct gcal_count_request *request,
                                      struct gcal_remove_load_list *loads,
                                      struct gcal_error *err)
{
    const struct gcal_frontend *f = frontend(err);

    return f ? f->loads_apart(request, loads, err) : -1;
}

int gcal_interp_run_kernel(const struct gcal_count_request *request,
                           const size_t *global_size, size_t n_args,
                           struct gcal_interp_arg *args, struct gcal_error *err)
{
    const struct gcal_frontend *f = frontend(err);

    return f ? f->run_kernel(request, global_size, n_args, args, err) : -1;
}

int gcal_interp_run_function(const char *source, const char *file, const char *function,
                             size_t n_args, struct gcal_interp_arg *args,
                             struct gcal_error *err)
{
    const struct gcal_frontend *f = frontend(err);

    return f ? f->run_function(source, file, function, n_args, args, err) : -1;
}
