/* paths.c - shortest paths in many graphs, scheduled by predictions of libgpucal
 *
 * The n x n matrix of distances of a graph with n vertices is squared (square.h) log2(n)
 * times, for paths of all lengths, or --steps times, for paths of up to 2^steps edges;
 * graphs are independent of each other and differ in size.  Each squaring is a
 * StarPU task, for a CPU worker in C or for an OpenCL worker with the kernel min_plus_v4
 * of gpucal's catalogue, and StarPU's dmda puts it where it is expected to end first.
 * --model selects the source of expected times:
 *
 *   none    nothing: dmda counts tasks, and assumes that an OpenCL device equals 12 CPUs
 *   starpu  StarPU's model: means of earlier measurements at each size (made with
 *           STARPU_CALIBRATE=1)
 *   gpucal  libgpucal, from the node's calibration and the kernel's counts (costs.h)
 *
 * gpucal calibrates OpenCL devices, not the C function.  The C function does the same
 * work as the kernel on one core, so its time is that of the kernel times a factor,
 * measured before the tasks: the fastest of some runs at one size over the prediction.
 * One core is PoCL with one thread (POCL_MAX_PTHREAD_COUNT=1): the device of the OpenCL
 * worker, or that of --cpu-node.
 */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "costs.h"
#include "square.h"

enum { MAX_STEPS = 16, FACTOR_N = 128, FACTOR_RUNS = 9 };

struct graph {
    struct square_arg arg;
    int steps;           /* squarings */
    float *first, *d[2]; /* the input; buffers that are read and written in turn */
    starpu_data_handle_t handle[2];
    struct starpu_task *tasks[MAX_STEPS];
};

struct options {
    const char *model, *kernel;
    struct costs_source source;
    int graphs, largest, steps;
};

/* ---- graphs ---- */

/* xorshift */
static unsigned draw(unsigned *state, unsigned below)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state % below;
}

/* Lengths are integers, so that sums are exact in any order. */
static void connect(struct graph *g, int a, int b, float length)
{
    float *d = g->first;
    int n = g->arg.n;

    if (a != b && length < d[(size_t)a * n + b])
        d[(size_t)a * n + b] = d[(size_t)b * n + a] = length;
}

/* A ring with some edges across. */
static void make_graph(struct graph *g, int n, int most_steps, unsigned *state)
{
    size_t bytes = sizeof(float) * (size_t)n * n;

    g->arg.n = n;
    g->first = aligned_alloc(64, bytes);
    g->d[0] = aligned_alloc(64, bytes);
    g->d[1] = aligned_alloc(64, bytes);
    if (!g->first || !g->d[0] || !g->d[1])
        abort();
    for (int i = 0; i < n * n; i++)
        g->first[i] = i % (n + 1) ? INFINITY : 0;
    for (int i = 0; i < n; i++) {
        connect(g, i, (i + 1) % n, 1 + (float)draw(state, 100));
        connect(g, i, (int)draw(state, (unsigned)n), 1 + (float)draw(state, 1000));
    }
    memcpy(g->d[0], g->first, bytes);
    for (g->steps = 0; 1 << g->steps < n - 1 && g->steps < most_steps; g->steps++)
        ;
    for (int i = 0; i < 2; i++)
        starpu_matrix_data_register(&g->handle[i], STARPU_MAIN_RAM, (uintptr_t)g->d[i],
                                    (uint32_t)n, (uint32_t)n, (uint32_t)n, sizeof(float));
}

/* Shortest paths by the algorithm of Floyd and Warshall. */
static void find_all(float *d, int n)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                float length = d[(size_t)i * n + k] + d[(size_t)k * n + j];
                float *least = &d[(size_t)i * n + j];

                *least = length < *least ? length : *least;
            }
}

/* Paths of up to twice as many edges, joined from two. */
static void find_doubled(float *d, int n)
{
    float *r = malloc(sizeof(float) * (size_t)n * n);

    if (!r)
        abort();
    for (int i = 0; i < n * n; i++)
        r[i] = INFINITY;
    for (int k = 0; k < n; k++) {
        const float *from = d + (size_t)k * n; /* and to k: lengths are symmetric */

        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                float length = from[i] + from[j];
                float *least = &r[(size_t)i * n + j];

                *least = length < *least ? length : *least;
            }
    }
    memcpy(d, r, sizeof(float) * (size_t)n * n);
    free(r);
}

static int graph_is_right(const struct graph *g)
{
    int n = g->arg.n;

    if (1 << g->steps >= n - 1)
        find_all(g->first, n);
    else
        for (int step = 0; step < g->steps; step++)
            find_doubled(g->first, n);
    return memcmp(g->first, g->d[g->steps % 2], sizeof(float) * (size_t)n * n) == 0;
}

static void free_graph(struct graph *g)
{
    free(g->first);
    free(g->d[0]);
    free(g->d[1]);
}

