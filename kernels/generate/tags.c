/* tags.c - tags on a command line and in a configuration: parsed, matched and checked */
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/similar.h"
#include "kernels/base/strings.h"
#include "kernels/generate/private.h"

/* "1024,2048" */
static int parse_values(struct gcal_arena *arena, const char *tag, const char *text,
                        struct gcal_catalogue_variant_tag *v, struct gcal_error *err)
{
    char *rest = gcal_arena_strdup(arena, text), *value;
    size_t capacity = 0;

    while ((value = strsep(&rest, ","))) {
        if (!*value)
            return gcal_error_set(err, GCAL_EINPUT,
                                  "tag '%s': a value is missing: write argument:value or "
                                  "argument:value,value",
                                  tag);
        v->values =
            gcal_arena_grow(arena, v->values, v->n_values, &capacity, sizeof(*v->values));
        v->values[v->n_values++] = value;
    }
    return 0;
}

static int parse_tag(struct gcal_arena *arena, const char *tag,
                     struct gcal_catalogue_tags *out, struct gcal_error *err)
{
    const char *colon = strchr(tag, ':');
    struct gcal_catalogue_variant_tag v = { 0 };

    if (!*tag || colon == tag)
        return gcal_error_set(err, GCAL_EINPUT, "tag '%s' has no name", tag);
    if (!colon) {
        out->plain[out->n_plain++] = gcal_arena_strdup(arena, tag);
        return 0;
    }
    v.argument = gcal_arena_format(arena, "%.*s", (int)(colon - tag), tag);
    if (gcal_catalogue_tags_find(out, v.argument))
        return gcal_error_set(
            err, GCAL_EINPUT,
            "tag '%s': duplicate argument '%s': write one tag with all values, "
            "separated by commas",
            tag, v.argument);
    if (parse_values(arena, tag, colon + 1, &v, err) < 0)
        return -1;
    out->variants[out->n_variants++] = v;
    return 0;
}

int gcal_catalogue_tags_parse(struct gcal_arena *arena, size_t n_tags,
                              const char *const *tags, struct gcal_catalogue_tags *out,
                              struct gcal_error *err)
{
    *out = (struct gcal_catalogue_tags){
        .plain = gcal_arena_alloc(arena, n_tags, sizeof(*out->plain)),
        .variants = gcal_arena_alloc(arena, n_tags, sizeof(*out->variants))
    };
    for (size_t i = 0; i < n_tags; i++)
        if (parse_tag(arena, tags[i], out, err) < 0)
            return -1;
    return 0;
}

const struct gcal_catalogue_variant_tag *
gcal_catalogue_tags_find(const struct gcal_catalogue_tags *tags, const char *argument)
{
    for (size_t i = 0; i < tags->n_variants; i++)
        if (strcmp(tags->variants[i].argument, argument) == 0)
            return &tags->variants[i];
    return NULL;
}

/* Its name is one, too. */
static bool has_tag(const struct gcal_generator *generator, const char *tag)
{
    return strcmp(generator->name, tag) == 0 ||
           gcal_strings_contain(&generator->tags, tag);
}

bool gcal_catalogue_tags_match(const struct gcal_catalogue_tags *tags,
                               enum gcal_match match,
                               const struct gcal_generator *generator)
{
    size_t asked = 0, held = 0; /* tags in both: out of 'tags', out of the generator's */

    for (size_t i = 0; i < tags->n_plain; i++)
        asked += has_tag(generator, tags->plain[i]);
    for (size_t i = 0; i < generator->tags.n; i++)
        for (size_t j = 0; j < tags->n_plain; j++)
            if (strcmp(generator->tags.items[i], tags->plain[j]) == 0) {
                held++;
                break;
            }
    switch (match) {
    case GCAL_MATCH_SUPERSET:
        return asked == tags->n_plain;
    case GCAL_MATCH_SUBSET:
        return held == generator->tags.n;
    case GCAL_MATCH_IDENTICAL:
        return asked == tags->n_plain && held == generator->tags.n;
    case GCAL_MATCH_INTERSECT:
        return asked > 0;
    }
    return false;
}

