/* oracle.c - runs kernels in Oclgrind and compares its counts with their profiles */
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/file.h"
#include "kernels/model/profile.h"
#include "kernels/count/count.h"
#include "tests/kernels/count/oracle/oracle.h"

/* ---- comparing ---- */

struct count_comparison {
    const struct oracle_job *job;
    size_t n_sizes; /* with the parameters that oracle_inputs[] gives */
    struct gcal_size *sizes;
    struct oracle_counts seen, counted;
    size_t n_quantities, n_entries, n_estimated, n_wrong;
    unsigned long faults; /* bits: those of oracle_faults[] that appeared */
};

static bool is_about(const struct gcal_kernel *kernel, const char *generator,
                     const char *variant)
{
    return strcmp(generator, kernel->generator) == 0 &&
           (!variant || strstr(kernel->name, variant));
}

static const struct oracle_explained *explained(const struct gcal_kernel *kernel,
                                                const char *quantity)
{
    for (const struct oracle_explained *e = oracle_explained; e->generator; e++)
        if (is_about(kernel, e->generator, e->variant) &&
            strcmp(e->quantity, quantity) == 0)
            return e;
    return NULL;
}

static const struct oracle_refused *refused(const struct gcal_kernel *kernel)
{
    for (const struct oracle_refused *r = oracle_refused; r->generator; r++)
        if (strcmp(r->generator, kernel->generator) == 0)
            return r;
    return NULL;
}

static bool is_bytes(const char *name)
{
    size_t length = strlen(name);

    return length > 5 && strcmp(name + length - 5, "bytes") == 0;
}

/* Its number in oracle_faults[], or -1. */
static int find_fault(const struct gcal_kernel *kernel, const char *quantity)
{
    for (int i = 0; oracle_faults[i].generator; i++)
        if (strcmp(oracle_faults[i].generator, kernel->generator) == 0 &&
            strcmp(oracle_faults[i].quantity, quantity) == 0)
            return i;
    return -1;
}

static void complain_of_mended_faults(struct count_comparison *c)
{
    for (int i = 0; oracle_faults[i].generator; i++)
        if (strcmp(oracle_faults[i].generator, c->job->kernel->generator) == 0 &&
            !(c->faults & 1UL << i)) {
            c->n_wrong++;
            printf("  WRONG %s: it is in oracle_faults[], but right\n",
                   oracle_faults[i].quantity);
        }
}

static void compare_quantity(struct count_comparison *c, const struct oracle_quantity *q)
{
    const struct oracle_explained *e = explained(c->job->kernel, q->name);
    double seen = oracle_counts_value(&c->seen, q->name), expected = seen, more = 0;
    struct gcal_error err = { 0 };
    int fault;

    c->n_estimated += is_bytes(q->name) ? 0 : q->n_estimated;
    if (q->n_estimated)
        return;
    if (e && oracle_value(e->difference, c->n_sizes, c->sizes, &more, &err) == 0)
        expected = e->factor * seen + more;
    c->n_quantities++;
    c->n_entries += is_bytes(q->name) ? 0 : q->n_entries;
    if (!err.text[0] && fabs(q->value - expected) <= 1e-3)
        return;
    fault = find_fault(c->job->kernel, q->name);
    c->n_wrong += fault < 0;
    c->faults |= fault < 0 ? 0 : 1UL << fault;
    printf("  %s %s: counted %.15g, Oclgrind saw %.15g%s%s\n",
           fault < 0 ? "WRONG" : "KNOWN FAULT", q->name, q->value, seen,
           e ? ", explained otherwise: " : "", e ? e->reason : "");
    if (err.text[0])
        printf("  %s\n", err.text);
}

static void compare(struct count_comparison *c)
{
    for (size_t i = 0; i < c->seen.n; i++) /* those that were not counted at all */
        oracle_counts_get(&c->counted, c->seen.items[i].name);
    for (size_t i = 0; i < c->counted.n; i++)
        compare_quantity(c, &c->counted.items[i]);
}