/* ---- tasks ---- */

static int submit(struct graph *g, int step)
{
    struct starpu_task *task = starpu_task_create();

    task->cl = &square_codelet;
    task->cl_arg = &g->arg;
    task->cl_arg_size = sizeof(g->arg);
    task->handles[0] = g->handle[step % 2];
    task->handles[1] = g->handle[(step + 1) % 2];
    task->destroy = 0; /* its times are read when all have ended */
    g->tasks[step] = task;
    return starpu_task_submit(task);
}

/* Seconds until all tasks have ended; negative if no worker can run them. */
static double run_all(struct graph *graphs, int n_graphs)
{
    double began = starpu_timing_now();

    for (int step = 0; step < MAX_STEPS; step++)
        for (int i = 0; i < n_graphs; i++)
            if (step < graphs[i].steps && submit(&graphs[i], step) != 0)
                return -1;
    starpu_task_wait_for_all();
    return 1e-6 * (starpu_timing_now() - began);
}

/* Tasks of one size on one kind of worker. */
struct cell {
    unsigned n;
    double predicted_us, measured_us; /* sums */
};

enum { MAX_SIZES = 64 };

struct tally {
    unsigned by_worker[STARPU_NMAXWORKERS];
    struct cell cells[MAX_SIZES][2]; /* by n / SQUARE_BLOCK - 1; CPU, OpenCL */
    unsigned n, predicted;
    double error; /* sum of |predicted / measured - 1| */
};

static void add_cell(struct tally *t, const struct starpu_task *task, int worker,
                     double us)
{
    int opencl = starpu_worker_get_type(worker) == STARPU_OPENCL_WORKER;
    const struct square_arg *a = task->cl_arg;
    struct cell *c = &t->cells[a->n / SQUARE_BLOCK - 1][opencl];

    c->n++;
    c->predicted_us += task->predicted;
    c->measured_us += us;
}

static void add_task(struct tally *t, struct starpu_task *task)
{
    struct starpu_profiling_task_info *info = task->profiling_info;
    double us = starpu_timing_timespec_delay_us(&info->start_time, &info->end_time);

    t->n++;
    t->by_worker[info->workerid]++;
    if (task->predicted > 0) {
        add_cell(t, task, info->workerid, us);
        t->predicted++;
        t->error += fabs(task->predicted / us - 1);
    }
    starpu_task_destroy(task);
}

/* ---- the CPU's cost ---- */

static double find_cpu_factor(void)
{
    enum { N = FACTOR_N };
    static float d[N * N], r[N * N];
    double least_us = INFINITY;

    for (int i = 0; i < N * N; i++)
        d[i] = (float)(i % 7);
    for (int run = 0; run < FACTOR_RUNS; run++) {
        double began = starpu_timing_now(), took;

        square_in_c(r, d, N);
        took = starpu_timing_now() - began;
        if (took < least_us)
            least_us = took;
    }
    return 1e-6 * least_us / costs_core_s(N);
}

/* ---- the program ---- */

static struct starpu_perfmodel starpu_model = { .type = STARPU_HISTORY_BASED,
                                                .symbol = "square" };
static struct starpu_perfmodel gpucal_model = { .type = STARPU_PER_ARCH,
                                                .arch_cost_function = costs_us,
                                                .symbol = "square_gpucal" };

static int choose_model(const struct options *o)
{
    double factor;

    if (strcmp(o->model, "starpu") == 0)
        square_codelet.model = &starpu_model;
    if (strcmp(o->model, "gpucal") != 0)
        return 0;
    square_codelet.model = &gpucal_model;
    if (costs_open(&o->source) < 0)
        return -1;
    factor = find_cpu_factor();
    costs_set_cpu_factor(factor);
    printf(
        "cpu factor %.3f: time of C over time of the kernel, by the fastest of %d runs "
        "at n = %d\n",
        factor, FACTOR_RUNS, FACTOR_N);
    return 0;
}

static void report_cells(const struct tally *t)
{
    for (int i = 0; i < MAX_SIZES; i++)
        for (int opencl = 0; opencl < 2; opencl++) {
            const struct cell *c = &t->cells[i][opencl];

            if (c->n)
                printf("n %d on %s: %u tasks, mean predicted %.6e s, mean measured %.6e "
                       "s\n",
                       SQUARE_BLOCK * (i + 1), opencl ? "OpenCL" : "CPU", c->n,
                       1e-6 * c->predicted_us / c->n, 1e-6 * c->measured_us / c->n);
        }
}

