/* choose.c - measurement kernels that make all costs of a model identifiable
 *
 * Kernels are added until their rows of costs span all costs: first those that the user
 * named and the derived kernels of the target kernels, then microbenchmarks, those with
 * the fewest kinds of work first.
 */
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/profile.h"
#include "calib/select/candidates.h"
#include "calib/select/private.h"
#include "calib/select/rows.h"

/* The rows of the model's measurement kernels so far. */
static int add_fitted(struct gcal_select_rows *rows,
                      const struct gcal_catalogue *catalogue,
                      const struct gcal_config_model *m, struct gcal_error *err)
{
    struct gcal_kernel_list list = { 0 };
    int rc = gcal_select_generate_all(catalogue, m->n_tag_sets, m->tag_sets, rows->costs,
                                      &list, err);

    if (rc == 0)
        rc = gcal_select_rows_add_list(rows, &list, err);
    gcal_kernel_list_clear(&list);
    return rc;
}

/* ---- microbenchmarks ---- */

/* The one with the fewest kinds of work of those that add a direction; NULL: none. */
static struct gcal_select_candidate *best_candidate(struct gcal_select_candidates *c,
                                                    struct gcal_select_basis *basis,
                                                    double least)
{
    struct gcal_select_candidate *best = NULL;

    for (size_t i = 0; i < c->n; i++)
        if (!c->items[i].taken &&
            (!best || c->items[i].n_kinds_of_work < best->n_kinds_of_work) &&
            gcal_select_basis_lacks(basis, &c->items[i].rows, least))
            best = &c->items[i];
    return best;
}

static int take(struct gcal_select_candidate *best,
                const struct gcal_catalogue *catalogue, struct gcal_config_model *m,
                struct gcal_select_basis *basis, struct gcal_error *err)
{
    size_t i = 0;
    struct gcal_generator_view view;

    best->taken = true;
    gcal_select_basis_add(basis, &best->rows);
    do
        view = gcal_catalogue_view(catalogue, i++);
    while (strcmp(view.name, best->generator) != 0);
    return gcal_select_add_tag_set(catalogue, &view, best->variant, NULL, m, err);
}

static int add_microbenchmarks(const struct gcal_catalogue *catalogue,
                               const struct gcal_select_rows *rows,
                               const struct gcal_kernel_list *targets,
                               struct gcal_config_model *m,
                               struct gcal_select_basis *basis, struct gcal_error *err)
{
    /* Kernels that identify a cost well go before those that barely do. */
    static const double least[] = { 0.5, 0.2, GCAL_SELECT_LEAST_SHARE };
    struct gcal_select_candidates c = { 0 };
    struct gcal_select_candidate *best;
    int rc = gcal_select_candidates_find(&c, catalogue, rows->costs, targets, err);

    for (size_t i = 0; rc == 0 && i < c.n; i++)
        gcal_select_basis_scale(basis, &c.items[i].rows);
    if (rc == 0)
        gcal_select_basis_add(basis, rows);
    for (size_t i = 0; i < sizeof(least) / sizeof(*least); i++)
        while (rc == 0 && (best = best_candidate(&c, basis, least[i])))
            rc = take(best, catalogue, m, basis, err);
    gcal_select_candidates_clear(&c);
    return rc;
}

/* ---- all of it ---- */

int gcal_select_choose(const struct gcal_catalogue *catalogue,
                       const struct gcal_model *costs, bool loads,
                       const struct gcal_select_sources *sources,
                       struct gcal_config_model *m, struct gcal_error *err)
{
    struct gcal_select_rows rows = { .costs = costs };
    struct gcal_select_basis basis = { 0 };
    int rc = -1;

    if (gcal_select_add_derived(catalogue, costs, loads, &sources->targets, m, err) < 0 ||
        gcal_select_add_derived(catalogue, costs, false, &sources->mixed, m, err) < 0 ||
        add_fitted(&rows, catalogue, m, err) < 0 ||
        gcal_select_basis_init(&basis, costs->n_parameters, err) < 0)
        goto out;
    gcal_select_basis_scale(&basis, &rows);
    gcal_select_basis_add(&basis, &rows);
    if (!gcal_select_basis_is_complete(&basis) &&
        add_microbenchmarks(catalogue, &rows, &sources->targets, m, &basis, err) < 0)
        goto out;
    rc = gcal_select_basis_check(&basis, costs, err);
out:
    gcal_select_basis_clear(&basis);
    gcal_select_rows_clear(&rows);
    return rc;
}
