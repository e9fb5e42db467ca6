/* test_cache.c - the folder of built kernels: whose it is, and what is removed from it */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "calib/worker/cache.h"
#include "tests/folder.h"
#include "tests/unit.h"

#define KIB 1024

static char *path_of(const char *name)
{
    return gcal_buf_format("%s/gpucal-drivers-%lu%s%s", folder, (unsigned long)geteuid(),
                           *name ? "/" : "", name);
}

static int make(void **state)
{
    if (folder_make(state) < 0)
        return -1;
    return setenv("TMPDIR", folder, 1);
}

static void open_cache(struct gcal_worker_cache *cache)
{
    struct gcal_error err = { 0 };
    char *path = path_of("");

    if (gcal_worker_cache_open(cache, &err) < 0)
        fail_msg("%s", err.text);
    assert_string_equal(cache->folder, path);
    free(path);
}

static void make_folders(const char *path)
{
    char *copy = strdup(path);

    for (char *at = copy + 1; (at = strchr(at, '/')); *at++ = '/') {
        *at = '\0';
        mkdir(copy, 0700);
    }
    free(copy);
}

/* A file of 'size' bytes that was used 'age_s' ago. */
static void write_file(const char *name, size_t size, time_t age_s)
{
    char *path = path_of(name), *bytes = calloc(1, size);
    struct timespec times[2] = { { .tv_sec = time(NULL) - age_s } };
    int file;

    make_folders(path);
    file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(file >= 0);
    assert_int_equal(write(file, bytes, size), size);
    times[1] = times[0];
    assert_int_equal(futimens(file, times), 0);
    close(file);
    free(bytes);
    free(path);
}

static bool is_there(const char *name)
{
    char *path = path_of(name);
    bool there = access(path, F_OK) == 0;

    free(path);
    return there;
}

static void stays_below_its_limit(void **state)
{
    struct gcal_worker_cache cache;

    (void)state;
    open_cache(&cache);
    write_file("mesa/old", 64 * KIB, 5000);
    write_file("mesa/ab/older", 64 * KIB, 6000);
    write_file("neo/new.cl_cache", 64 * KIB, 10);
    gcal_worker_cache_trim(cache.folder, 200 * KIB);
    assert_true(is_there("mesa/ab/older"));
    gcal_worker_cache_trim(cache.folder, 190 * KIB);
    assert_true(!is_there("mesa/ab/older"));
    assert_true(is_there("mesa/old") && is_there("neo/new.cl_cache"));
    gcal_worker_cache_trim(cache.folder, 100 * KIB);
    assert_true(!is_there("mesa/old"));
    assert_true(is_there("neo/new.cl_cache"));
    assert_true(is_there("lock"));
    gcal_worker_cache_close(&cache);
}

/* A program of PoCL is several files, and NVIDIA's files have an index. */
static void removes_what_belongs_together(void **state)
{
    struct gcal_worker_cache cache;

    (void)state;
    open_cache(&cache);
    write_file("pocl/AB/CDEF/program.bc", 32 * KIB, 5000);
    write_file("pocl/AB/CDEF/k/8-1-1/k.so", 32 * KIB, 30); /* a later launch */
    write_file("pocl/AB/0123/program.bc", 32 * KIB, 4000);
    write_file("pocl/AB/0123/k/8-1-1/k.so", 32 * KIB, 4000);
    write_file("cuda/index", 4 * KIB, 5);
    write_file("cuda/1/2/3", 32 * KIB, 9000);
    gcal_worker_cache_trim(cache.folder, 140 * KIB);
    assert_true(!is_there("pocl/AB/0123"));
    assert_true(is_there("pocl/AB/CDEF/program.bc"));
    assert_true(is_there("pocl/AB/CDEF/k/8-1-1/k.so"));
    assert_true(is_there("cuda/1/2/3"));
    gcal_worker_cache_trim(cache.folder, 40 * KIB);
    assert_true(!is_there("pocl/AB/CDEF") && !is_there("cuda"));
    gcal_worker_cache_close(&cache);
}

/* Larger than the limit, without its space. */
static void write_large(const char *name, time_t age_s)
{
    write_file(name, 1, age_s);
}

