/* choose.c - chooses the form of a model with the smallest held-out error */
#include <math.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/units.h"
#include "calib/results/private.h"

/* Errors that differ by a smaller factor count as equal. */
#define TIE 1.05
/* And so do errors that differ by less than this: noise. */
#define NOISE 5e-4

/* ---- held-out errors ---- */

/* The held-out prediction of row 'i' by one form: if only the row's generator has one of
 * its costs, by the generator's other kernels.
 */
static double held_out_prediction(const struct gcal_result_form_fit *f, size_t i)
{
    return isnan(f->held_out_s[i]) ? f->fold_out_s[i] : f->held_out_s[i];
}

static size_t count_predicted(const struct gcal_result_type_fit *t,
                              const struct gcal_result_form_fit *f)
{
    size_t n = 0;

    for (size_t i = 0; i < t->n_rows; i++)
        n += !isnan(held_out_prediction(f, i));
    return n;
}

/* A form that needs most of its kernels to be determined has few held-out predictions.
 * It must not reduce the rows that the other forms are compared by.
 */
static bool competes(const struct gcal_result_type_fit *t,
                     const struct gcal_result_form_fit *f)
{
    size_t most = 0;

    for (size_t k = 0; k < t->n_forms; k++)
        if (t->forms[k].fit.status == GCAL_FIT_GOOD) {
            size_t n = count_predicted(t, &t->forms[k]);

            most = n > most ? n : most;
        }
    return f->fit.status == GCAL_FIT_GOOD && 2 * count_predicted(t, f) >= most;
}

static bool all_predict(const struct gcal_result_type_fit *t, const bool *competing,
                        bool folds, size_t i)
{
    for (size_t k = 0; k < t->n_forms; k++) {
        const struct gcal_result_form_fit *f = &t->forms[k];

        if (competing[k] && isnan(folds ? f->fold_out_s[i] : f->held_out_s[i]))
            return false;
    }
    return true;
}

/* All forms are compared by predictions with the same rows left out: a form that needs
 * the row's generator must neither lose nor win by it.
 */
static double common_prediction(const struct gcal_result_type_fit *t,
                                const bool *competing, size_t form, size_t i)
{
    if (all_predict(t, competing, false, i))
        return t->forms[form].held_out_s[i];
    return all_predict(t, competing, true, i) ? t->forms[form].fold_out_s[i] : NAN;
}

/* Over common rows, if there are any. */
static void summarize_all(struct gcal_arena *scratch, struct gcal_result_type_fit *t,
                          const bool *competing)
{
    double *common = gcal_arena_alloc(scratch, t->n_rows, sizeof(*common));
    double *alone = gcal_arena_alloc(scratch, t->n_rows, sizeof(*alone));

    for (size_t k = 0; k < t->n_forms; k++) {
        bool any = false;

        for (size_t i = 0; i < t->n_rows; i++) {
            common[i] = common_prediction(t, competing, k, i);
            alone[i] = held_out_prediction(&t->forms[k], i);
            any |= !isnan(common[i]);
        }
        /* Forms are compared against medians over devices: what differs between these chooses
         * no form.
         */
        const double *kept = any && competing[k] ? common : alone;

        t->forms[k].compared = gcal_fit_summarize_errors(t->n_rows, t->row_cell_s, kept);
        t->forms[k].held_out = gcal_fit_summarize_errors(t->n_rows, t->row_time_s, kept);
    }
}

/* ---- choosing ---- */

/* The mean of logarithms: kernels that no form explains would dominate squares, and those
 * that a form hits by chance the geometric mean.  If nothing could be held out, the
 * residual.
 */
static double score(const struct gcal_result_form_fit *f)
{
    return f->compared.n ? f->compared.mean_log : f->fit.residual;
}

static bool is_simpler(const struct gcal_result_form_fit *a,
                       const struct gcal_result_form_fit *b)
{
    if (a->fit.n_parameters != b->fit.n_parameters)
        return a->fit.n_parameters < b->fit.n_parameters;
    return score(a) < score(b);
}

static void put_choice(struct gcal_buf *buf, const struct gcal_result_type_fit *t,
                       const struct gcal_config_model *config, const bool *competing,
                       size_t smallest)
{
    const struct gcal_result_form_fit *f = &t->forms[t->best];
    const char *before = ", against ";
    char error[GCAL_UNITS_SIZE];

    gcal_buf_printf(buf, "%s: mean error %s over ", config->forms[t->best].name,
                    gcal_units_percent(score(f), error));
    if (f->compared.n)
        gcal_buf_printf(buf, "%zu held-out measurement%s", f->compared.n,
                        f->compared.n == 1 ? "" : "s");
    else
        gcal_buf_printf(buf, "the %zu fitted measurement%s, as none could be held out",
                        t->n_rows, t->n_rows == 1 ? "" : "s");
    for (size_t k = 0; k < t->n_forms; k++)
        if (competing[k] && k != t->best) {
            gcal_buf_printf(buf, "%s%s %s", before, config->forms[k].name,
                            gcal_units_percent(score(&t->forms[k]), error));
            before = ", ";
        }
    if (t->best != smallest)
        gcal_buf_puts(buf, "; of the forms with nearly equal errors, the one with the "
                           "fewest parameters");
}

void gcal_result_choose_form(struct gcal_arena *scratch, struct gcal_result_type_fit *t,
                             const struct gcal_config_model *config)
{
    bool *competing = gcal_arena_alloc(scratch, t->n_forms, sizeof(*competing));
    size_t smallest = t->n_forms;
    struct gcal_buf buf = { 0 };

    for (size_t k = 0; k < t->n_forms; k++)
        competing[k] = competes(t, &t->forms[k]);
    summarize_all(scratch, t, competing);
    for (size_t k = 0; k < t->n_forms; k++)
        if (competing[k] &&
            (smallest == t->n_forms || score(&t->forms[k]) < score(&t->forms[smallest])))
            smallest = k;
    t->good = smallest < t->n_forms;
    if (t->good) {
        double least = score(&t->forms[smallest]);

        t->best = smallest;
        for (size_t k = 0; k < t->n_forms; k++)
            if (competing[k] && score(&t->forms[k]) <= fmax(TIE * least, least + NOISE) &&
                is_simpler(&t->forms[k], &t->forms[t->best]))
                t->best = k;
        put_choice(&buf, t, config, competing, smallest);
    }
    for (size_t k = 0; k < t->n_forms && !t->good; k++)
        gcal_buf_printf(&buf, "%s%s%s%s", buf.size ? "; " : "",
                        t->n_forms > 1 ? config->forms[k].name : "",
                        t->n_forms > 1 ? ": " : "", t->forms[k].fit.reason);
    t->reason = gcal_arena_take(t->arena, &buf);
}
