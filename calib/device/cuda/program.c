/* program.c - OpenCL's programs and kernels, as CUDA's modules and functions */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/strings.h"
#include "calib/device/cuda/private.h"

enum {
    /* attributes of devices */
    COMPUTE_CAPABILITY_MAJOR = 75,
    COMPUTE_CAPABILITY_MINOR = 76,
    /* of functions */
    MAX_THREADS_PER_BLOCK = 0,
    LOCAL_SIZE_BYTES = 3,
    NUM_REGS = 4,
    MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
    MAX_ARGUMENTS = 256,
    WARP_SIZE = 32,
};

struct _cl_program {
    const cl_icd_dispatch *dispatch;
    cl_device_id device;
    char *source, *log;
    void *module;
    char *name; /* in the module, of the kernel that it was built for */
};

/* What an argument of local memory adds to the launch's has no value. */
struct _cl_kernel {
    const cl_icd_dispatch *dispatch;
    cl_device_id device;
    void *function;
    struct {
        void *value;
        size_t shared_bytes;
    } arguments[MAX_ARGUMENTS];
    cl_uint n_arguments;
};

/* ---- programs ---- */

/* What sources use without their own headers, which run-time compilers do not have. */
static const char prelude[] =
    "namespace std {}\n"
    "typedef signed char int8_t; typedef short int16_t; typedef int int32_t;\n"
    "typedef long int64_t; typedef unsigned char uint8_t; typedef unsigned short "
    "uint16_t;\n"
    "typedef unsigned int uint32_t; typedef unsigned long uint64_t;\n"
    "typedef unsigned int uint;\n"
    "#line 1\n";

cl_program gcal_cuda_create_program(cl_context context, cl_uint n, const char **texts,
                                    const size_t *lengths, cl_int *code)
{
    cl_program program = gcal_cuda_make(context->device, sizeof(*program), code);
    struct gcal_buf source = { 0 };

    (void)lengths;
    gcal_buf_puts(&source, prelude);
    for (cl_uint i = 0; i < n; i++)
        gcal_buf_put(&source, texts[i], strlen(texts[i]));
    if (program && (program->source = gcal_buf_take(&source, NULL))) {
        program->device = context->device;
        return program;
    }
    gcal_buf_free(&source);
    free(program);
    *code = CL_OUT_OF_HOST_MEMORY;
    return NULL;
}

cl_int gcal_cuda_release_program(cl_program program)
{
    if (program->module)
        gcal_cuda_enter(program->device)->ModuleUnload(program->module);
    free(program->source);
    free(program->log);
    free(program->name);
    free(program);
    return CL_SUCCESS;
}

/* What a run-time compiler takes of the options that people give nvcc or hipcc. */
static bool is_compilers(const char *option)
{
    static const char *const known[] = { "-D",
                                         "-U",
                                         "-I",
                                         "--define-macro",
                                         "-std=",
                                         "--std=",
                                         "-use_fast_math",
                                         "--use_fast_math",
                                         "-ffast-math",
                                         "-ftz=",
                                         "--ftz=",
                                         "-fmad=",
                                         "--fmad=",
                                         "-prec-",
                                         "--prec-",
                                         "-maxrregcount=",
                                         "--maxrregcount=" };

    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (strncmp(option, known[i], strlen(known[i])) == 0)
            return true;
    return false;
}

/* The compiler's output becomes the program's log. */
static int compile(cl_program program, int n_options, const char *const *options,
                   const char *entry)
{
    const struct gcal_cuda_api *api = program->device->api;
    const char *lowered;
    void *compiler = NULL;
    size_t size = 0;
    int error =
        api->CreateProgram(&compiler, program->source, "kernel.cu", 0, NULL, NULL);

    if (error)
        return error;
    if ((error = api->AddNameExpression(compiler, entry)) == 0)
        error = api->CompileProgram(compiler, n_options, options);
    if (api->GetProgramLogSize(compiler, &size) == 0 &&
        (program->log = calloc(1, size + 1)))
        api->GetProgramLog(compiler, program->log);
    if (error == 0 && (error = api->GetLoweredName(compiler, entry, &lowered)) == 0 &&
        (error = api->GetCodeSize(compiler, &size)) == 0) {
        char *code = malloc(size + 1);

        error = code ? api->GetCode(compiler, code) : 1;
        if (error == 0)
            error = api->ModuleLoadData(&program->module, code);
        if (error == 0 && !(program->name = strdup(lowered)))
            error = 1;
        free(code);
    }
    api->DestroyProgram(&compiler);
    return error;
}

