/* balance.c - a matrix product whose rows are divided over MPI ranks with a device each
 *
 *   mpirun -n RANKS balance --store DIR --profile FILE --kernel FILE.cl
 *          [--split DIVISION,...] [--nodes NODE[:DEVICE],...]
 *          [--rows M] [--width N] [--steps S]
 *
 * Rank r computes on the device that is published for the r-th of --nodes (default: the
 * node where it runs).  Each step ends with a barrier, so the slowest device counts.
 * DIVISION is equal, peak, one, gpucal (default) or corrected; several take turns, step by step,
 * so that they can be compared although the speeds of devices drift.  'corrected' begins as gpucal
 * does, and divides again after the steps 1, 2, 4, .. by what the devices took.
 * Each turn begins with a step that is not timed, as the turn before may have left a device
 * idle or hot.
 * Prints each rank's rows, predicted and measured time, the makespan, and the imbalance:
 * the longest busy time over the mean, less 1.  Times are medians over the steps.
 * Exit status 1 if rows differ from those computed by the host.
 */
#include <getopt.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "division.h"
#include "work.h"

#define WARM_UP_S    0.5 /* clocks of idle devices are low */
#define CHECKED_ROWS 8   /* of each rank */

static const char *const division_names[] = { "equal", "peak", "one", "gpucal",
                                              "corrected" };

enum { MOST_WAYS = sizeof(division_names) / sizeof(*division_names) };

struct options {
    struct division_options division;
    const char *kernel_path, *nodes;
    enum division ways[MOST_WAYS];
    int n_ways;
    long rows, width, steps;
};

/* A division of the rows, and its times. */
struct way {
    enum division division;
    struct part *parts; /* of all ranks, on rank 0 */
    struct part mine;
    struct work *work;
    double *busy_s, *step_s; /* by step; the latter from barrier to barrier */
    long divided_at;         /* the step */
};

static int rank, n_ranks;

static void quit(const char *text)
{
    fprintf(stderr, "balance: rank %d: %s\n", rank, text);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);

    if (!memory)
        quit("out of memory");
    return memory;
}

/* ---- options ---- */

static enum division read_division(const char *text, size_t length)
{
    for (int i = 0; i < MOST_WAYS; i++)
        if (strlen(division_names[i]) == length &&
            strncmp(text, division_names[i], length) == 0)
            return (enum division)i;
    quit("--split is equal, peak, one, gpucal or corrected");
    return DIVISION_EQUAL;
}

static void read_ways(const char *list, struct options *o)
{
    for (o->n_ways = 0; o->n_ways < MOST_WAYS; list++) {
        size_t length = strcspn(list, ",");

        o->ways[o->n_ways++] = read_division(list, length);
        if (!*(list += length))
            return;
    }
    quit("--split names five ways at most");
}

static long read_number(const char *text)
{
    char *end;
    long value = strtol(text, &end, 10);

    if (*end || value < 1 || value > 1L << 30)
        quit("--rows, --width and --steps are numbers above 0");
    return value;
}

static void read_option(struct options *o, int which, const char *value)
{
    switch (which) {
    case 's':
        o->division.store_path = value;
        break;
    case 'p':
        o->division.profile_path = value;
        break;
    case 'k':
        o->kernel_path = value;
        break;
    case 'd':
        read_ways(value, o);
        break;
    case 'n':
        o->nodes = value;
        break;
    case 'r':
        o->rows = read_number(value);
        break;
    case 'w':
        o->width = read_number(value);
        break;
    case 't':
        o->steps = read_number(value);
        break;
    default:
        quit("usage: balance --store DIR --profile FILE --kernel FILE.cl "
             "[--split equal|peak|one|gpucal|corrected,...] [--nodes NODE[:DEVICE],...] "
             "[--rows M] "
             "[--width N] [--steps S]");
    }
}