/* ---- kernels by their names ---- */

/* "n:1024" of "n:512,1024" */
static bool has_value(const char *kernel, const struct gcal_catalogue_variant_tag *tag)
{
    size_t n = strlen(tag->argument), length;

    for (const char *word; (word = gcal_strings_next_word(&kernel, &length));)
        for (size_t i = 0; i < tag->n_values; i++)
            if (length == n + 1 + strlen(tag->values[i]) &&
                strncmp(word, tag->argument, n) == 0 && word[n] == ':' &&
                strncmp(word + n + 1, tag->values[i], length - n - 1) == 0)
                return true;
    return false;
}

static bool picks(const struct gcal_catalogue *catalogue,
                  const struct gcal_catalogue_tags *tags, enum gcal_match match,
                  const char *kernel)
{
    size_t length = strcspn(kernel, " ");
    const struct gcal_generator *g = NULL;

    for (size_t i = 0; i < catalogue->n_generators && !g; i++)
        if (strlen(catalogue->generators[i]->name) == length &&
            strncmp(catalogue->generators[i]->name, kernel, length) == 0)
            g = catalogue->generators[i];
    if (!g || !gcal_catalogue_tags_match(tags, match, g))
        return false;
    for (size_t i = 0; i < tags->n_variants; i++)
        if (!has_value(kernel, &tags->variants[i]))
            return false;
    return true;
}

int gcal_catalogue_picks(const struct gcal_catalogue *catalogue, size_t n_tags,
                         const char *const *tags, enum gcal_match match,
                         const char *kernel, struct gcal_error *err)
{
    struct gcal_arena *arena = gcal_arena_create();
    struct gcal_catalogue_tags parsed;
    int picked = gcal_catalogue_tags_parse(arena, n_tags, tags, &parsed, err) < 0
                     ? -1
                     : picks(catalogue, &parsed, match, kernel);

    gcal_arena_destroy(arena);
    return picked;
}

/* ---- spaces ---- */

/* Whether a tag gives an argument that 'g' tunes several values. */
static bool is_space(const struct gcal_catalogue_tags *tags,
                     const struct gcal_generator *g)
{
    for (size_t i = 0; i < g->n_arguments; i++) {
        const struct gcal_catalogue_variant_tag *tag =
            gcal_catalogue_tags_find(tags, g->arguments[i].name);

        if (tag && tag->n_values > 1 && !g->arguments[i].size)
            return true;
    }
    return false;
}

/* All values of an argument that several generators may have. */
struct all_values {
    const char *argument; /* borrowed */
    struct gcal_strings values;
};

/* The list of the argument, new at the end of 'all', which has room. */
static struct gcal_strings *values_of(struct all_values *all, size_t *n, const char *name)
{
    for (size_t i = 0; i < *n; i++)
        if (strcmp(all[i].argument, name) == 0)
            return &all[i].values;
    all[*n].argument = name;
    return &all[(*n)++].values;
}

static int include_values(const struct gcal_generator_arg *a, struct gcal_strings *values,
                          struct gcal_error *err)
{
    struct gcal_strings own = { 0 };
    int rc = gcal_generator_arg_list_values(a, &own, err);

    for (size_t i = 0; i < own.n && rc == 0; i++)
        rc = gcal_strings_include(values, own.items[i], err);
    gcal_strings_clear(&own);
    return rc;
}

static int put_space_tag(const struct all_values *all, struct gcal_strings *more,
                         struct gcal_error *err)
{
    struct gcal_buf tag = { 0 };

    gcal_buf_puts(&tag, all->argument);
    for (size_t i = 0; i < all->values.n; i++)
        gcal_buf_printf(&tag, "%c%s", i ? ',' : ':', all->values.items[i]);
    return gcal_strings_take(more, gcal_buf_take(&tag, err), err);
}

