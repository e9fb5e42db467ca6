/* covariance.c - the root of a covariance: computing, writing and reading it */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/yaml.h"
#include "store/params/params.h"
#include "store/params/private.h"

/* A share of a variance below this, after subtracting the earlier parameters, is
 * rounding. */
#define NOTHING 1e-13

/* The digits of a row's largest number. */
#define DIGITS  6
#define LARGEST 1000000

/* Units of rows are powers of ten up to this exponent. */
#define MOST_EXPONENT 200

/* ---- from a covariance ---- */

/* The Cholesky factor, with a column of zeros where the earlier parameters explain all of
 * the variance: in a covariance the rest of that column vanishes as well.
 */
static int factorize(size_t n, const double *c, double *root)
{
    for (size_t i = 0; i < n; i++) {
        double *row = &root[GCAL_PARAMS_ROOT(i, 0)], deviation = sqrt(c[i * n + i]);

        for (size_t j = 0; j <= i; j++) {
            const double *other = &root[GCAL_PARAMS_ROOT(j, 0)];
            double left = c[i * n + j];

            for (size_t k = 0; k < j; k++)
                left -= row[k] * other[k];
            if (i == j)
                row[j] = left > NOTHING * c[i * n + i] ? sqrt(left) : 0;
            else
                row[j] = other[j] > 0 ? left / other[j] : 0;
            if (!(fabs(row[j]) <= 1.000001 * deviation))
                return -1;
        }
    }
    return 0;
}

int gcal_params_set_covariance(struct gcal_params_model *m, const double *covariance,
                               struct gcal_error *err)
{
    double *root = calloc(GCAL_PARAMS_ROOT(m->n_parameters, 0) + 1, sizeof(*root));

    if (!root)
        return gcal_error_memory(err);
    if (factorize(m->n_parameters, covariance, root) < 0) {
        free(root);
        return gcal_error_set(err, GCAL_EFIT,
                              "model %s: bad covariance: not finite, or some combination "
                              "of parameters has a variance below 0",
                              m->name);
    }
    free(m->root);
    m->root = root;
    return 0;
}

double gcal_params_covariance(const struct gcal_params_model *m, size_t i, size_t k)
{
    double sum = 0;

    for (size_t c = 0; c <= i && c <= k; c++)
        sum += m->root[GCAL_PARAMS_ROOT(i, c)] * m->root[GCAL_PARAMS_ROOT(k, c)];
    return sum;
}

/* ---- as text ---- */

static double unit_of(int exponent, char text[16])
{
    snprintf(text, 16, "1e%d", exponent);
    return strtod(text, NULL);
}

static double largest_of(const double *row, size_t n)
{
    double largest = 0;

    for (size_t k = 0; k < n; k++)
        largest = fmax(largest, fabs(row[k]));
    return largest;
}

static void put_row(struct gcal_buf *buf, const double *row, size_t n)
{
    double largest = largest_of(row, n), unit;
    char text[16];
    int exponent;

    if (largest == 0) {
        gcal_buf_puts(buf, "0\n");
        return;
    }
    exponent = (int)floor(log10(largest)) - (DIGITS - 1);
    if (exponent < -MOST_EXPONENT)
        exponent = -MOST_EXPONENT;
    unit = unit_of(exponent, text);
    if (llround(largest / unit) >= LARGEST)
        unit = unit_of(exponent + 1, text);
    while (n && llround(row[n - 1] / unit) == 0)
        n--;
    gcal_buf_puts(buf, n ? text : "0");
    for (size_t k = 0; k < n; k++)
        gcal_buf_printf(buf, " %lld", llround(row[k] / unit));
    gcal_buf_puts(buf, "\n");
}

char *gcal_params_covariance_encode(const struct gcal_params_model *m,
                                    struct gcal_error *err)
{
    struct gcal_buf buf = { 0 };

    gcal_buf_puts(&buf, "");
    for (size_t i = 0; i < m->n_parameters; i++)
        put_row(&buf, &m->root[GCAL_PARAMS_ROOT(i, 0)], i + 1);
    return gcal_buf_take(&buf, err);
}

/* An integer at '*at', which moves after it; false when there is none of at most 'most'.
 */
static bool take_integer(const char **at, long most, long *value)
{
    const char *c = *at;
    bool negative = *c == '-';
    long sum = 0;

    c += negative;
    if (*c < '0' || *c > '9')
        return false;
    for (; *c >= '0' && *c <= '9'; c++)
        if ((sum = 10 * sum + (*c - '0')) > most)
            return false;
    *value = negative ? -sum : sum;
    *at = c;
    return true;
}

static bool take_unit(const char **at, double *unit)
{
    char text[16];
    long exponent;

    if (**at == '0') {
        *unit = 0;
        ++*at;
        return true;
    }
    if (strncmp(*at, "1e", 2) != 0)
        return false;
    *at += 2;
    if (!take_integer(at, MOST_EXPONENT, &exponent))
        return false;
    *unit = unit_of((int)exponent, text);
    return true;
}

/* One line; returns the next, or NULL. */
static const char *take_row(const char *at, size_t n, double *row)
{
    double unit;
    long value;

    if (!take_unit(&at, &unit))
        return NULL;
    for (size_t k = 0; k < n && *at == ' '; k++) {
        at++;
        if (!take_integer(&at, LARGEST - 1, &value))
            return NULL;
        row[k] = (double)value * unit;
    }
    return *at == '\n' ? at + 1 : NULL;
}

int gcal_params_covariance_decode(const struct gcal_yaml *node, size_t n, double *root,
                                  struct gcal_error *err)
{
    const char *at = gcal_yaml_text(node, "covariance", err);

    if (!at)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (!(at = take_row(at, i + 1, &root[GCAL_PARAMS_ROOT(i, 0)])))
            return gcal_yaml_error(node, err,
                                   "covariance: row %zu of %zu is not a unit such as "
                                   "1e-18 and at most %zu integers",
                                   i + 1, n, i + 1);
    if (*at)
        return gcal_yaml_error(node, err, "covariance: more than %zu rows", n);
    return 0;
}
