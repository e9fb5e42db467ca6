# csv.awk: what the tables and figures of 'gpucal kernels --csv' share.  Load columns.awk first.

# The number in a named column of this line.
function number(name) {
    return field(name) + 0
}

# The value of a generator argument in this line, "" if there is none.
function argument(name,    words, pair, n, i) {
    n = split($2, words, " ")
    for (i = 1; i <= n; i++) {
        split(words[i], pair, ":")
        if (pair[1] == name)
            return pair[2]
    }
    return ""
}

function is_good() {
    return field("status") == "good"
}

# Four significant digits, or "-" if not measured.
function short(value) {
    if (value == 0)
        return "-"
    return value >= 1000 ? sprintf("%.0f", value) : sprintf("%.4g", value)
}

# Prints a row of a Markdown table.
function row(a, b, c, d, e, f, g, h) {
    printf "| %s | %s", a, b
    if (c != "") printf " | %s", c
    if (d != "") printf " | %s", d
    if (e != "") printf " | %s", e
    if (f != "") printf " | %s", f
    if (g != "") printf " | %s", g
    if (h != "") printf " | %s", h
    print " |"
}