/* $TMPDIR is a folder below the test's own. */
static void expect_refused(const char *where)
{
    struct gcal_worker_cache cache;
    char *own = gcal_buf_format("%s/", folder);

    assert_int_equal(setenv("TMPDIR", where, 1), 0);
    if (gcal_worker_cache_open(&cache, NULL) == 0) {
        if (strncmp(cache.folder, own, strlen(own)) == 0)
            fail_msg("%s is taken", cache.folder);
        gcal_worker_cache_close(&cache);
    }
    free(own);
}

/* Its owner may rename what is in it, also in a sticky one: /tmp is used instead. */
static void no_other_user_owns_a_folder_above(void **state)
{
    char *above = gcal_buf_format("%s/above", folder);
    char *below = gcal_buf_format("%s/above/below", folder);
    char *link = gcal_buf_format("%s/link", folder);
    struct gcal_worker_cache cache;

    (void)state;
    if (geteuid() != 0)
        skip();
    assert_int_equal(mkdir(above, 0755) | mkdir(below, 0700), 0);
    assert_int_equal(symlink("above/below", link), 0);
    assert_int_equal(chown(below, 1, 1) | chmod(below, 01777), 0);
    expect_refused(below);
    assert_int_equal(chown(below, 0, 0), 0);
    assert_int_equal(chown(above, 1, 1), 0);
    expect_refused(below);
    expect_refused(link);
    assert_int_equal(chown(above, 0, 0) | chmod(above, 0777), 0);
    expect_refused(below);
    assert_int_equal(chmod(above, 01777), 0);
    assert_int_equal(setenv("TMPDIR", link, 1), 0);
    assert_int_equal(gcal_worker_cache_open(&cache, NULL), 0);
    assert_int_equal(strncmp(cache.folder, below, strlen(below)), 0); /* not the link's */
    gcal_worker_cache_close(&cache);
    free(above);
    free(below);
    free(link);
}

static void is_not_trimmed_while_others_use_it(void **state)
{
    struct gcal_worker_cache first, second;
    char *path;
    int file;

    (void)state;
    open_cache(&first);
    write_large("neo/large", 100);
    path = path_of("neo/large");
    file = open(path, O_WRONLY);
    if (file < 0 || posix_fallocate(file, 0, GCAL_WORKER_CACHE_BYTES + KIB) != 0) {
        print_message("too little space\n");
        skip();
    }
    close(file);
    open_cache(&second);
    gcal_worker_cache_close(&second);
    assert_true(is_there("neo/large"));
    gcal_worker_cache_close(&first);
    assert_true(!is_there("neo/large"));
    free(path);
}

static void is_the_users_own(void **state)
{
    struct gcal_worker_cache cache = { 0 };
    struct gcal_error err = { 0 };
    char *path = path_of(""), *variable;

    (void)state;
    open_cache(&cache);
    gcal_worker_cache_close(&cache);
    chmod(path, 0755);
    assert_int_equal(gcal_worker_cache_open(&cache, &err), 0); /* in /tmp */
    assert_string_not_equal(cache.folder, path);
    gcal_worker_cache_close(&cache);
    chmod(path, 0700);
    chmod(folder, 0777);
    assert_int_equal(gcal_worker_cache_open(&cache, &err), 0);
    assert_string_not_equal(cache.folder, path);
    gcal_worker_cache_close(&cache);
    chmod(folder, 0700);
    open_cache(&cache);
    unsetenv("POCL_CACHE_DIR");
    setenv("CUDA_CACHE_PATH", "/elsewhere", 1);
    setenv("CUDA_CACHE_DISABLE", "1", 1);
    assert_int_equal(gcal_worker_cache_set_variables(cache.folder, &err), 0);
    variable = path_of("pocl");
    assert_string_equal(getenv("POCL_CACHE_DIR"), variable);
    assert_string_equal(getenv("CUDA_CACHE_PATH"), "/elsewhere"); /* as the user wants */
    assert_string_equal(getenv("CUDA_CACHE_DISABLE"), "0");
    assert_true(is_there("pocl"));
    free(variable);
    gcal_worker_cache_close(&cache);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(stays_below_its_limit, make, folder_remove),
        cmocka_unit_test_setup_teardown(removes_what_belongs_together, make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(is_not_trimmed_while_others_use_it, make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(is_the_users_own, make, folder_remove),
        cmocka_unit_test_setup_teardown(no_other_user_owns_a_folder_above, make,
                                        folder_remove),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
