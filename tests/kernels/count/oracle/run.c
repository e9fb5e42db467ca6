/* run.c - a kernel as an Oclgrind simulation, and the process that runs it */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/model/dtype.h"
#include "tests/kernels/count/oracle/oracle.h"

static const struct rlimit longest_run = { 100, 100 }; /* s of CPU time, however busy */

bool oracle_is_there(void)
{
    return system("command -v oclgrind-kernel > /dev/null 2>&1") == 0;
}

/* Oclgrind's name of a dtype.  It has no half: ushort instead, all zero. */
static const char *type_of(const char *dtype)
{
    static const char *const names[][2] = {
        { "int8", "char" },      { "uint8", "uchar" },   { "int16", "short" },
        { "uint16", "ushort" },  { "int32", "int" },     { "uint32", "uint" },
        { "int64", "long" },     { "uint64", "ulong" },  { "float32", "float" },
        { "float64", "double" }, { "float16", "ushort" }
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (strcmp(names[i][0], dtype) == 0)
            return names[i][1];
    return "char";
}

/* Integers are 0 unless given: an index within every array. */
static const char *fill_of(const char *dtype)
{
    return strcmp(dtype, "float32") == 0 || strcmp(dtype, "float64") == 0 ? "0.75" : "0";
}

static const char *input_of(const struct gcal_kernel *kernel, const char *argument)
{
    for (const struct oracle_input *in = oracle_inputs; in->generator; in++)
        if (strcmp(in->generator, kernel->generator) == 0 &&
            strcmp(in->argument, argument) == 0)
            return in->value;
    return NULL;
}

static int put_values(const struct oracle_job *job, const char *text, size_t n,
                      struct gcal_buf *out, struct gcal_error *err)
{
    struct gcal_size *sizes = calloc(job->n_sizes + 1, sizeof(*sizes));
    int rc = 0;

    if (!sizes)
        return gcal_error_memory(err);
    if (job->n_sizes)
        memcpy(sizes, job->sizes, job->n_sizes * sizeof(*sizes));
    sizes[job->n_sizes].name = "i";
    for (size_t i = 0; i < n && rc == 0; i++) {
        double value = 0;

        sizes[job->n_sizes].value = (double)i;
        rc = oracle_value(text, job->n_sizes + 1, sizes, &value, err);
        gcal_buf_printf(out, "%.9g\n", value);
    }
    free(sizes);
    return rc;
}

static int put_argument(const struct oracle_job *job, size_t a, double value,
                        struct gcal_buf *out, struct gcal_error *err)
{
    const struct gcal_arg *arg = &job->kernel->args[a];
    size_t size = gcal_dtype_size(arg->dtype);
    const char *input = input_of(job->kernel, arg->name);

    if (arg->kind == GCAL_ARG_SCALAR) {
        if (input && oracle_value(input, job->n_sizes, job->sizes, &value, err) < 0)
            return -1;
        gcal_buf_printf(out, "<size=%zu %s>\n%.9g\n", size, type_of(arg->dtype), value);
        return 0;
    }
    size *= (size_t)value;
    if (arg->kind == GCAL_ARG_LOCAL) {
        gcal_buf_printf(out, "<size=%zu>\n", size);
        return 0;
    }
    gcal_buf_printf(out, "<size=%zu %s", size, type_of(arg->dtype));
    if (!input) {
        gcal_buf_printf(out, " fill=%s>\n", fill_of(arg->dtype));
        return 0;
    }
    gcal_buf_puts(out, ">\n");
    return put_values(job, input, (size_t)value, out, err);
}

static int write_text(const char *folder, const char *name, const char *text,
                      struct gcal_error *err)
{
    char *path = gcal_buf_format("%s/%s", folder, name);
    FILE *file = path ? fopen(path, "w") : NULL;
    int rc = file ? 0 : -1;

    if (file && fputs(text, file) < 0)
        rc = -1;
    if (file && fclose(file) != 0)
        rc = -1;
    if (rc < 0)
        gcal_error_set(err, GCAL_EINPUT, "%s/%s: %s", folder, name, strerror(errno));
    free(path);
    return rc;
}

int oracle_write_simulation(const struct oracle_job *job, const char *folder,
                            struct gcal_error *err)
{
    const struct gcal_kernel *k = job->kernel;
    struct gcal_geometry geometry = { 0 };
    struct gcal_buf out = { 0 };
    size_t global[3] = { 1, 1, 1 }, local[3] = { 1, 1, 1 };
    char *text;
    int rc;

    if (gcal_kernel_geometry(k, job->n_sizes, job->sizes, &geometry, err) < 0)
        return -1;
    for (size_t d = 0; d < k->n_dims; d++) {
        global[d] = geometry.global_size[d];
        local[d] = k->local_size[d];
    }
    gcal_buf_printf(&out, "%s/kernel.cl\n%s\n%zu %zu %zu\n%zu %zu %zu\n\n", folder,
                    k->entry, global[0], global[1], global[2], local[0], local[1],
                    local[2]);
    rc = 0;
    for (size_t a = 0; a < k->n_args && rc == 0; a++)
        rc = put_argument(job, a, geometry.arg_values[a], &out, err);
    gcal_kernel_geometry_clear(&geometry);
    text = gcal_buf_take(&out, err);
    if (!text || rc < 0 || write_text(folder, "kernel.cl", k->source, err) < 0 ||
        write_text(folder, "kernel.sim", text, err) < 0)
        rc = -1;
    free(text);
    return rc;
}

int oracle_start(const struct oracle_job *job, const char *folder, int *pid,
                 struct gcal_error *err)
{
    const char *options = job->kernel->build_options;
    char *out = gcal_buf_format("%s/out", folder),
         *sim = gcal_buf_format("%s/kernel.sim", folder);
    char *build = gcal_buf_format("-cl-std=CL1.2 -cl-opt-disable%s%s",
                                  options && *options ? " " : "", options ? options : "");
    int rc = -1;

    if (!out || !sim || !build) {
        gcal_error_memory(err);
        goto done;
    }
    if ((*pid = fork()) < 0) {
        gcal_error_set(err, GCAL_EINPUT, "fork: %s", strerror(errno));
        goto done;
    }
    if (*pid == 0) {
        int fd = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600);

        if (fd < 0 || dup2(fd, 1) < 0 || dup2(fd, 2) < 0)
            _exit(126);
        setrlimit(RLIMIT_CPU, &longest_run); /* outlives exec */
        execlp("oclgrind-kernel", "oclgrind-kernel", "--inst-counts", "--num-threads",
               "1", "--build-options", build, sim, (char *)NULL);
        _exit(127);
    }
    rc = 0;
done:
    free(out);
    free(sim);
    free(build);
    return rc;
}