static int add_space_tags(const struct gcal_catalogue *catalogue,
                          const struct gcal_catalogue_tags *tags, enum gcal_match match,
                          struct all_values *all, struct gcal_strings *more,
                          struct gcal_error *err)
{
    size_t n = 0;
    int rc = 0;

    for (size_t i = 0; i < catalogue->n_generators && rc == 0; i++) {
        const struct gcal_generator *g = catalogue->generators[i];

        for (size_t k = 0; k < g->n_arguments && rc == 0; k++)
            if (g->arguments[k].tuned && gcal_catalogue_tags_match(tags, match, g) &&
                !gcal_catalogue_tags_find(tags, g->arguments[k].name))
                rc = include_values(&g->arguments[k],
                                    values_of(all, &n, g->arguments[k].name), err);
    }
    for (size_t i = 0; i < n; i++) {
        if (rc == 0)
            rc = put_space_tag(&all[i], more, err);
        gcal_strings_clear(&all[i].values);
    }
    return rc;
}

int gcal_catalogue_space_tags(const struct gcal_catalogue *catalogue, size_t n_tags,
                              const char *const *tags, enum gcal_match match,
                              struct gcal_strings *more, struct gcal_error *err)
{
    struct gcal_arena *arena = gcal_arena_create();
    struct gcal_catalogue_tags parsed;
    size_t n_arguments = 0;
    bool given = false;
    int rc = gcal_catalogue_tags_parse(arena, n_tags, tags, &parsed, err);

    for (size_t i = 0; i < catalogue->n_generators && rc == 0; i++) {
        const struct gcal_generator *g = catalogue->generators[i];

        n_arguments += g->n_arguments;
        given = given ||
                (gcal_catalogue_tags_match(&parsed, match, g) && is_space(&parsed, g));
    }
    if (rc == 0 && !given)
        rc = add_space_tags(
            catalogue, &parsed, match,
            gcal_arena_alloc(arena, n_arguments, sizeof(struct all_values)), more, err);
    gcal_arena_destroy(arena);
    return rc;
}

/* ---- errors ---- */

enum { MAX_LISTED = 16 }; /* more would not be read */

/* A list of words that grows, NULL-ended; borrowed texts. */
struct words {
    struct gcal_arena *arena;
    size_t n, capacity;
    const char **list;
};

static void add_word(struct words *words, const char *word)
{
    for (size_t i = 0; i < words->n; i++)
        if (strcmp(words->list[i], word) == 0)
            return;
    /* One more for the NULL at the end. */
    words->list = gcal_arena_grow(words->arena, words->list, words->n + 1,
                                  &words->capacity, sizeof(*words->list));
    words->list[words->n++] = word;
}

/* Words for the hint are collected and compared only where there is an error. */
static int check_plain(const struct gcal_catalogue *catalogue, const char *tag,
                       struct gcal_error *err)
{
    struct words known = { 0 };

    for (size_t i = 0; i < catalogue->n_generators; i++)
        if (has_tag(catalogue->generators[i], tag))
            return 0;
    if (!catalogue->n_generators)
        return gcal_error_set(err, GCAL_EINPUT, "the catalogue is empty");
    known.arena = gcal_arena_create();
    for (size_t i = 0; i < catalogue->n_generators; i++) {
        const struct gcal_generator *g = catalogue->generators[i];

        add_word(&known, g->name);
        for (size_t j = 0; j < g->tags.n; j++)
            add_word(&known, g->tags.items[j]);
    }
    gcal_error_set(
        err, GCAL_EINPUT,
        "no measurement kernel has the tag '%s'%s; 'gpucal kernels' lists them", tag,
        gcal_similar_hint(tag, known.list).text);
    gcal_arena_destroy(known.arena);
    return -1;
}