/* The sizes, and parameters that are not arguments of the kernel. */
static int add_parameters(struct count_comparison *c, struct gcal_error *err)
{
    const struct gcal_kernel *k = c->job->kernel;

    if (!(c->sizes = calloc(c->job->n_sizes + 16, sizeof(*c->sizes))))
        return gcal_error_memory(err);
    for (; c->n_sizes < c->job->n_sizes; c->n_sizes++)
        c->sizes[c->n_sizes] = c->job->sizes[c->n_sizes];
    for (const struct oracle_input *in = oracle_inputs; in->generator; in++) {
        bool argument = strcmp(in->generator, k->generator) != 0;
        double value;

        for (size_t a = 0; a < k->n_args && !argument; a++)
            argument = strcmp(k->args[a].name, in->argument) == 0;
        if (argument)
            continue;
        if (oracle_value(in->value, c->job->n_sizes, c->job->sizes, &value, err) < 0)
            return -1;
        c->sizes[c->n_sizes++] = (struct gcal_size){ (char *)in->argument, value };
    }
    return 0;
}

/* 'sub_group_size' 0: a name. */
static struct gcal_profile *count(const struct oracle_job *job, size_t sub_group_size,
                                  struct gcal_error *err)
{
    const struct gcal_kernel *k = job->kernel;
    struct gcal_count_request request = { .source = k->source,
                                          .file = k->generator,
                                          .kernel = k->entry,
                                          .build_options = k->build_options,
                                          .n_dims = k->n_dims,
                                          .assume = job->assume,
                                          .sub_group_size = sub_group_size,
                                          .allow_estimates = true };

    for (size_t d = 0; d < k->n_dims; d++) {
        request.local_size[d] = k->local_size[d];
        request.global_size[d] = k->global_size[d];
    }
    return gcal_count(&request, err);
}

static int compare_profile(struct count_comparison *c, const struct gcal_profile *profile,
                           struct gcal_error *err)
{
    oracle_counts_clear(&c->counted);
    c->n_quantities = c->n_entries = c->n_estimated = 0;
    if (oracle_read_profile(profile, c->n_sizes, c->sizes, &c->counted, err) < 0)
        return -1;
    compare(c);
    return c->n_entries ? 0 : gcal_error_set(err, GCAL_EINPUT, "nothing was compared");
}

/* With the sub-group size a name, where counts by sub-group below conditions on lanes
 * are estimates, and for sub-groups of one work-item, where they are exact.
 */
static int compare_profiles(struct count_comparison *c, struct gcal_error *err)
{
    static const size_t sub_group_sizes[] = { 0, 1 };

    if (add_parameters(c, err) < 0)
        return -1;
    for (size_t i = 0; i < 2; i++) {
        struct gcal_profile *profile = count(c->job, sub_group_sizes[i], err);
        int rc = profile ? compare_profile(c, profile, err) : -1;

        gcal_profile_destroy(profile);
        if (rc < 0)
            return -1;
    }
    return 0;
}

/* ---- one job after its run ---- */

static void print_job(const struct oracle_job *job)
{
    printf("%s (", job->kernel->name);
    for (size_t i = 0; i < job->n_sizes; i++)
        printf("%s%s %.10g", i ? ", " : "", job->sizes[i].name, job->sizes[i].value);
    printf(")");
}

static char *read_output(const char *folder, struct gcal_error *err)
{
    char *path = gcal_buf_format("%s/out", folder);
    char *text = path ? gcal_file_read(path, 1 << 22, NULL, err) : NULL;

    free(path);
    return text;
}

/* It moves half, but does not compute with it. */
static bool lacks_half(const struct gcal_kernel *kernel, const char *text)
{
    return text && strstr(kernel->build_options, "=half") &&
           (strstr(text, "Unsupported float size: 2 bytes") ||
            strstr(text, "Unsupported constant type"));
}

static int check_output(struct count_comparison *c, const char *folder, int status,
                        struct gcal_error *err)
{
    const struct gcal_kernel *k = c->job->kernel;
    char *text = read_output(folder, err);
    char *title = gcal_buf_format("Instructions executed for kernel '%s':", k->entry);
    const char *start = text && title ? strstr(text, title) : NULL;
    size_t work_group = 1;
    int rc = -1;

