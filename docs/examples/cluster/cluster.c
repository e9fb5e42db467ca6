/* cluster.c - the heat equation on a grid whose rows are divided over the nodes of a cluster
 *
 *   srun --mpi=pmix cluster STORE PROFILE KERNEL.cl [ROWS WIDTH STEPS [WAY,..]]
 *
 * Each MPI rank has the OpenCL device of its node ($CLUSTER_DEVICE: part of its name).  In a step,
 * neighbours exchange their border rows, and each computes its own.  The rows are divided
 *
 *   equal      into the same number for each rank
 *   cores      by the compute units of the devices
 *   bandwidth  by the measured bandwidth of their memory
 *   gpucal     by gpucal_split(), with the time of the messages by gpucal_link()
 *   corrected  likewise, and again after the steps 1, 2, 4, .. by what the ranks took
 *
 * The ways take turns, step by step, so that they can be compared although speeds drift.  The bound is
 * what shares chosen after the fact would take: by the speeds of the ranks in 'corrected'.
 */
#include <gpucal.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grid.h"

#define CHECKED_ROWS  4
#define CHECKED_STEPS 3

enum division { EQUAL, CORES, BANDWIDTH, GPUCAL, CORRECTED, N_DIVISIONS };

static const char *const names[] = { "equal", "cores", "bandwidth", "gpucal",
                                     "corrected" };

/* Plain data: sent as bytes. */
struct part {
    char node[256];
    unsigned units;
    size_t first, rows;
    double predicted_s;
    double busy_s; /* mean of the steps since the last division; 0: unknown */
};

struct way {
    enum division division;
    struct part *parts; /* of all ranks, on all ranks */
    struct grid *grid;
    double *step_s; /* by step, on all ranks the same */
    double busy_s;  /* sum of the computation since the last division */
    long n_since;
};

static int rank, n_ranks;
static const char *device_name, *kernel_path;
static size_t total, width;

