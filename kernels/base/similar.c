/* similar.c - what a mistyped word was probably meant to be */
#include "kernels/base/similar.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LETTERS = 64, LEAST_BEGINNING = 2 };

/* Returns whether a longer word begins as 'word' does, but for a quarter of its letters. */
static int begins_alike(const char *word, size_t length, const char *longer)
{
    size_t common = 0;

    while (word[common] && word[common] == longer[common])
        common++;
    return common >= LEAST_BEGINNING && 4 * common >= 3 * length;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Letters to change, add, leave out, or exchange with the next one (Damerau and Levenshtein,
 * each letter in one exchange at most).  Words have at most MAX_LETTERS letters.
 */
static int distance(const char *a, const char *b)
{
    int rows[3][MAX_LETTERS + 1], *before = rows[0], *last = rows[1], *row = rows[2];
    int n = (int)strlen(b);

    for (int j = 0; j <= n; j++)
        last[j] = j;
    for (int i = 0; a[i]; i++) {
        int *oldest = before;

        row[0] = i + 1;
        for (int j = 0; j < n; j++) {
            row[j + 1] = least(least(row[j], last[j + 1]) + 1, last[j] + (a[i] != b[j]));
            if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j])
                row[j + 1] = least(row[j + 1], before[j - 1] + 1);
        }
        before = last;
        last = row;
        row = oldest;
    }
    return last[n];
}

/* A third of the letters, rounded up to whole ones, is too much: every short word would be
 * similar to another.
 */
static int is_similar(int distance, size_t letters)
{
    return 3 * distance <= (int)letters + 1;
}

const char *gcal_similar(const char *word, const char *const *known)
{
    const char *best = NULL, *longer = NULL;
    size_t length = strlen(word);
    int fewest = MAX_LETTERS;

    for (; *known && length <= MAX_LETTERS; known++) {
        size_t letters = strlen(*known) > length ? strlen(*known) : length;
        int d = letters <= MAX_LETTERS ? distance(word, *known) : MAX_LETTERS;

        if (d < fewest && is_similar(d, letters)) {
            best = *known;
            fewest = d;
        }
        if (!longer && begins_alike(word, length, *known))
            longer = *known;
    }
    return best ? best : longer;
}

struct gcal_similar_hint gcal_similar_hint(const char *word, const char *const *known)
{
    const char *found = gcal_similar(word, known);
    struct gcal_similar_hint hint = { "" };

    if (found)
        snprintf(hint.text, sizeof(hint.text), " (did you mean '%.64s'?)", found);
    return hint;
}