    for (size_t d = 0; d < k->n_dims; d++)
        work_group *= k->local_size[d];
    if (lacks_half(k, text)) {
        printf("  left out: Oclgrind does not compute with half\n");
        rc = 0;
    } else if (!start || status != 0 || strstr(text, "Invalid ") ||
               strstr(text, "divergence")) {
        gcal_error_set(err, GCAL_EINPUT, "Oclgrind ended with status %d and said: %.800s",
                       status, text ? text : "nothing");
    } else {
        oracle_read_histogram(start, work_group, &c->seen);
        rc = compare_profiles(c, err);
        complain_of_mended_faults(c);
    }
    free(title);
    free(text);
    return rc;
}

static bool check_job(const struct oracle_job *job, const char *folder, int status)
{
    struct count_comparison c = { .job = job };
    struct gcal_error err = { 0 };
    bool good;

    print_job(job);
    printf("\n");
    good = check_output(&c, folder, status, &err) == 0 && !c.n_wrong;
    if (err.text[0])
        printf("  FAILED %s\n", err.text);
    else
        printf("  %zu quantities of %zu entries compared, %zu entries estimated\n",
               c.n_quantities, c.n_entries, c.n_estimated);
    free(c.sizes);
    oracle_counts_clear(&c.seen);
    oracle_counts_clear(&c.counted);
    return good;
}

/* ---- all of them ---- */

struct job_slot {
    const struct oracle_job *job; /* NULL: free */
    int pid;
    char folder[40];
};

static int remove_one(const char *path, const struct stat *s, int type, struct FTW *at)
{
    (void)s;
    (void)type;
    (void)at;
    return remove(path);
}

static void free_slot(struct job_slot *slot)
{
    nftw(slot->folder, remove_one, 4, FTW_DEPTH | FTW_PHYS);
    slot->job = NULL;
}

static bool start_job(struct job_slot *slot, const struct oracle_job *job)
{
    struct gcal_error err = { 0 };

    strcpy(slot->folder, "/tmp/gpucal-oracle-XXXXXX");
    if (!mkdtemp(slot->folder)) {
        perror(slot->folder);
        return false;
    }
    slot->job = job;
    if (oracle_write_simulation(job, slot->folder, &err) < 0 ||
        oracle_start(job, slot->folder, &slot->pid, &err) < 0) {
        print_job(job);
        printf("\n  FAILED %s\n", err.text);
        free_slot(slot);
        return false;
    }
    return true;
}

static bool finish_one(struct job_slot *slots, size_t n_slots)
{
    int status, pid = wait(&status);
    bool good = false;

    for (size_t i = 0; i < n_slots; i++)
        if (slots[i].job && slots[i].pid == pid) {
            good = check_job(slots[i].job, slots[i].folder, status);
            free_slot(&slots[i]);
        }
    return good;
}

/* ---- kernels that cannot be counted ---- */

static bool is_refused_so(const struct oracle_job *job, const char *words)
{
    struct gcal_error err = { 0 };
    struct gcal_profile *profile = count(job, 0, &err);
    bool good = !profile && strstr(err.text, words);

    print_job(job);
    printf("\n  %s %s\n", good ? "refused:" : "FAILED, it is in oracle_refused[]:",
           profile ? "it is counted now" : err.text);
    gcal_profile_destroy(profile);
    return good;
}

size_t oracle_check(size_t n_jobs, const struct oracle_job *jobs)
{
    enum { MOST_SLOTS = 16 };
    struct job_slot slots[MOST_SLOTS] = { 0 };
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t n_slots = processors < 1            ? 1
                     : processors > MOST_SLOTS ? MOST_SLOTS
                                               : (size_t)processors;
    size_t next = 0, n_running = 0, n_failed = 0;

    while (next < n_jobs || n_running) {
        size_t i = 0;

        while (i < n_slots && slots[i].job)
            i++;
        if (next == n_jobs || i == n_slots) {
            n_failed += !finish_one(slots, n_slots);
            n_running--;
        } else if (refused(jobs[next].kernel)) {
            n_failed += !is_refused_so(&jobs[next], refused(jobs[next].kernel)->words);
            next++;
        } else if (start_job(&slots[i], &jobs[next++])) {
            n_running++;
        } else {
            n_failed++;
        }
        fflush(stdout);
    }
    return n_failed;
}
