/* devices.c - which devices a configuration and its models are for */
#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

#include "calib/config/config.h"
#include "kernels/model/feature.h"

static bool matches_any(size_t count, char **globs, const char *text)
{
    for (size_t i = 0; i < count; i++)
        if (fnmatch(globs[i], text, FNM_CASEFOLD) == 0)
            return true;
    return count == 0;
}

bool gcal_config_device_filter_matches(const struct gcal_config_device_filter *filter,
                                       const struct gcal_device_info *info)
{
    return matches_any(filter->n_kinds, filter->kinds, info->device_type) &&
           matches_any(filter->n_vendors, filter->vendors, info->vendor) &&
           matches_any(filter->n_names, filter->names, info->name);
}

/* Letters and digits of 'text' in lower case, at most size - 1 of them. */
static void squeeze(const char *text, char *out, size_t size)
{
    for (; *text && size > 1; text++)
        if (isalnum((unsigned char)*text)) {
            *out++ = (char)tolower((unsigned char)*text);
            size--;
        }
    *out = '\0';
}

static bool contains_word(const char *text, const char *word)
{
    char squeezed_text[256], squeezed_word[256];

    squeeze(text, squeezed_text, sizeof(squeezed_text));
    squeeze(word, squeezed_word, sizeof(squeezed_word));
    return strstr(squeezed_text, squeezed_word) != NULL;
}

bool gcal_config_names_kind(size_t n, char *const *kinds,
                            const struct gcal_device_info *info)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(kinds[i], info->device_type) == 0)
            return true;
    return false;
}

bool gcal_config_model_applies(const struct gcal_config_model *m,
                               const struct gcal_device_info *info)
{
    struct gcal_feature output = { 0 };
    bool is_for = gcal_feature_parse(m->model->output, &output, NULL) == 0;

    if (m->n_kinds ? !gcal_config_names_kind(m->n_kinds, m->kinds, info)
                   : gcal_config_names_kind(m->others.n, m->others.items, info))
        is_for = false;
    if (is_for && output.platform)
        is_for = contains_word(info->platform, output.platform) &&
                 contains_word(info->name, output.device);
    gcal_feature_clear(&output);
    return is_for;
}
