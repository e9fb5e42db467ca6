# csv.awk: reader of 'gpucal kernels --csv', to be loaded before the other programs; set FS=,
# before each such file.  Fields up to "status" contain no commas.

FILENAME ~ /csv$/ && FNR == 1 {
    n_columns = split($0, header, ",")
    for (i = 1; i <= n_columns; i++)
        column[header[i]] = i
    next
}

# The number in a named column of this line.
function number(name) {
    return $(column[name]) + 0
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
    return $(column["status"]) == "good"
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
