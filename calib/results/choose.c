/* choose.c - which form of a model predicts best what it has not seen */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "calib/base/units.h"
#include "calib/results/private.h"

/* Forms that differ by less are taken to be as good as each other. */
#define TIE 1.05

/* ---- judging ---- */

/* The prediction of row 'i' that the form is judged by, if it is judged by itself: what
 * only its own generator tells the cost of, by the generator's other kernels.
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

/* A form that needs most of its kernels to be determined at all cannot be held to many
 * that it has not seen.  It must not decide which rows the others are judged by.
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

/* All forms must have seen as little: one that needs a row's generator is not to lose to
 * one that predicts it badly without, nor to win by it.
 */
static double common_prediction(const struct gcal_result_type_fit *t,
                                const bool *competing, size_t form, size_t i)
{
    if (all_predict(t, competing, false, i))
        return t->forms[form].held_out_s[i];
    return all_predict(t, competing, true, i) ? t->forms[form].fold_out_s[i] : NAN;
}

/* Mixed kernels fewer than these are too few to judge by. */
#define LEAST_MIXED 5

/* Where enough of those predicted are mixed kernels, the others are not judged by. */
static void keep_mixed(const struct gcal_result_type_fit *t, double *predicted_s)
{
    size_t n = 0;

    for (size_t i = 0; i < t->n_rows; i++)
        n += t->row_mixed[i] && !isnan(predicted_s[i]);
    for (size_t i = 0; n >= LEAST_MIXED && i < t->n_rows; i++)
        if (!t->row_mixed[i])
            predicted_s[i] = NAN;
}

/* On common rows where there are any. */
static int summarize_all(struct gcal_result_type_fit *t, const bool *competing,
                         struct gcal_error *err)
{
    double *common = calloc(t->n_rows + 1, sizeof(*common));
    double *own = calloc(t->n_rows + 1, sizeof(*own));
    int rc = common && own ? 0 : gcal_error_memory(err);

    for (size_t k = 0; k < t->n_forms && rc == 0; k++) {
        bool any = false;

        for (size_t i = 0; i < t->n_rows; i++) {
            common[i] = common_prediction(t, competing, k, i);
            own[i] = held_out_prediction(&t->forms[k], i);
            any |= !isnan(common[i]);
        }
        keep_mixed(t, common);
        keep_mixed(t, own);
        rc = gcal_fit_summarize_errors(t->n_rows, t->row_time_s,
                                       any && competing[k] ? common : own,
                                       &t->forms[k].judged, err);
    }
    free(common);
    free(own);
    return rc;
}

/* ---- choosing ---- */

/* By what is compared: neither do few kernels that no form explains decide, as they would
 * by the squares, nor few that one hits by chance, as they would by the geometric mean.
 * Where nothing could be held out, the fit's own residuals.
 */
static double score(const struct gcal_result_form_fit *f)
{
    return f->judged.n ? f->judged.mean_log : f->fit.residual;
}

static bool is_simpler(const struct gcal_result_form_fit *a,
                       const struct gcal_result_form_fit *b)
{
    if (a->fit.n_parameters != b->fit.n_parameters)
        return a->fit.n_parameters < b->fit.n_parameters;
    return score(a) < score(b);
}

static size_t smallest_error(const struct gcal_result_type_fit *t, const bool *competing)
{
    size_t best = t->n_forms;

    for (size_t k = 0; k < t->n_forms; k++)
        if (competing[k] &&
            (best == t->n_forms || score(&t->forms[k]) < score(&t->forms[best])))
            best = k;
    return best;
}

static size_t simplest_of_equals(const struct gcal_result_type_fit *t,
                                 const bool *competing, size_t smallest)
{
    size_t best = smallest;

    for (size_t k = 0; k < t->n_forms; k++)
        if (competing[k] && score(&t->forms[k]) <= TIE * score(&t->forms[smallest]) &&
            is_simpler(&t->forms[k], &t->forms[best]))
            best = k;
    return best;
}

/* ---- telling ---- */

static void put_others(struct gcal_buf *buf, const struct gcal_result_type_fit *t,
                       const struct gcal_config_model *config, const bool *competing)
{
    const char *before = ", against ";
    char error[GCAL_UNITS_SIZE];

    for (size_t k = 0; k < t->n_forms; k++)
        if (competing[k] && k != t->best) {
            gcal_buf_printf(buf, "%s%s %s", before, config->forms[k].name,
                            gcal_units_percent(score(&t->forms[k]), error));
            before = ", ";
        }
}

static void put_choice(struct gcal_buf *buf, const struct gcal_result_type_fit *t,
                       const struct gcal_config_model *config, const bool *competing,
                       size_t smallest)
{
    const struct gcal_result_form_fit *f = &t->forms[t->best];
    char error[GCAL_UNITS_SIZE];

    gcal_buf_printf(buf, "%s: mean error %s over ", config->forms[t->best].name,
                    gcal_units_percent(score(f), error));
    if (f->judged.n)
        gcal_buf_printf(buf, "%zu%s measurement%s%s", f->judged.n,
                        t->by_targets ? "" : " held-out", f->judged.n == 1 ? "" : "s",
                        t->by_targets ? " of predicted kernels" : "");
    else
        gcal_buf_printf(buf,
                        "the %zu measurement%s that it was fitted to, as none could be "
                        "held out",
                        f->n_rows, f->n_rows == 1 ? "" : "s");
    put_others(buf, t, config, competing);
    if (t->best != smallest)
        gcal_buf_puts(buf, "; of forms as good as each other the one with the fewest "
                           "parameters is taken");
}

static void put_rejection(struct gcal_buf *buf, const struct gcal_result_type_fit *t,
                          const struct gcal_config_model *config)
{
    for (size_t k = 0; k < t->n_forms; k++)
        if (gcal_result_is_form_offered(t, config, k))
            gcal_buf_printf(buf, "%s%s%s%s", buf->size ? "; " : "",
                            t->n_forms > 1 ? config->forms[k].name : "",
                            t->n_forms > 1 ? ": " : "", t->forms[k].fit.reason);
    if (!buf->size)
        gcal_buf_puts(buf, "none of the kernels that it predicts was measured");
}

int gcal_result_choose_form(struct gcal_result_type_fit *t,
                            const struct gcal_config_model *config,
                            struct gcal_error *err)
{
    bool *competing = calloc(t->n_forms + 1, sizeof(*competing));
    struct gcal_buf buf = { 0 };
    size_t smallest;

    if (!competing)
        return gcal_error_memory(err);
    for (size_t k = 0; k < t->n_forms; k++)
        competing[k] = competes(t, &t->forms[k]);
    if (summarize_all(t, competing, err) < 0) {
        free(competing);
        return -1;
    }
    smallest = smallest_error(t, competing);
    t->good = smallest < t->n_forms;
    if (t->good) {
        t->best = simplest_of_equals(t, competing, smallest);
        put_choice(&buf, t, config, competing, smallest);
    } else {
        put_rejection(&buf, t, config);
    }
    free(competing);
    return (t->reason = gcal_buf_take(&buf, err)) ? 0 : -1;
}