static int argument_error(const struct gcal_catalogue *catalogue,
                          const struct gcal_catalogue_tags *tags, enum gcal_match match,
                          const char *argument, struct gcal_error *err)
{
    struct words known = { .arena = gcal_arena_create() };
    struct gcal_buf names = { 0 };

    for (size_t i = 0; i < catalogue->n_generators; i++) {
        const struct gcal_generator *g = catalogue->generators[i];

        for (size_t j = 0;
             j < g->n_arguments && gcal_catalogue_tags_match(tags, match, g); j++)
            add_word(&known, g->arguments[j].name);
    }
    for (size_t i = 0; i < known.n && known.n <= MAX_LISTED; i++)
        gcal_buf_printf(&names, "%s%s", i ? ", " : "; there are: ", known.list[i]);
    gcal_error_set(err, GCAL_EINPUT,
                   "none of the kernels that the tags pick has an argument '%s'%s%s",
                   argument, gcal_similar_hint(argument, known.list).text,
                   names.data ? names.data : "");
    gcal_buf_free(&names);
    gcal_arena_destroy(known.arena);
    return -1;
}

/* A generator that the tags pick must have the argument, and one allow the value. */
static int check_variant(const struct gcal_catalogue *catalogue,
                         const struct gcal_catalogue_tags *tags, enum gcal_match match,
                         const struct gcal_catalogue_variant_tag *v,
                         struct gcal_error *err)
{
    for (size_t k = 0; k < v->n_values; k++) {
        const struct gcal_generator_arg *a = NULL;
        bool allowed = false;

        for (size_t i = 0; i < catalogue->n_generators && !allowed; i++) {
            const struct gcal_generator *g = catalogue->generators[i];
            const struct gcal_generator_arg *found =
                gcal_catalogue_tags_match(tags, match, g)
                    ? gcal_generator_find_arg(g, v->argument)
                    : NULL;

            a = found ? found : a;
            allowed = found && gcal_generator_arg_allows(found, v->values[k]);
        }
        if (!a)
            return argument_error(catalogue, tags, match, v->argument, err);
        if (!allowed) {
            const char *value = v->values[k];
            struct gcal_buf text = { 0 };

            gcal_generator_arg_put_values(a, &text);
            gcal_error_set(err, GCAL_EINPUT, "tag '%s:%s': argument '%s' takes %s",
                           a->name, value, a->name,
                           text.data ? text.data : "other values");
            gcal_buf_free(&text);
            return -1;
        }
    }
    return 0;
}

int gcal_catalogue_tags_check(const struct gcal_catalogue *catalogue,
                              const struct gcal_catalogue_tags *tags,
                              enum gcal_match match, struct gcal_error *err)
{
    size_t n_matched = 0;

    for (size_t i = 0; i < tags->n_plain; i++)
        if (check_plain(catalogue, tags->plain[i], err) < 0)
            return -1;
    for (size_t i = 0; i < catalogue->n_generators; i++)
        n_matched += gcal_catalogue_tags_match(tags, match, catalogue->generators[i]);
    if (!n_matched) {
        static const char *const relation[] = {
            [GCAL_MATCH_SUPERSET] = "has all of these tags",
            [GCAL_MATCH_IDENTICAL] = "has exactly these tags",
            [GCAL_MATCH_SUBSET] = "has only tags of these",
            [GCAL_MATCH_INTERSECT] = "has any of these tags",
        };
        struct gcal_buf text = { 0 };

        for (size_t i = 0; i < tags->n_plain; i++)
            gcal_buf_printf(&text, "%s%s", i ? ", " : "", tags->plain[i]);
        gcal_error_set(err, GCAL_EINPUT, "no measurement kernel %s: %s", relation[match],
                       text.data ? text.data : "(none)");
        gcal_buf_free(&text);
        return -1;
    }
    for (size_t i = 0; i < tags->n_variants; i++)
        if (check_variant(catalogue, tags, match, &tags->variants[i], err) < 0)
            return -1;
    return 0;
}
