/* use.c - how long this process and its workers had processors, and waited for them */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "calib/worker/private.h"

/* Waiting counts as such up to this share of the wall clock's time: budgets and limits last for four
 * times as long at most.
 */
#define WAITING_SHARE 0.75

/* All threads of a process; what the kernel does not tell counts as nothing. */
static void add_process(long pid, struct gcal_worker_use *use)
{
    char path[80];
    DIR *tasks;

    snprintf(path, sizeof(path), "/proc/%ld/task", pid);
    if (!(tasks = opendir(path)))
        return;
    for (struct dirent *task; (task = readdir(tasks));) {
        double ran_ns, waited_ns;
        FILE *file;

        if (task->d_name[0] == '.')
            continue;
        snprintf(path, sizeof(path), "/proc/%ld/task/%.20s/schedstat", pid, task->d_name);
        if (!(file = fopen(path, "r")))
            continue;
        if (fscanf(file, "%lf %lf", &ran_ns, &waited_ns) == 2) {
            use->ran_s += 1e-9 * ran_ns;
            use->waited_s += 1e-9 * waited_ns;
        }
        fclose(file);
    }
    closedir(tasks);
}

struct gcal_worker_use gcal_worker_process_use(long pid)
{
    struct gcal_worker_use use = { 0 };

    add_process(pid, &use);
    return use;
}

/* Where processes were ready to run for R + W, and ran for R, what they did took (R + W)/R times as
 * long as on an idle machine.  Of a device that needs no processor all the time W is a small part
 * of the wall clock's time, and no more than that is lost.
 */
double gcal_worker_waited_s(const struct gcal_worker_use *before,
                            const struct gcal_worker_use *after, double past_s)
{
    double ran_s =
        fmax(0, after->ran_s - before->ran_s); /* below 0: a thread has ended */
    double waited_s = fmax(0, after->waited_s - before->waited_s);

    if (!(waited_s > 0))
        return 0;
    return fmin(fmin(waited_s, past_s * waited_s / (ran_s + waited_s)),
                WAITING_SHARE * past_s);
}

struct gcal_worker_use gcal_worker_spawner_use(const struct gcal_worker_spawner *spawner)
{
    long parent = gcal_worker_spawner_pid(spawner), pid;
    struct gcal_worker_use use = { 0 };
    char path[80];
    FILE *children;

    add_process(getpid(), &use);
    snprintf(path, sizeof(path), "/proc/%ld/task/%ld/children", parent, parent);
    if (!(children = fopen(path, "r")))
        return use;
    while (fscanf(children, "%ld", &pid) == 1)
        add_process(pid, &use);
    fclose(children);
    return use;
}