static void read_options(int argc, char **argv, struct options *o)
{
    static const struct option known[] = {
        { "store", required_argument, NULL, 's' },
        { "profile", required_argument, NULL, 'p' },
        { "kernel", required_argument, NULL, 'k' },
        { "split", required_argument, NULL, 'd' },
        { "nodes", required_argument, NULL, 'n' },
        { "rows", required_argument, NULL, 'r' },
        { "width", required_argument, NULL, 'w' },
        { "steps", required_argument, NULL, 't' },
        { NULL, 0, NULL, 0 },
    };
    int which;

    while ((which = getopt_long(argc, argv, "", known, NULL)) != -1)
        read_option(o, which, optarg);
    if (optind < argc || !o->division.profile_path || !o->kernel_path)
        read_option(o, '?', NULL);
    if (o->rows % WORK_GRANULARITY || o->width % (WORK_WIDTH * WORK_LOCAL_0))
        quit("rows are a multiple of 16, the width is one of 256");
    o->division.rows = (size_t)o->rows;
    o->division.width = (size_t)o->width;
    o->division.granularity = WORK_GRANULARITY;
}

/* ---- nodes and rows of ranks ---- */

/* The rank's node: its entry of the list, or gpucal's name of the present node. */
static void find_node(const char *list, char node[NODE_BYTES])
{
    const char *slurm = getenv("SLURMD_NODENAME");

    if (list) {
        for (int i = 0; i < rank && list; i++)
            list = (list = strchr(list, ',')) ? list + 1 : NULL;
        if (!list || (rank == n_ranks - 1 && strchr(list, ',')))
            quit("--nodes has one name for each rank");
        snprintf(node, NODE_BYTES, "%.*s", (int)strcspn(list, ","), list);
    } else if (slurm && *slurm) {
        snprintf(node, NODE_BYTES, "%s", slurm);
    } else {
        gethostname(node, NODE_BYTES - 1);
        node[strcspn(node, ".")] = '\0';
    }
}

/* Rank 0 divides. */
static void get_part(const struct options *o, struct way *way)
{
    struct division_options options = o->division;
    struct gpucal_error err = { 0 };
    struct part *mine = &way->mine;

    options.division = way->division;
    find_node(o->nodes, mine->node);
    MPI_Gather(mine, sizeof(*mine), MPI_BYTE, way->parts, sizeof(*mine), MPI_BYTE, 0,
               MPI_COMM_WORLD);
    if (rank == 0 && divide(&options, way->parts, (size_t)n_ranks, &err) < 0)
        quit(err.text);
    MPI_Scatter(way->parts, sizeof(*mine), MPI_BYTE, mine, sizeof(*mine), MPI_BYTE, 0,
                MPI_COMM_WORLD);
    way->work = work_create(&(struct work_options){
        .device_name = way->mine.device_name,
        .kernel_path = o->kernel_path,
        .first_row = way->mine.first_row,
        .rows = way->mine.rows,
        .width = o->division.width,
    });
    if (!way->work)
        quit("the device cannot be used");
}

static void prepare(const struct options *o, enum division division, struct way *way)
{
    way->division = division;
    way->busy_s = allocate((size_t)o->steps, sizeof(*way->busy_s));
    way->step_s = allocate((size_t)o->steps, sizeof(*way->step_s));
    way->parts = rank == 0 ? allocate((size_t)n_ranks, sizeof(*way->parts)) : NULL;
    get_part(o, way);
}

/* Divides again by the mean time of the steps of the present division. */
static void correct(const struct options *o, struct way *way, long n_steps)
{
    double sum_s = 0;

    for (long i = way->divided_at; i < n_steps; i++)
        sum_s += way->busy_s[i];
    way->mine.busy_s = sum_s / (double)(n_steps - way->divided_at);
    way->divided_at = n_steps;
    work_destroy(way->work);
    get_part(o, way);
}

static void clear(struct way *way)
{
    work_destroy(way->work);
    free(way->parts);
    free(way->busy_s);
    free(way->step_s);
}

/* ---- steps ---- */

static double step(struct work *work)
{
    double busy_s;

    if (work_step(work, &busy_s) < 0)
        quit("a step failed");
    return busy_s;
}

static void warm_up(struct work *work)
{
    double until_s = work_now_s() + WARM_UP_S;

    do
        step(work);
    while (work_now_s() < until_s);
}

static void run_step(const struct options *o, struct way *way, long i)
{
    double began_s;

    MPI_Barrier(MPI_COMM_WORLD);
    step(way->work);
    MPI_Barrier(MPI_COMM_WORLD);
    began_s = work_now_s();
    way->busy_s[i] = step(way->work);
    MPI_Barrier(MPI_COMM_WORLD);
    way->step_s[i] = work_now_s() - began_s;
    if (way->division == DIVISION_CORRECTED && i + 1 < o->steps && ((i + 1) & i) == 0)
        correct(o, way, i + 1);
}

