/* turns.c - measurements that devices of one host disturb */
#include <pthread.h>
#include <stdlib.h>

#include "calib/plan/private.h"

/* Of a kernel that is shorter, the launch is a part that shows. */
#define SHORT_S 100e-6

struct gcal_plan_turns {
    pthread_mutex_t lock;
};

struct gcal_plan_turns *gcal_plan_turns_create(void)
{
    struct gcal_plan_turns *turns = calloc(1, sizeof(*turns));

    if (turns)
        pthread_mutex_init(&turns->lock, NULL);
    return turns;
}

void gcal_plan_turns_destroy(struct gcal_plan_turns *turns)
{
    if (turns)
        pthread_mutex_destroy(&turns->lock);
    free(turns);
}

/* By the host's processors, its memory, or the bus. */
static bool is_disturbed(const struct gcal_plan_row *row)
{
    const struct gcal_kernel *kernel = row->kernel;

    return kernel->timing == GCAL_TIMING_HOST ||
           kernel->transfer.way != GCAL_FEATURE_COPY_ANY || row->first_s < SHORT_S;
}

bool gcal_plan_turns_take(struct gcal_plan_turns *turns, const struct gcal_plan_row *row)
{
    if (!turns || !is_disturbed(row))
        return false;
    pthread_mutex_lock(&turns->lock);
    return true;
}

void gcal_plan_turns_give(struct gcal_plan_turns *turns)
{
    pthread_mutex_unlock(&turns->lock);
}
