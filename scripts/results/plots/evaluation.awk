# evaluation.awk: from 'gpucal evaluate --csv', a block of "x measured predicted low high error"
# (times in ms) for each variant and each combination of its other sizes, headed by the words
# that distinguish it.
#   -v x=n   the size on the x axis
# Load columns.awk first.

# Splits this line's sizes: the x size goes to 'at' ("" if missing), the variant with its other
# sizes to 'name'.
function take_sizes(    words, pair, n, i) {
    at = ""
    name = field("variant")
    n = split(field("sizes"), words, " ")
    for (i = 1; i <= n; i++) {
        split(words[i], pair, ":")
        if (pair[1] == x)
            at = pair[2]
        else
            name = name " " words[i]
    }
}

field("level") == "kernel" && field("kernels") == 1 {
    take_sizes()
    if (at == "")
        next
    if (!(name in n_points)) {
        names[++n_names] = name
        n_words = split(name, words, " ")
        for (i = 1; i <= n_words; i++)
            with_word[words[i]]++
    }
    i = ++n_points[name]
    xs[name, i] = at + 0
    line[name, i] = sprintf("%s %.9g %.9g %.9g %.9g %.9g", at,
        1000 * field("measured_s"), 1000 * field("predicted_s"), 1000 * field("low_s"),
        1000 * field("high_s"), field("error_percent"))
}

# Sorts by x, as gnuplot draws lines in order.
function sort_points(name,    i, j, t) {
    for (i = 2; i <= n_points[name]; i++)
        for (j = i; j > 1 && xs[name, j - 1] > xs[name, j]; j--) {
            t = xs[name, j]; xs[name, j] = xs[name, j - 1]; xs[name, j - 1] = t
            t = line[name, j]; line[name, j] = line[name, j - 1]; line[name, j - 1] = t
        }
}

# The words that not all variants share; the first word if there is one variant only.
function own_words(name,    words, n, i, own) {
    n = split(name, words, " ")
    for (i = 1; i <= n; i++)
        if (with_word[words[i]] < n_names)
            own = own (own == "" ? "" : " ") words[i]
    return own == "" ? words[1] : own
}

END {
    for (k = 1; k <= n_names; k++) {
        name = names[k]
        sort_points(name)
        printf "%s\"%s\"\n", (k > 1 ? "\n\n" : ""), own_words(name)
        for (i = 1; i <= n_points[name]; i++)
            print line[name, i]
    }
}
