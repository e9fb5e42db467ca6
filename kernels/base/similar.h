/* similar.h - what a mistyped word was probably meant to be */
#ifndef GCAL_KERNELS_BASE_SIMILAR_H
#define GCAL_KERNELS_BASE_SIMILAR_H

/* The word of 'known' (NULL-ended) that is most similar to 'word': itself, one with few letters
 * exchanged, or one that begins alike; NULL: none is similar.
 */
const char *gcal_similar(const char *word, const char *const *known);

/* The end of a message on an unknown 'word': " (did you mean 'predict'?)", or "" if none of
 * 'known' is similar.
 */
struct gcal_similar_hint {
    char text[100];
};
struct gcal_similar_hint gcal_similar_hint(const char *word, const char *const *known);

#endif
