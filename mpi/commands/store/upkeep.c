/* upkeep.c - verification and pruning of a store with all its folders */
#include "mpi/commands/store/upkeep.h"

#include <stdlib.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "store/medians/medians.h"

/* Takes over what was found of medians. */
static int add(struct gcal_verify_result *result, const struct gcal_medians_check *found,
               struct gcal_error *err)
{
    struct gcal_buf buf = { 0 };

    result->n_files += found->n_files;
    result->n_signed += found->n_signed;
    result->n_damaged += found->damaged.n;
    result->n_interrupted += found->interrupted.n;
    if (!found->damaged.n && !found->interrupted.n)
        return 0;
    if (result->text)
        gcal_buf_puts(&buf, result->text);
    for (size_t i = 0; i < found->damaged.n; i++)
        gcal_buf_printf(&buf, "damaged: %s\n", found->damaged.items[i]);
    for (size_t i = 0; i < found->interrupted.n; i++)
        gcal_buf_printf(&buf, "interrupted: %s\n", found->interrupted.items[i]);
    free(result->text);
    return (result->text = gcal_buf_take(&buf, err)) ? 0 : -1;
}

int gcal_upkeep_verify(const struct gcal_store *store, struct gcal_verify_result *result,
                       struct gcal_error *err)
{
    struct gcal_medians_check found = { 0 };
    int rc = gcal_store_verify(store, result, err);

    if (rc == 0 && ((rc = gcal_medians_verify(store, &found, err)) < 0 ||
                    (rc = add(result, &found, err)) < 0))
        gcal_verify_result_clear(result);
    gcal_medians_check_clear(&found);
    return rc;
}

int gcal_upkeep_prune(struct gcal_store *store, size_t keep, double max_age_s,
                      bool dry_run, size_t *removed, struct gcal_strings *strangers,
                      struct gcal_error *err)
{
    return gcal_store_prune(store, keep, max_age_s, dry_run, removed, strangers, err) < 0
               ? -1
               : gcal_medians_prune(store, dry_run, removed, err);
}