static void report(const struct options *o, const struct tally *t, double makespan_s)
{
    unsigned long cpu, opencl;

    printf("model %s\nmakespan %.6f s\n", o->model, makespan_s);
    for (unsigned w = 0; w < starpu_worker_get_count(); w++) {
        char name[128];

        starpu_worker_get_name((int)w, name, sizeof(name));
        printf("worker %s: %u tasks\n", name, t->by_worker[w]);
    }
    printf("predicted %u of %u tasks", t->predicted, t->n);
    if (t->predicted)
        printf(", mean |predicted / measured - 1| %.1f %%",
               100 * t->error / t->predicted);
    printf("\n");
    report_cells(t);
    costs_asked(&cpu, &opencl);
    printf("asked libgpucal %lu times for CPU and %lu times for OpenCL workers\n", cpu,
           opencl);
}

static int run(const struct options *o, struct graph *graphs)
{
    struct tally tally = { 0 };
    unsigned state = 2463534242;
    double makespan_s;
    int wrong = 0;

    if (square_load(o->kernel, o->largest) < 0 || choose_model(o) < 0)
        return -1;
    for (int i = 0; i < o->graphs; i++)
        make_graph(&graphs[i],
                   SQUARE_BLOCK *
                       (1 + (int)draw(&state, (unsigned)(o->largest / SQUARE_BLOCK))),
                   o->steps, &state);
    if ((makespan_s = run_all(graphs, o->graphs)) < 0) {
        fprintf(stderr, "no worker can run the tasks\n");
        return -1;
    }
    for (int i = 0; i < o->graphs; i++) {
        for (int step = 0; step < graphs[i].steps; step++)
            add_task(&tally, graphs[i].tasks[step]);
        starpu_data_unregister(graphs[i].handle[0]); /* results come to main memory */
        starpu_data_unregister(graphs[i].handle[1]);
        wrong += !graph_is_right(&graphs[i]);
        free_graph(&graphs[i]);
    }
    report(o, &tally, makespan_s);
    printf("results %s\n", wrong ? "WRONG" : "right");
    square_unload();
    return wrong ? -1 : 0;
}

static int take_options(int argc, char **argv, struct options *o)
{
    static const struct option names[] = {
        { "model", required_argument, NULL, 'm' },
        { "kernel", required_argument, NULL, 'k' },
        { "profile", required_argument, NULL, 'p' },
        { "store", required_argument, NULL, 's' },
        { "node", required_argument, NULL, 'N' },
        { "device", required_argument, NULL, 'd' },
        { "cpu-node", required_argument, NULL, 'c' },
        { "graphs", required_argument, NULL, 'g' },
        { "largest", required_argument, NULL, 'n' },
        { "steps", required_argument, NULL, 't' },
        { 0 },
    };
    int key;

    while ((key = getopt_long(argc, argv, "", names, NULL)) != -1)
        switch (key) {
        case 'm':
            o->model = optarg;
            break;
        case 'k':
            o->kernel = optarg;
            break;
        case 'p':
            o->source.profile = optarg;
            break;
        case 's':
            o->source.store = optarg;
            break;
        case 'N':
            o->source.node = optarg;
            break;
        case 'd':
            o->source.device = optarg;
            break;
        case 'c':
            o->source.cpu_node = optarg;
            break;
        case 'g':
            o->graphs = atoi(optarg);
            break;
        case 'n':
            o->largest = atoi(optarg);
            break;
        case 't':
            o->steps = atoi(optarg);
            break;
        default:
            return -1;
        }
    return optind == argc && o->kernel && o->graphs > 0 && o->steps > 0 &&
                   o->largest > 0 && o->largest <= MAX_SIZES * SQUARE_BLOCK &&
                   o->largest % SQUARE_BLOCK == 0 &&
                   (strcmp(o->model, "gpucal") != 0 ||
                    (o->source.profile && o->source.node))
               ? 0
               : -1;
}

int main(int argc, char **argv)
{
    struct options o = {
        .model = "gpucal", .graphs = 32, .largest = 256, .steps = MAX_STEPS
    };
    struct graph *graphs;
    struct starpu_conf conf;
    int rc;

    if (take_options(argc, argv, &o) < 0) {
        fprintf(stderr,
                "usage: paths --kernel KERNEL.cl [--model none|starpu|gpucal] [--graphs "
                "N] [--largest MULTIPLE OF %d] [--steps N]\n"
                "             with gpucal: --profile FILE --node NODE [--store DIR] "
                "[--device PATTERN] [--cpu-node NODE]\n",
                SQUARE_BLOCK);
        return 1;
    }
    starpu_conf_init(&conf);
    conf.sched_policy_name = "dmda"; /* unless STARPU_SCHED is set */
    if (starpu_init(&conf) != 0) {
        fprintf(stderr, "StarPU has no worker\n");
        return 1;
    }
    starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
    graphs = calloc((size_t)o.graphs, sizeof(*graphs));
    rc = graphs ? run(&o, graphs) : -1;
    free(graphs);
    starpu_shutdown();
    costs_close();
    return rc < 0 ? 1 : 0;
}
