/* steady_device.c - preloaded, kernels take times that follow from their launch alone
 *
 * Tests of whole runs are about what gpucal does with times, and must not depend on how busy
 * the machine is.  With this library the events say
 *
 *     time = 2 us + $TEST_NS ns * work-items * product of the integer arguments counted
 *
 * with 0.1 % of noise, the same in each run; TEST_NS is 10 unless set.  $TEST_COUNTED has the
 * positions of these arguments, for example "1,3"; without it all positions count.
 *
 * The first launches of a kernel object are run as always, and so are all checks of results;
 * further ones only pass the time.  The process's clock agrees with the events: from a launch
 * until somebody waits for it, it goes on by the times of the launches alone, however long the
 * process waits for a processor.  With $TEST_RUN_ITEMS, no launch of more
 * work-items is run at all.  With $TEST_NO_BUILD, no program can be built, or none for the
 * second device of its platform, if it is 2.  With $TEST_GPU, all devices are GPUs.  From
 * launch $TEST_LATE of a process on, all times are 1.3 times as long; with $TEST_TWO, so are those
 * of every second so many launches.  With TEST_HOLD=N:FILE,
 * launch N of a process and those after it wait while there is such a file: a test meddles with
 * the run meanwhile, and need not be faster than it.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define REAL(f) ((__typeof__(&f))dlsym(RTLD_NEXT, #f))

enum {
    MAX_KERNELS = 64,
    MAX_ARGS = 32,
    MAX_EVENTS = 64, /* gpucal holds the first and the last one of a queue */
    RUN_LAUNCHES = 2,
};

static struct kernel {
    cl_kernel kernel;
    cl_uint ints[MAX_ARGS]; /* 0: not an integer */
    unsigned n_launches;
} kernels[MAX_KERNELS];
static struct {
    cl_event event;
    cl_ulong start_ns, end_ns;
} events[MAX_EVENTS];
static unsigned n_kernels, n_events;
static cl_ulong clock_ns = 1000000000;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- arguments ---- */

/* The newest kernel at this address; the place of the oldest one if there is none. */
static struct kernel *find(cl_kernel kernel, bool is_new)
{
    struct kernel *k = NULL;

    for (unsigned i = 0; i < MAX_KERNELS && !k; i++)
        if (kernels[i].kernel == kernel)
            k = &kernels[i];
    if (!k)
        k = &kernels[n_kernels++ % MAX_KERNELS];
    if (is_new || k->kernel != kernel)
        *k = (struct kernel){ .kernel = kernel };
    return k;
}

cl_kernel clCreateKernel(cl_program program, const char *name, cl_int *code)
{
    cl_kernel kernel = REAL(clCreateKernel)(program, name, code);

    pthread_mutex_lock(&lock);
    find(kernel, true);
    pthread_mutex_unlock(&lock);
    return kernel;
}

cl_int clSetKernelArg(cl_kernel kernel, cl_uint at, size_t size, const void *value)
{
    cl_int number = 0;

    if (size == sizeof(number) && value)
        memcpy(&number, value, sizeof(number));
    pthread_mutex_lock(&lock);
    /* What is larger is a float. */
    if (at < MAX_ARGS)
        find(kernel, false)->ints[at] =
            number > 0 && number < 1 << 28 ? (cl_uint)number : 0;
    pthread_mutex_unlock(&lock);
    return REAL(clSetKernelArg)(kernel, at, size, value);
}

static bool is_counted(unsigned at)
{
    const char *counted = getenv("TEST_COUNTED");
    char *end;

    for (; counted && *counted; counted = *end == ',' ? end + 1 : end)
        if (strtoul(counted, &end, 10) == at)
            return true;
        else if (end == counted)
            return false;
    return !counted;
}

static bool is_second(cl_device_id device)
{
    cl_device_id devices[2] = { 0 };
    cl_platform_id platform;

    REAL(clGetDeviceInfo)(device, CL_DEVICE_PLATFORM, sizeof(platform), &platform, NULL);
    REAL(clGetDeviceIDs)(platform, CL_DEVICE_TYPE_ALL, 2, devices, NULL);
    return devices[1] == device;
}

cl_int clBuildProgram(cl_program program, cl_uint n, const cl_device_id *devices,
                      const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                      void *data)
{
    const char *no_build = getenv("TEST_NO_BUILD");

    if (no_build && (strcmp(no_build, "2") != 0 || (n && is_second(*devices))))
        return CL_BUILD_PROGRAM_FAILURE;
    return REAL(clBuildProgram)(program, n, devices, options, notify, data);
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t size, void *value,
                       size_t *size_ret)
{
    __typeof__(&clGetDeviceInfo) real = REAL(clGetDeviceInfo);
    cl_int code =
        /* without OpenCL among the libraries of the process, as in mpirun's plugins */
        real ? real(device, what, size, value, size_ret) : CL_INVALID_DEVICE;

    if (what == CL_DEVICE_TYPE && getenv("TEST_GPU") && value)
        *(cl_device_type *)value = CL_DEVICE_TYPE_GPU;
    return code;
}

/* ---- times ---- */

static cl_ulong time_of(cl_kernel kernel, cl_uint n_dims, const size_t *global)
{
    static uint32_t noise = 1;
    const cl_uint *ints = find(kernel, false)->ints;
    static unsigned long n_launches;
    const char *ns = getenv("TEST_NS"), *late = getenv("TEST_LATE"),
               *two = getenv("TEST_TWO");
    double work = ns ? strtod(ns, NULL) : 10;

    for (cl_uint i = 0; i < n_dims; i++)
        work *= (double)global[i];
    for (unsigned i = 0; i < MAX_ARGS; i++)
        if (ints[i] && is_counted(i))
            work *= ints[i];
    n_launches++;
    if ((late && n_launches > strtoul(late, NULL, 10)) ||
        (two && n_launches / strtoul(two, NULL, 10) % 2))
        work *= 1.3;
    noise = 1664525 * noise + 1013904223;
    return (cl_ulong)((2000 + work) * (1 + 0.001 * ((double)noise / 4294967296.0)));
}