/* For this GPU: code that its driver need not compile again; NULL: the compiler's default. */
static char *architecture(cl_device_id device)
{
    const struct gcal_cuda_api *api = device->api;
    int major, minor;

    if (!api->DeviceGetAttribute ||
        api->DeviceGetAttribute(&major, COMPUTE_CAPABILITY_MAJOR, device->device) != 0 ||
        api->DeviceGetAttribute(&minor, COMPUTE_CAPABILITY_MINOR, device->device) != 0)
        return NULL;
    return gcal_buf_format("--gpu-architecture=sm_%d%d", major, minor);
}

cl_int gcal_cuda_build_program(cl_program program, cl_uint n, const cl_device_id *devices,
                               const char *options,
                               void(CL_CALLBACK *notify)(cl_program, void *), void *data)
{
    bool is_cuda = program->device->language == GCAL_SOURCE_CUDA, has_standard = false;
    const struct gcal_cuda_api *api = gcal_cuda_enter(program->device);
    char *folder = gcal_cuda_include_folder(api), *target = architecture(program->device);
    struct gcal_strings words = { 0 }, given = { 0 };
    const char *entry = "";
    int error = gcal_strings_add_options(&words, options, NULL);

    (void)n, (void)devices, (void)notify, (void)data;
    for (size_t i = 0; i < words.n && error == 0; i++)
        if (strncmp(words.items[i], GCAL_CUDA_ENTRY, strlen(GCAL_CUDA_ENTRY)) == 0)
            entry = words.items[i] + strlen(GCAL_CUDA_ENTRY);
        else if (is_compilers(words.items[i])) {
            has_standard |= strstr(words.items[i], "-std=") != NULL;
            error = gcal_strings_add(&given, words.items[i], NULL);
        }
    if (error == 0 && folder)
        error = gcal_strings_take(&given, gcal_buf_format("-I%s", folder), NULL);
    if (error == 0 && target)
        error = gcal_strings_add(&given, target, NULL);
    if (error == 0 && is_cuda) /* functions of both sides */
        error = gcal_strings_add(&given, "--device-as-default-execution-space", NULL);
    if (error == 0 && !has_standard)
        error = gcal_strings_add(&given, "--std=c++17", NULL);
    if (error == 0)
        error = compile(program, (int)given.n, (const char *const *)given.items, entry);
    gcal_strings_clear(&words);
    gcal_strings_clear(&given);
    free(folder);
    free(target);
    return error ? CL_BUILD_PROGRAM_FAILURE : CL_SUCCESS;
}

cl_int gcal_cuda_get_build_info(cl_program program, cl_device_id device,
                                cl_program_build_info what, size_t size, void *value,
                                size_t *needed)
{
    const char *log = program->log ? program->log : "";

    (void)device;
    if (what != CL_PROGRAM_BUILD_LOG)
        return CL_INVALID_VALUE;
    if (needed)
        *needed = strlen(log) + 1;
    if (value && size > strlen(log))
        strcpy(value, log);
    return CL_SUCCESS;
}

/* ---- kernels ---- */

/* 'name' is the program's entry: it is built for no other. */
cl_kernel gcal_cuda_create_kernel(cl_program program, const char *name, cl_int *code)
{
    const struct gcal_cuda_api *api = gcal_cuda_enter(program->device);
    cl_int ignored, *result = code ? code : &ignored;
    cl_kernel kernel = gcal_cuda_make(program->device, sizeof(*kernel), result);
    int error;

    (void)name;
    if (!kernel)
        return NULL;
    kernel->device = program->device;
    if ((error = api->ModuleGetFunction(&kernel->function, program->module,
                                        program->name)) == 0)
        return kernel;
    free(kernel);
    *result = gcal_cuda_code(error);
    return NULL;
}

cl_int gcal_cuda_release_kernel(cl_kernel kernel)
{
    for (cl_uint i = 0; i < kernel->n_arguments; i++)
        free(kernel->arguments[i].value);
    free(kernel);
    return CL_SUCCESS;
}