/* Divisions take turns in being the first, and in which one is before them: a device runs
 * faster after a rest.
 */
static void run_steps(const struct options *o, struct way *ways, int n_ways)
{
    for (int w = 0; w < n_ways; w++)
        warm_up(ways[w].work);
    for (long i = 0; i < o->steps; i++)
        for (int w = 0; w < n_ways; w++)
            run_step(o, &ways[(i / 2 + (i % 2 ? n_ways - 1 - w : w)) % n_ways], i);
}

/* ---- report ---- */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Sorts them. */
static double median(double *values, long count)
{
    qsort(values, (size_t)count, sizeof(*values), compare);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* The median over the steps; 'busy_s' is ranks x steps. */
static double imbalance(const double *busy_s, long steps)
{
    double *of_step = allocate((size_t)steps, sizeof(*of_step)), result;

    for (long i = 0; i < steps; i++) {
        double longest = 0, sum = 0;

        for (int r = 0; r < n_ranks; r++) {
            double t = busy_s[r * steps + i];

            longest = t > longest ? t : longest;
            sum += t;
        }
        of_step[i] = longest / (sum / n_ranks) - 1;
    }
    result = median(of_step, steps);
    free(of_step);
    return result;
}

/* Sorts the times; 'busy_s' is ranks x steps. */
static void print_report(const struct options *o, const struct way *way, double *busy_s)
{
    double uneven = imbalance(busy_s, o->steps), predicted_s = 0;

    printf("split %s: %ld rows of width %ld, %d rank%s, %ld steps\n",
           division_names[way->division], o->rows, o->width, n_ranks,
           n_ranks == 1 ? "" : "s", o->steps);
    printf("%4s %-20s %9s %12s %12s  %s\n", "rank", "node", "rows", "predicted", "busy",
           "device");
    for (int r = 0; r < n_ranks; r++) {
        const struct part *p = &way->parts[r];

        printf("%4d %-20s %9zu %10.6f s %10.6f s  %s\n", r, p->node, p->rows,
               p->predicted_s, median(busy_s + r * o->steps, o->steps), p->device_name);
        predicted_s = p->predicted_s > predicted_s ? p->predicted_s : predicted_s;
    }
    printf("makespan %.6f s, predicted %.6f s, imbalance %.2f %%\n",
           median(way->step_s, o->steps), predicted_s, 100 * uneven);
}

static void report(const struct options *o, const struct way *way)
{
    int steps = (int)o->steps;
    double *all_s =
        rank == 0 ? allocate((size_t)(n_ranks * steps), sizeof(*all_s)) : NULL;

    MPI_Gather(way->busy_s, steps, MPI_DOUBLE, all_s, steps, MPI_DOUBLE, 0,
               MPI_COMM_WORLD);
    if (rank == 0)
        print_report(o, way, all_s);
    free(all_s);
}

static int sum_of(int value)
{
    int sum = 0;

    MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    return sum;
}

/* The number of checked rows that are wrong; on rank 0. */
static int check(const struct way *way)
{
    int checked = way->mine.rows < CHECKED_ROWS ? (int)way->mine.rows : CHECKED_ROWS;
    int wrong = work_check(way->work, (size_t)checked);

    if (wrong < 0)
        quit("the result could not be compared");
    checked = sum_of(checked);
    wrong = sum_of(wrong);
    if (rank == 0)
        printf("%d rows compared with the host's: %d wrong\n", checked, wrong);
    return wrong;
}

/* The exit status, on rank 0. */
static int run(const struct options *o)
{
    struct way ways[MOST_WAYS] = { 0 };
    int wrong = 0;

    for (int w = 0; w < o->n_ways; w++)
        prepare(o, o->ways[w], &ways[w]);
    run_steps(o, ways, o->n_ways);
    for (int w = 0; w < o->n_ways; w++) {
        report(o, &ways[w]);
        wrong += check(&ways[w]);
        clear(&ways[w]);
    }
    return wrong > 0;
}

int main(int argc, char **argv)
{
    struct options options = {
        .ways = { DIVISION_GPUCAL },
        .n_ways = 1,
        .rows = 4096,
        .width = 1024,
        .steps = 20,
    };
    int status;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    read_options(argc, argv, &options);
    status = run(&options);
    MPI_Finalize();
    return status;
}