static void quit(const char *text)
{
    fprintf(stderr, "cluster: rank %d: %s\n", rank, text);
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

/* ---- dividing: on rank 0 ---- */

/* In proportion to weights, each border at the nearest multiple. */
static void divide_by(const double *weights, struct part *parts)
{
    double sum = 0, before = 0, granules = (double)total / GRID_LOCAL_1;
    size_t border = 0;

    for (int r = 0; r < n_ranks; r++)
        sum += weights[r];
    for (int r = 0; r < n_ranks; r++) {
        size_t next;

        before += weights[r];
        next = r + 1 == n_ranks ? total / GRID_LOCAL_1
                                : (size_t)(granules * before / sum + 0.5);
        parts[r].rows = (next - border) * GRID_LOCAL_1;
        border = next;
    }
}

/* What a rank needs for the messages of a step: one to either neighbour, and one from it. */
static double messages_s(const struct gpucal_store *store, const struct part *parts,
                         int r)
{
    double bytes = (double)(width + 2) * sizeof(float), sum_s = 0;

    for (int k = -1; k <= 1; k += 2) {
        struct gpucal_prediction p;
        struct gpucal_error err = { 0 };

        if (r + k < 0 || r + k >= n_ranks)
            continue;
        if (gpucal_link(store, parts[r].node, parts[r + k].node, bytes, &p, &err) == 0)
            sum_s += 2 * p.time_s;
        else if (err.code != GPUCAL_ENODE) /* not measured: it counts as nothing */
            quit(err.text);
    }
    return sum_s;
}

/* The place of a size in the profile. */
static size_t size_at(const struct gpucal_profile *profile, const char *name)
{
    for (size_t i = 0; i < gpucal_profile_parameter_count(profile); i++)
        if (strcmp(gpucal_profile_parameter(profile, i), name) == 0)
            return i;
    quit("the profile has no sizes 'width' and 'rows'");
    return 0;
}

static void divide(const char *store_path, const char *profile_path, enum division how,
                   struct part *parts)
{
    struct gpucal_error err = { 0 };
    struct gpucal_store *store = gpucal_store_open(store_path, &err);
    struct gpucal_profile *profile =
        store ? gpucal_profile_open(profile_path, &err) : NULL;
    struct gpucal_share *shares = allocate((size_t)n_ranks, sizeof(*shares));
    double *weights = allocate((size_t)n_ranks, sizeof(*weights)), sizes[2];
    struct gpucal_prediction p;

    if (!profile)
        quit(err.text);
    if (gpucal_profile_parameter_count(profile) != 2)
        quit("the profile is not one in width and rows");
    sizes[size_at(profile, "width")] = (double)width;
    sizes[size_at(profile, "rows")] = (double)total;
    for (int r = 0; r < n_ranks; r++) {
        struct gpucal_device *device =
            gpucal_device_open(store, parts[r].node, NULL, &err);
        struct gpucal_model *heat =
            device ? gpucal_model_bind(device, "heat", profile, &err) : NULL;
        struct gpucal_quantities *copy =
            heat ? gpucal_device_parameters(device, "bandwidth", &err) : NULL;

        if (!copy)
            quit(err.text);
        weights[r] = how == EQUAL   ? 1
                     : how == CORES ? parts[r].units
                                    : 1 / gpucal_quantities_item(copy, 0)->value;
        shares[r] = (struct gpucal_share){ .model = heat,
                                           .sizes = sizes,
                                           .unit = size_at(profile, "rows"),
                                           .size_per_unit = 1,
                                           .start_s = messages_s(store, parts, r) };
        if (how == CORRECTED && parts[r].busy_s > 0 && parts[r].rows) {
            shares[r].measured_units = (double)parts[r].rows;
            shares[r].measured_s = parts[r].busy_s + shares[r].start_s;
        }
        gpucal_quantities_close(copy);
        gpucal_device_close(device);
    }
    if (how < GPUCAL)
        divide_by(weights, parts);
    else if (gpucal_split(shares, (size_t)n_ranks, (double)total, GRID_LOCAL_1, NULL,
                          &err) < 0)
        quit(err.text);
    for (int r = 0; r < n_ranks; r++) {
        if (how >= GPUCAL)
            parts[r].rows = (size_t)shares[r].units;
        parts[r].first = r ? parts[r - 1].first + parts[r - 1].rows : 0;
        sizes[size_at(profile, "rows")] = (double)parts[r].rows;
        parts[r].predicted_s = 0;
        if (parts[r].rows && gpucal_predict(shares[r].model, sizes, &p, &err) < 0)
            quit(err.text);
        if (parts[r].rows)
            parts[r].predicted_s = p.time_s + shares[r].start_s;
        gpucal_model_close((struct gpucal_model *)shares[r].model);
    }
    free(shares);
    free(weights);
    gpucal_profile_close(profile);
    gpucal_store_close(store);
}

/* Rank 0 divides, and all get their rows. */
static void set_up(const char *store, const char *profile, struct way *way)
{
    struct part mine = { .units = grid_device(device_name) };
    const char *slurm = getenv("SLURMD_NODENAME");

    if (!mine.units)
        quit("no device");
    if (slurm && *slurm) {
        snprintf(mine.node, sizeof(mine.node), "%s", slurm);
    } else {
        gethostname(mine.node, sizeof(mine.node) - 1);
        mine.node[strcspn(mine.node, ".")] = '\0';
    }
    if (way->grid) {
        mine.rows = way->parts[rank].rows;
        mine.busy_s = way->n_since ? way->busy_s / (double)way->n_since : 0;
    }
    MPI_Gather(&mine, sizeof(mine), MPI_BYTE, way->parts, sizeof(mine), MPI_BYTE, 0,
               MPI_COMM_WORLD);
    if (rank == 0)
        divide(store, profile, way->division, way->parts);
    MPI_Bcast(way->parts, n_ranks * (int)sizeof(mine), MPI_BYTE, 0, MPI_COMM_WORLD);
    grid_destroy(way->grid);
    way->grid = grid_create(device_name, kernel_path, way->parts[rank].first,
                            way->parts[rank].rows, width);
    if (!way->grid)
        quit("the grid cannot be made");
    way->busy_s = 0;
    way->n_since = 0;
}

/* ---- steps ---- */

/* The next rank with rows in that direction; MPI_PROC_NULL: none. */
static int neighbour(const struct part *parts, int direction)
{
    for (int r = rank + direction; r >= 0 && r < n_ranks; r += direction)
        if (parts[r].rows)
            return r;
    return MPI_PROC_NULL;
}

/* My row 'mine' goes to the neighbour in 'direction', and the one that comes from the other side becomes
 * row 'halo'.
 */
static void exchange(struct way *way, int direction, size_t mine, size_t halo)
{
    int to = neighbour(way->parts, direction), from = neighbour(way->parts, -direction);
    int n = (int)(width + 2);
    float *out = allocate((size_t)n, sizeof(*out)),
          *in = allocate((size_t)n, sizeof(*in));

    if (to != MPI_PROC_NULL && grid_read(way->grid, mine, out) < 0)
        quit("a row cannot be read");
    MPI_Sendrecv(out, n, MPI_FLOAT, to, 0, in, n, MPI_FLOAT, from, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    if (from != MPI_PROC_NULL && grid_write(way->grid, halo, in) < 0)
        quit("a row cannot be written");
    free(out);
    free(in);
}

/* Returns the seconds of the slowest rank. */
static double step(struct way *way)
{
    const struct part *mine = &way->parts[rank];
    double began_s, computes_s, mine_s, longest_s;

    MPI_Barrier(MPI_COMM_WORLD);
    began_s = MPI_Wtime();
    if (mine->rows) {
        exchange(way, 1, mine->rows, 0);
        exchange(way, -1, 1, mine->rows + 1);
    }
    computes_s = MPI_Wtime();
    if (grid_step(way->grid) < 0)
        quit("a step failed");
    way->busy_s += MPI_Wtime() - computes_s;
    way->n_since++;
    mine_s = MPI_Wtime() - began_s;
    MPI_Allreduce(&mine_s, &longest_s, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return longest_s;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Sorts; 'share' 0.5: the median. */
static double quantile(double *values, long n, double share)
{
    qsort(values, (size_t)n, sizeof(*values), compare);
    return values[(long)(share * (double)(n - 1) + 0.5)];
}

/* What each way takes, over what the first one took in the same turn: median and quartiles. */
static void report(const struct way *ways, int n_ways, long steps, double bound_s)
{
    double *ratio = allocate((size_t)steps, sizeof(*ratio));

    for (int w = 0; w < n_ways; w++) {
        double median_s;

        memcpy(ratio, ways[w].step_s, (size_t)steps * sizeof(*ratio));
        median_s = quantile(ratio, steps, 0.5);
        for (long i = 0; i < steps; i++)
            ratio[i] = ways[w].step_s[i] / ways[0].step_s[i];
        printf("%-9s %9.3f ms", names[ways[w].division], 1e3 * median_s);
        printf("  over %s %.3f (%.3f to %.3f)  rows", names[ways[0].division],
               quantile(ratio, steps, 0.5), quantile(ratio, steps, 0.25),
               quantile(ratio, steps, 0.75));
        for (int r = 0; r < n_ranks; r++)
            printf(" %zu", ways[w].parts[r].rows);
        printf("\n");
    }
    if (bound_s > 0)
        printf("%-9s %9.3f ms\n", "bound", 1e3 * bound_s);
    free(ratio);
}

int main(int argc, char **argv)
{
    const char *list = argc > 7 ? argv[7] : "equal,cores,bandwidth,gpucal,corrected";
    struct way ways[N_DIVISIONS] = { { 0 } };
    double rate = 0, sum_rate = 0, bound_s = 0;
    int n_ways = 0, wrong, all_wrong = 0;
    long steps;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    if (argc < 4)
        quit("usage: cluster STORE PROFILE KERNEL.cl [ROWS WIDTH STEPS [WAY,..]]");
    kernel_path = argv[3];
    total = argc > 4 ? strtoul(argv[4], NULL, 10) : 8192;
    width = argc > 5 ? strtoul(argv[5], NULL, 10) : 4096;
    steps = argc > 6 ? strtol(argv[6], NULL, 10) : 20;
    device_name = getenv("CLUSTER_DEVICE") ? getenv("CLUSTER_DEVICE") : "";
    if (!total || total % GRID_LOCAL_1 || !width || width % GRID_LOCAL_0 || steps < 1)
        quit("rows are a multiple of 4, the width is one of 64, and there are steps");
    for (int d = 0; d < N_DIVISIONS; d++)
        if (strstr(list, names[d]))
            ways[n_ways++].division = (enum division)d;
    if (!n_ways)
        quit("ways are equal, cores, bandwidth, gpucal, corrected");
    for (int w = 0; w < n_ways; w++) {
        ways[w].parts = allocate((size_t)n_ranks, sizeof(*ways[w].parts));
        ways[w].step_s = allocate((size_t)steps, sizeof(double));
        set_up(argv[1], argv[2], &ways[w]);
        /* Also the first steps, which are not timed. */
        for (int k = 0; k < CHECKED_STEPS; k++)
            step(&ways[w]);
        wrong = grid_check(ways[w].grid, total, CHECKED_ROWS, CHECKED_STEPS);
        if (wrong < 0)
            quit("rows could not be compared");
        MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        all_wrong += wrong;
    }
    for (long i = 0; i < steps; i++)
        for (int k = 0; k < n_ways; k++) {
            struct way *way = &ways[(i + k) % n_ways];

            step(way); /* what the way before left: a device that is idle or hot */
            way->step_s[i] = step(way);
            if (way->division == CORRECTED && i + 1 < steps && ((i + 1) & i) == 0)
                set_up(argv[1], argv[2], way);
        }
    for (int w = 0; w < n_ways; w++)
        if (ways[w].division == CORRECTED) {
            rate = (double)(ways[w].parts[rank].rows * (size_t)ways[w].n_since) /
                   ways[w].busy_s;
            MPI_Allreduce(&rate, &sum_rate, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
            bound_s = (double)total / sum_rate;
        }
    if (rank == 0) {
        report(ways, n_ways, steps, bound_s);
        printf("%d rows differ from the host's\n", all_wrong);
    }
    for (int w = 0; w < n_ways; w++) {
        grid_destroy(ways[w].grid);
        free(ways[w].parts);
        free(ways[w].step_s);
    }
    MPI_Finalize();
    return all_wrong > 0;
}
