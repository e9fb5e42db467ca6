/* built.c - what the driver says of a built kernel: registers, private memory, work-groups
 *
 * OpenCL has no query for registers.  NVIDIA's compiler writes them to the log of a build with
 * -cl-nv-verbose, which costs nothing.  A build from the driver's cache may have an empty
 * log: then the CUDA driver is asked, which compiles the program's binary (PTX) once more.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "calib/device/cuda/cuda.h"
#include "calib/device/private.h"

#define PROPERTIES "Function properties for "
#define USED       "Used "

static uint64_t kernel_number(const struct gcal_device *cl, cl_kernel kernel,
                              cl_kernel_work_group_info what)
{
    uint64_t value = 0; /* also for numbers of 4 bytes, on little-endian hosts */

    return clGetKernelWorkGroupInfo(kernel, cl->id, what, sizeof(value), &value, NULL) ==
                   CL_SUCCESS
               ? value
               : 0;
}

/* ---- the log of the build ---- */

static bool is_name_end(const char *c)
{
    return !isalnum((unsigned char)*c) && *c != '_' && *c != '$';
}

/* What the log has of the function, up to the next one; NULL: nothing. */
static const char *find_function(const char *log, const char *entry, const char **end)
{
    size_t n = strlen(entry);

    for (const char *at = log; (at = strstr(at, PROPERTIES));) {
        at += strlen(PROPERTIES);
        at += *at == '\'';
        if (strncmp(at, entry, n) != 0 || !is_name_end(at + n))
            continue;
        *end = strstr(at, PROPERTIES);
        return at;
    }
    return NULL;
}

uint64_t gcal_device_log_registers(const char *log, const char *entry)
{
    const char *end = NULL, *at = find_function(log, entry, &end), *used;
    char *after;
    long n;

    if (!at || !(used = strstr(at, USED)) || (end && used > end))
        return 0;
    n = strtol(used + strlen(USED), &after, 10);
    return n > 0 && strncmp(after, " registers", strlen(" registers")) == 0 ? (uint64_t)n
                                                                            : 0;
}

/* ---- the binary ---- */

/* As a text, the caller's to free; NULL: there is none. */
static char *program_binary(cl_program program)
{
    size_t size = 0;
    char *binary;

    if (clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL) !=
            CL_SUCCESS ||
        !size || !(binary = calloc(1, size + 1)))
        return NULL;
    if (clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL) ==
        CL_SUCCESS)
        return binary;
    free(binary);
    return NULL;
}

/* ---- all of it ---- */

static struct gcal_built ask(struct gcal_device *cl, cl_program program, cl_kernel kernel,
                             const char *entry)
{
    struct gcal_built built = {
        .registers = kernel_number(cl, kernel, GCAL_CUDA_KERNEL_REGISTERS),
        .private_bytes = kernel_number(cl, kernel, CL_KERNEL_PRIVATE_MEM_SIZE),
        .work_group_size = kernel_number(cl, kernel, CL_KERNEL_WORK_GROUP_SIZE),
        .multiple =
            kernel_number(cl, kernel, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE),
    };

    if (built.registers || !cl->is_nvidia)
        return built;
    char *log = gcal_device_build_log(cl, program);
    built.registers = log ? gcal_device_log_registers(log, entry) : 0;
    free(log);
    if (built.registers)
        return built;
    char *binary = program_binary(program);
    if (binary && !cl->cuda)
        cl->cuda = gcal_device_cuda_open(cl->info.pci);
    if (binary && cl->cuda)
        built.registers = gcal_device_cuda_registers(cl->cuda, binary, entry);
    free(binary);
    return built;
}

struct gcal_built gcal_device_ask_built(struct gcal_device *cl,
                                        struct gcal_device_program *program,
                                        cl_kernel kernel, const char *entry)
{
    if (!program->asked || strcmp(program->asked, entry) != 0) {
        program->built = ask(cl, program->program, kernel, entry);
        free(program->asked);
        program->asked = strdup(entry); /* without memory, asked again */
    }
    return program->built;
}

int gcal_device_build(struct gcal_device *cl, const struct gcal_device_job *job,
                      struct gcal_built *built, struct gcal_error *err)
{
    struct gcal_device_program *program;
    cl_kernel kernel = gcal_device_kernel(cl, job, &program, err);

    if (!kernel)
        return -1;
    *built = gcal_device_ask_built(cl, program, kernel, job->entry);
    clReleaseKernel(kernel);
    return 0;
}
