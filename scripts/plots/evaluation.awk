# evaluation.awk: a block of "x measured predicted low high error" for each variant, and for
# each of its other sizes, out of what 'gpucal evaluate --csv' writes, times in ms; headed by
# what tells it apart.
#   -v x=n   the size along which it goes
# FS=, before the file: the fields before "device" hold no commas.

FNR == 1 {
    n_columns = split($0, header, ",")
    for (i = 1; i <= n_columns; i++)
        column[header[i]] = i
    next
}

function field(name) {
    return $(column[name])
}

# Takes this line's sizes: the one along which it goes in 'at', "" without it, and the
# variant with the others in 'name'.
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

# Ascending, as lines are drawn.
function sort_points(name,    i, j, t) {
    for (i = 2; i <= n_points[name]; i++)
        for (j = i; j > 1 && xs[name, j - 1] > xs[name, j]; j--) {
            t = xs[name, j]; xs[name, j] = xs[name, j - 1]; xs[name, j - 1] = t
            t = line[name, j]; line[name, j] = line[name, j - 1]; line[name, j - 1] = t
        }
}

# The words that not all variants have; of one alone, the first.
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