static void note_event(cl_event event, cl_ulong time_ns)
{
    for (unsigned i = 0; i < MAX_EVENTS; i++)
        if (events[i].event == event)
            events[i].event = NULL;
    unsigned at = n_events++ % MAX_EVENTS;
    events[at].event = event;
    events[at].start_ns = clock_ns;
    events[at].end_ns = clock_ns + time_ns;
}

static bool is_run(cl_kernel kernel, cl_uint n_dims, const size_t *global)
{
    const char *most = getenv("TEST_RUN_ITEMS");
    double items = 1;
    bool is_run;

    for (cl_uint i = 0; i < n_dims; i++)
        items *= (double)global[i];
    if (most && items > strtod(most, NULL))
        return false;
    pthread_mutex_lock(&lock);
    is_run = find(kernel, false)->n_launches++ < RUN_LAUNCHES;
    pthread_mutex_unlock(&lock);
    return is_run;
}

/* ---- the process's clock ---- */

static struct {
    pthread_mutex_t lock;
    int64_t from_ns; /* when launches began, by the system's clock; 0: none are pending */
    int64_t launched_ns; /* their times */
    int64_t lost_ns;     /* how far this clock is behind */
} host = { .lock = PTHREAD_MUTEX_INITIALIZER };

static int64_t system_ns(void)
{
    struct timespec now;

    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return 1000000000 * (int64_t)now.tv_sec + now.tv_nsec;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    int64_t ns;

    if (clock != CLOCK_MONOTONIC)
        return (int)syscall(SYS_clock_gettime, clock, now);
    pthread_mutex_lock(&host.lock);
    ns = host.from_ns ? host.from_ns + host.launched_ns : system_ns();
    ns -= host.lost_ns;
    pthread_mutex_unlock(&host.lock);
    *now = (struct timespec){ ns / 1000000000, ns % 1000000000 };
    return 0;
}

static void begin_launches(void)
{
    pthread_mutex_lock(&host.lock);
    if (!host.from_ns)
        host.from_ns = system_ns();
    pthread_mutex_unlock(&host.lock);
}

static void pass(cl_ulong time_ns)
{
    struct timespec pause = { (time_t)(time_ns / 1000000000),
                              (long)(time_ns % 1000000000) };

    nanosleep(&pause, NULL);
    pthread_mutex_lock(&host.lock);
    host.launched_ns += (int64_t)time_ns;
    pthread_mutex_unlock(&host.lock);
}

static cl_int end_launches(cl_int code)
{
    pthread_mutex_lock(&host.lock);
    if (host.from_ns)
        host.lost_ns += system_ns() - host.from_ns - host.launched_ns;
    host.from_ns = host.launched_ns = 0;
    pthread_mutex_unlock(&host.lock);
    return code;
}

cl_int clWaitForEvents(cl_uint n, const cl_event *waits)
{
    return end_launches(REAL(clWaitForEvents)(n, waits));
}

cl_int clFinish(cl_command_queue queue)
{
    return end_launches(REAL(clFinish)(queue));
}

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                           size_t offset, size_t size, void *data, cl_uint n_waits,
                           const cl_event *waits, cl_event *event)
{
    cl_int code = REAL(clEnqueueReadBuffer)(queue, buffer, blocking, offset, size, data,
                                            n_waits, waits, event);

    return blocking ? end_launches(code) : code;
}

/* ---- launches ---- */

static void wait_while_held(void)
{
    static unsigned long n_launches; /* a process launches from one thread */
    const char *hold = getenv("TEST_HOLD"), *file = hold ? strchr(hold, ':') : NULL;
    const struct timespec pause = { 0, 10000000 };

    if (file && ++n_launches >= strtoul(hold, NULL, 10))
        while (access(file + 1, F_OK) == 0)
            nanosleep(&pause, NULL);
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint n_dims,
                              const size_t *offset, const size_t *global,
                              const size_t *local, cl_uint n_waits, const cl_event *waits,
                              cl_event *event)
{
    cl_ulong time_ns;
    cl_int code;

    wait_while_held();
    begin_launches();
    code = is_run(kernel, n_dims, global)
               ? REAL(clEnqueueNDRangeKernel)(queue, kernel, n_dims, offset, global,
                                              local, n_waits, waits, event)
               : REAL(clEnqueueMarkerWithWaitList)(queue, n_waits, waits, event);

    pthread_mutex_lock(&lock);
    time_ns = time_of(kernel, n_dims, global);
    if (code == CL_SUCCESS && event)
        note_event(*event, time_ns);
    clock_ns += time_ns;
    pthread_mutex_unlock(&lock);
    pass(time_ns);
    return code;
}

cl_int clGetEventProfilingInfo(cl_event event, cl_profiling_info what, size_t size,
                               void *value, size_t *size_ret)
{
    cl_int code = CL_PROFILING_INFO_NOT_AVAILABLE;

    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < MAX_EVENTS && value; i++)
        if (events[i].event == event) {
            *(cl_ulong *)value =
                what == CL_PROFILING_COMMAND_END ? events[i].end_ns : events[i].start_ns;
            code = CL_SUCCESS;
        }
    pthread_mutex_unlock(&lock);
    return code == CL_SUCCESS
               ? code
               : REAL(clGetEventProfilingInfo)(event, what, size, value, size_ret);
}