/* In the order of their indices. */
cl_int gcal_cuda_set_argument(cl_kernel kernel, cl_uint index, size_t size,
                              const void *value)
{
    void *copy = NULL;

    if (index >= MAX_ARGUMENTS || index > kernel->n_arguments)
        return CL_INVALID_ARG_INDEX;
    if (value && !(copy = malloc(size + sizeof(gcal_cuda_address))))
        return CL_OUT_OF_HOST_MEMORY;
    if (value && size == sizeof(cl_mem) && gcal_cuda_is_memory(kernel->device, value))
        memcpy(copy, &(*(const cl_mem *)value)->address, sizeof(gcal_cuda_address));
    else if (value)
        memcpy(copy, value, size);
    if (index == kernel->n_arguments)
        kernel->n_arguments++;
    free(kernel->arguments[index].value);
    kernel->arguments[index].value = copy;
    kernel->arguments[index].shared_bytes = value ? 0 : size;
    return CL_SUCCESS;
}

cl_int gcal_cuda_get_kernel_info(cl_kernel kernel, cl_device_id device,
                                 cl_kernel_work_group_info what, size_t size, void *value,
                                 size_t *needed)
{
    const struct gcal_cuda_api *api = gcal_cuda_enter(device);
    int number = WARP_SIZE, error = 0;
    cl_ulong wide;

    if (what == GCAL_CUDA_KERNEL_REGISTERS)
        error = api->FuncGetAttribute(&number, NUM_REGS, kernel->function);
    else if (what == CL_KERNEL_PRIVATE_MEM_SIZE)
        error = api->FuncGetAttribute(&number, LOCAL_SIZE_BYTES, kernel->function);
    else if (what == CL_KERNEL_WORK_GROUP_SIZE)
        error = api->FuncGetAttribute(&number, MAX_THREADS_PER_BLOCK, kernel->function);
    else if (what != CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE)
        return CL_INVALID_VALUE;
    if (needed)
        *needed = sizeof(wide);
    if (size < sizeof(wide))
        return CL_INVALID_VALUE;
    wide = number > 0 ? (cl_ulong)number : 0;
    memcpy(value, &wide, sizeof(wide));
    return gcal_cuda_code(error);
}

/* Global sizes are multiples of the local ones. */
cl_int gcal_cuda_launch(cl_command_queue queue, cl_kernel kernel, cl_uint n_dims,
                        const size_t *offset, const size_t *global, const size_t *local,
                        cl_uint n, const cl_event *list, cl_event *event)
{
    const struct gcal_cuda_api *api = gcal_cuda_enter(queue->device);
    unsigned grid[3] = { 1, 1, 1 }, block[3] = { 1, 1, 1 };
    void *arguments[MAX_ARGUMENTS];
    size_t n_arguments = 0, shared_bytes = 0;
    cl_int code = CL_SUCCESS;

    (void)offset, (void)n, (void)list;
    for (cl_uint i = 0; i < n_dims; i++) {
        if (global[i] / local[i] > UINT32_MAX)
            return CL_INVALID_GLOBAL_WORK_SIZE;
        block[i] = (unsigned)local[i];
        grid[i] = (unsigned)(global[i] / local[i]);
    }
    for (cl_uint i = 0; i < kernel->n_arguments; i++) {
        shared_bytes += kernel->arguments[i].shared_bytes;
        if (kernel->arguments[i].value)
            arguments[n_arguments++] = kernel->arguments[i].value;
    }
    if (shared_bytes && api->FuncSetAttribute) /* more than 48 KB only if asked for */
        code = gcal_cuda_code(api->FuncSetAttribute(
            kernel->function, MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)shared_bytes));
    if (code == CL_SUCCESS && event)
        *event = gcal_cuda_event_begin(queue, &code);
    if (code == CL_SUCCESS)
        code = gcal_cuda_code(api->LaunchKernel(
            kernel->function, grid[0], grid[1], grid[2], block[0], block[1], block[2],
            (unsigned)shared_bytes, queue->stream, arguments, NULL));
    if (code == CL_SUCCESS && event)
        code = gcal_cuda_event_end(*event);
    return code;
}
