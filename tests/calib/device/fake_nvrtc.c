/* fake_nvrtc.c - a libnvrtc.so whose code is the path of a library for the host (fake_cuda.c)
 *
 * It compiles with clang, as C++, between a few words of CUDA and a function that calls the kernel
 * for each thread.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GOOD = 0, COMPILATION = 6, SIZE = 1 << 16 };

static const char before[] = "#define __global__ static\n"
                             "#define __device__ inline\n"
                             "#define __shared__\n"
                             "#define __launch_bounds__(n)\n"
                             "#define __restrict__\n"
                             "struct dim3 { unsigned x, y, z; };\n"
                             "static dim3 threadIdx, blockIdx, blockDim, gridDim;\n"
                             "#line 1 \"kernel.cu\"\n";
static const char after[] =
    "\ntemplate <class T, T... I> struct numbers {};\n"
    "template <class... A, int... I>\n"
    "static void call(void (*kernel)(A...), void **a, numbers<int, I...>)\n"
    "{ kernel(*(A *)a[I]...); }\n"
    "template <class... A> static void start(void (*kernel)(A...), void **a)\n"
    "{ call(kernel, a, __make_integer_seq<numbers, int, sizeof...(A)>()); }\n"
    "float block[4096];\n" /* what kernels declare as extern __shared__ */
    "extern \"C\" void gpucal_run(const unsigned *g, const unsigned *b, unsigned shared,"
    " void **a) {\n"
    "  if (%d != (shared == sizeof(float) * b[0])) __builtin_trap();\n"
    "  gridDim = { g[0], g[1], g[2] }; blockDim = { b[0], b[1], b[2] };\n"
    "  for (blockIdx.z = 0; blockIdx.z < g[2]; blockIdx.z++)\n"
    "  for (blockIdx.y = 0; blockIdx.y < g[1]; blockIdx.y++)\n"
    "  for (blockIdx.x = 0; blockIdx.x < g[0]; blockIdx.x++)\n"
    "  for (threadIdx.z = 0; threadIdx.z < b[2]; threadIdx.z++)\n"
    "  for (threadIdx.y = 0; threadIdx.y < b[1]; threadIdx.y++)\n"
    "  for (threadIdx.x = 0; threadIdx.x < b[0]; threadIdx.x++)\n"
    "    start(&%s, a);\n"
    "}\n";

struct program {
    char source[SIZE], name[200], log[4000], path[100];
};

int nvrtcCreateProgram(struct program **program, const char *source, const char *name,
                       int n, const char *const *headers, const char *const *names);
int nvrtcDestroyProgram(struct program **program);
int nvrtcAddNameExpression(struct program *p, const char *name);
int nvrtcCompileProgram(struct program *p, int n, const char *const *options);
int nvrtcGetProgramLogSize(struct program *p, size_t *size);
int nvrtcGetProgramLog(struct program *p, char *log);
int nvrtcGetLoweredName(struct program *p, const char *name, const char **lowered);
int nvrtcGetCUBINSize(struct program *p, size_t *size);
int nvrtcGetCUBIN(struct program *p, char *code);

int nvrtcCreateProgram(struct program **program, const char *source, const char *name,
                       int n, const char *const *headers, const char *const *names)
{
    (void)name, (void)n, (void)headers, (void)names;
    *program = calloc(1, sizeof(**program));
    snprintf((*program)->source, SIZE, "%s", source);
    return GOOD;
}

int nvrtcDestroyProgram(struct program **program)
{
    free(*program);
    *program = NULL;
    return GOOD;
}

int nvrtcAddNameExpression(struct program *p, const char *name)
{
    snprintf(p->name, sizeof(p->name), "%s", name);
    return GOOD;
}

/* Of the options, macros. */
int nvrtcCompileProgram(struct program *p, int n, const char *const *options)
{
    char command[4000], line[300];
    int fd;
    FILE *file;

    snprintf(p->path, sizeof(p->path), "/tmp/gpucal-nvrtc-XXXXXX");
    fd = mkstemp(p->path);
    file = fd < 0 ? NULL : fdopen(fd, "w");
    if (!file)
        return COMPILATION;
    fprintf(file, "%s%s", before, p->source);
    fprintf(file, after, strcmp(p->name, "mirrored") == 0, p->name);
    fclose(file);
    snprintf(command, sizeof(command),
             "clang -x c++ -std=c++17 -w -O1 -shared -fPIC -nostdlib++");
    for (int i = 0; i < n; i++)
        if (strncmp(options[i], "-D", 2) == 0)
            snprintf(command + strlen(command), sizeof(command) - strlen(command),
                     " '%s'", options[i]);
        else if (strcmp(options[i], "--gpu-architecture=sm_90") != 0 &&
                 strcmp(options[i], "--std=c++17") != 0 &&
                 strcmp(options[i], "--device-as-default-execution-space") != 0 &&
                 strncmp(options[i], "-I", 2) != 0)
            return COMPILATION;
    snprintf(command + strlen(command), sizeof(command) - strlen(command),
             " %s -o %s.so 2>&1", p->path, p->path);
    file = popen(command, "r");
    while (file && fgets(line, sizeof(line), file))
        snprintf(p->log + strlen(p->log), sizeof(p->log) - strlen(p->log), "%s", line);
    fd = file ? pclose(file) : -1;
    unlink(p->path);
    snprintf(p->path + strlen(p->path), sizeof(p->path) - strlen(p->path), ".so");
    return fd == 0 ? GOOD : COMPILATION;
}

int nvrtcGetProgramLogSize(struct program *p, size_t *size)
{
    *size = strlen(p->log) + 1;
    return GOOD;
}

int nvrtcGetProgramLog(struct program *p, char *log)
{
    strcpy(log, p->log);
    return GOOD;
}

int nvrtcGetLoweredName(struct program *p, const char *name, const char **lowered)
{
    *lowered = "gpucal_run";
    return strcmp(name, p->name) == 0 ? GOOD : COMPILATION;
}

int nvrtcGetCUBINSize(struct program *p, size_t *size)
{
    *size = strlen(p->path) + 1;
    return GOOD;
}

int nvrtcGetCUBIN(struct program *p, char *code)
{
    strcpy(code, p->path);
    return GOOD;
}
