# series.awk: lines of a figure from a CSV file.  Load csv.awk first.
#   -v match_all="read:direct write:direct"  only kernels with these arguments
#   -v by="width"                        one line per value ("generator": per generator)
#   -v x=items -v y=gbytes_per_s         x argument; y is the sum of these columns
#   -v per=n -v scale=4e-9               or y is this argument divided by the time
# y is multiplied by scale, if given.
# Output: blocks of "x y" for gnuplot, each headed by its name in quotes.

function is_wanted(    words, pair, n, i) {
    n = split(match_all, words, " ")
    for (i = 1; i <= n; i++) {
        split(words[i], pair, ":")
        if ((pair[1] == "generator" ? $1 : argument(pair[1])) != pair[2])
            return 0
    }
    return 1
}

function name_of(    words, n, i, name, value) {
    n = split(by, words, " ")
    for (i = 1; i <= n; i++) {
        value = words[i] == "generator" ? $1 : words[i] " " argument(words[i])
        name = name (i > 1 ? ", " : "") value
    }
    return name
}

is_good() && is_wanted() && argument(x) != "" {
    name = name_of()
    if (!(name in n_points))
        names[++n_names] = name
    i = ++n_points[name]
    xs[name, i] = argument(x) + 0
    n = split(y, parts, " ")
    for (k = 1; k <= n; k++)
        ys[name, i] += number(parts[k])
    if (per != "")
        ys[name, i] = argument(per) / number("time_s")
    if (scale != "")
        ys[name, i] *= scale
}

# Sorts by x, as gnuplot draws lines in order.
function sort_points(name,    i, j, t) {
    for (i = 2; i <= n_points[name]; i++)
        for (j = i; j > 1 && xs[name, j - 1] > xs[name, j]; j--) {
            t = xs[name, j]; xs[name, j] = xs[name, j - 1]; xs[name, j - 1] = t
            t = ys[name, j]; ys[name, j] = ys[name, j - 1]; ys[name, j - 1] = t
        }
}

END {
    for (k = 1; k <= n_names; k++) {
        name = names[k]
        sort_points(name)
        printf "%s\"%s\"\n", (k > 1 ? "\n\n" : ""), name
        for (i = 1; i <= n_points[name]; i++)
            print xs[name, i], ys[name, i]
    }
}
