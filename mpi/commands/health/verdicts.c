/* verdicts.c - the gravest of what was found */
#include "mpi/commands/health/private.h"

const char *const gcal_verdict_names[] = { "good", "warning", "failure", "unknown" };

void gcal_verdicts_add(struct gcal_verdicts *v, enum gcal_verdict verdict,
                       const char *code, const char *reason)
{
    static const int weights[] = { [GCAL_VERDICT_GOOD] = 0,
                                   [GCAL_VERDICT_WARNING] = 1,
                                   [GCAL_VERDICT_UNKNOWN] = 2,
                                   [GCAL_VERDICT_FAILURE] = 3 };

    if (v->reason && weights[verdict] <= weights[v->verdict])
        return;
    v->verdict = verdict;
    v->code = code;
    v->reason = reason;
}
