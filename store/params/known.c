/* known.c - the kernels that a model knows, the times of one, and their devices, as text: a line each
 *
 * "FINGERPRINT COMPONENT KERNEL target", with "-" for no component and "known" for kernels
 * that are not targets; "SIZES TIME_S SPREAD UTC DEVICE", with "-" for no sizes, and no device if it
 * is unknown; "FACTOR ERROR DEVICE".  As single scalars these lines would take a fifth of the time of
 * binding a model.
 */
#include <ctype.h>
#include <math.h>
#include <stddef.h>
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

/* ---- lines ---- */

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

static void put_kernel(struct gcal_buf *buf, const void *item)
{
    const struct gcal_params_kernel *k = item;

    gcal_buf_printf(buf, "%s %s %s %s\n", k->fingerprint,
                    k->component ? k->component : none, k->name,
                    k->target ? target : other);
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

static void put_time(struct gcal_buf *buf, const void *item)
{
    const struct gcal_params_time *t = item;

    gcal_buf_printf(buf, "%s %.6g %.3g %s%s%s\n", *t->sizes ? t->sizes : none, t->time_s,
                    t->spread, t->measured_utc, t->device ? " " : "",
                    t->device ? t->device : "");
}

static int take_time(const char **at, void *item)
{
    struct gcal_params_time *t = item;

    if (!(t->sizes = take_word(at, ' ')) || take_number(at, &t->time_s) < 0 ||
        !(t->time_s > 0) || take_number(at, &t->spread) < 0 ||
        (!(t->measured_utc = take_word(at, '\n')) &&
         (!(t->measured_utc = take_word(at, ' ')) || !(t->device = take_word(at, '\n')))))
        return -1;
    if (strcmp(t->sizes, none) == 0)
        *t->sizes = '\0';
    return 0;
}

static void put_member(struct gcal_buf *buf, const void *item)
{
    const struct gcal_params_member *m = item;

    gcal_buf_printf(buf, "%.4g %.3g %s\n", m->factor, m->error, m->device);
}

static int take_member(const char **at, void *item)
{
    struct gcal_params_member *m = item;

    return take_number(at, &m->factor) < 0 || !(m->factor > 0) ||
                   take_number(at, &m->error) < 0 || !(m->device = take_word(at, '\n'))
               ? -1
               : 0;
}

/* ---- texts ---- */

static const struct {
    const char *key, *form;
    size_t item_bytes, n, items; /* places in the model */
    void (*put)(struct gcal_buf *buf, const void *item);
    int (*take)(const char **at, void *item);
} kinds[GCAL_PARAMS_N_LINES] = {
    { "known", "FINGERPRINT COMPONENT KERNEL target|known",
      sizeof(struct gcal_params_kernel), offsetof(struct gcal_params_model, n_known),
      offsetof(struct gcal_params_model, known), put_kernel, take_kernel },
    { "times", "SIZES TIME_S SPREAD UTC [DEVICE]", sizeof(struct gcal_params_time),
      offsetof(struct gcal_params_model, n_times),
      offsetof(struct gcal_params_model, times), put_time, take_time },
    { "members", "FACTOR ERROR DEVICE", sizeof(struct gcal_params_member),
      offsetof(struct gcal_params_model, n_members),
      offsetof(struct gcal_params_model, members), put_member, take_member },
};

const char *gcal_params_lines_key(size_t kind)
{
    return kinds[kind].key;
}

char *gcal_params_lines_encode(size_t kind, const struct gcal_params_model *m,
                               struct gcal_error *err)
{
    size_t n = *(const size_t *)((const char *)m + kinds[kind].n);
    const char *items = *(char *const *)((const char *)m + kinds[kind].items);
    struct gcal_buf buf = { 0 };

    gcal_buf_puts(&buf, "");
    for (size_t i = 0; i < n; i++)
        kinds[kind].put(&buf, items + i * kinds[kind].item_bytes);
    return gcal_buf_take(&buf, err);
}

int gcal_params_lines_decode(size_t kind, const struct gcal_yaml *map,
                             struct gcal_params_model *m, struct gcal_error *err)
{
    const char *key = kinds[kind].key;
    const struct gcal_yaml *node = gcal_yaml_find(map, key);
    size_t *n = (size_t *)((char *)m + kinds[kind].n), n_lines = 0;
    const char *at = node ? gcal_yaml_text(node, key, err) : NULL;
    char *items;

    if (!at)
        return node ? -1 : 0;
    for (const char *end = at; (end = strchr(end, '\n')); end++)
        n_lines++;
    if (n_lines > MAX_LINES)
        return gcal_yaml_error(node, err, "%s: more than %d lines", key, MAX_LINES);
    if (!(items = calloc(n_lines + 1, kinds[kind].item_bytes)))
        return gcal_error_memory(err);
    memcpy((char *)m + kinds[kind].items, &items, sizeof(items));
    while (*n < n_lines)
        if (kinds[kind].take(&at, items + kinds[kind].item_bytes * (*n)++) < 0)
            return gcal_yaml_error(node, err, "%s: line %zu is not '%s'", key, *n,
                                   kinds[kind].form);
    return *at ? gcal_yaml_error(node, err, "%s: the last line has no end", key) : 0;
}
