/* known.c - the kernels that a model knows, and the times of one, as text: one line each
 *
 * "FINGERPRINT COMPONENT KERNEL target", with "-" for no component and "known" for kernels
 * that are not targets; "SIZES TIME_S SPREAD UTC", with "-" for no sizes.  As single scalars
 * these lines would take a fifth of the time of binding a model.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/yaml.h"
#include "store/params/params.h"
#include "store/params/private.h"

/* Far above any real list. */
#define MAX_LINES 10000

static const char target[] = "target", other[] = "known", none[] = "-";

char *gcal_params_known_encode(const struct gcal_params_model *m, struct gcal_error *err)
{
    struct gcal_buf buf = { 0 };

    gcal_buf_puts(&buf, "");
    for (size_t i = 0; i < m->n_known; i++) {
        const struct gcal_params_kernel *k = &m->known[i];

        gcal_buf_printf(&buf, "%s %s %s %s\n", k->fingerprint,
                        k->component ? k->component : none, k->name,
                        k->target ? target : other);
    }
    return gcal_buf_take(&buf, err);
}

/* The next word before 'end', the caller's to free, and '*at' behind it; NULL: none, or
 * memory ran out.
 */
static char *take_word(const char **at, char end)
{
    const char *from = *at;
    size_t n = 0;

    while (isgraph((unsigned char)from[n]))
        n++;
    if (!n || from[n] != end)
        return NULL;
    *at = from + n + 1;
    return strndup(from, n);
}

static int take_kernel(const char **at, void *item)
{
    struct gcal_params_kernel *k = item;
    char *role = NULL;
    int rc = -1;

    if ((k->fingerprint = take_word(at, ' ')) && (k->component = take_word(at, ' ')) &&
        (k->name = take_word(at, ' ')) && (role = take_word(at, '\n')) &&
        (strcmp(role, target) == 0 || strcmp(role, other) == 0))
        rc = 0;
    k->target = rc == 0 && strcmp(role, target) == 0;
    if (rc == 0 && strcmp(k->component, none) == 0) {
        free(k->component);
        k->component = NULL;
    }
    free(role);
    return rc;
}

static size_t count_lines(const char *text)
{
    size_t n = 0;

    for (; *text; text++)
        n += *text == '\n';
    return n;
}

/* Reads the lines of the text 'key', whose form is 'form', into the zeroed items of a new array. */
static int decode_lines(const struct gcal_yaml *node, const char *key, const char *form,
                        size_t item_bytes, int (*take)(const char **at, void *item),
                        void **items, size_t *n, struct gcal_error *err)
{
    const char *at = gcal_yaml_text(node, key, err);
    size_t n_lines = at ? count_lines(at) : 0;

    if (!at)
        return -1;
    if (n_lines > MAX_LINES)
        return gcal_yaml_error(node, err, "%s: more than %d lines", key, MAX_LINES);
    if (!(*items = calloc(n_lines + 1, item_bytes)))
        return gcal_error_memory(err);
    while (*n < n_lines)
        if (take(&at, (char *)*items + item_bytes * (*n)++) < 0)
            return gcal_yaml_error(node, err, "%s: line %zu is not '%s'", key, *n, form);
    return *at ? gcal_yaml_error(node, err, "%s: the last line has no end", key) : 0;
}

int gcal_params_known_decode(const struct gcal_yaml *node, struct gcal_params_model *m,
                             struct gcal_error *err)
{
    void *items = NULL;
    int rc = decode_lines(node, "known", "FINGERPRINT COMPONENT KERNEL target|known",
                          sizeof(*m->known), take_kernel, &items, &m->n_known, err);

    m->known = items;
    return rc;
}

/* ---- times ---- */

char *gcal_params_times_encode(const struct gcal_params_model *m, struct gcal_error *err)
{
    struct gcal_buf buf = { 0 };

    gcal_buf_puts(&buf, "");
    for (size_t i = 0; i < m->n_times; i++) {
        const struct gcal_params_time *t = &m->times[i];

        gcal_buf_printf(&buf, "%s %.6g %.3g %s\n", *t->sizes ? t->sizes : none, t->time_s,
                        t->spread, t->measured_utc);
    }
    return gcal_buf_take(&buf, err);
}

/* A word that is a number from 0 on. */
static int take_number(const char **at, double *value)
{
    char *word = take_word(at, ' '), *end = NULL;

    *value = word ? strtod(word, &end) : NAN;
    if (!word || *end || !isfinite(*value) || *value < 0)
        *value = NAN;
    free(word);
    return isnan(*value) ? -1 : 0;
}

static int take_time(const char **at, void *item)
{
    struct gcal_params_time *t = item;

    if (!(t->sizes = take_word(at, ' ')) || take_number(at, &t->time_s) < 0 ||
        !(t->time_s > 0) || take_number(at, &t->spread) < 0 ||
        !(t->measured_utc = take_word(at, '\n')))
        return -1;
    if (strcmp(t->sizes, none) == 0)
        *t->sizes = '\0';
    return 0;
}

int gcal_params_times_decode(const struct gcal_yaml *node, struct gcal_params_model *m,
                             struct gcal_error *err)
{
    void *items = NULL;
    int rc = decode_lines(node, "times", "SIZES TIME_S SPREAD UTC", sizeof(*m->times),
                          take_time, &items, &m->n_times, err);

    m->times = items;
    return rc;
}
