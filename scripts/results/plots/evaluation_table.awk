# evaluation_table.awk: Markdown table of geometric mean errors, coverage and ranking from
# files of 'gpucal evaluate --csv'; set FS=, before them.

BEGIN {
    # Errors over five GPUs (Stevens and Kloeckner 2020, section 8).
    paper["matmul"] = "4.3%"; paper["dg"] = "7.5%"; paper["stencil"] = "6.7%"
    print "| kernels | variant | sizes | geometric mean error | inside the 90% interval" \
        " | fastest found | pairs in order | Stevens and Kloeckner 2020 |"
    print "| --- | --- | --- | --- | --- | --- | --- | --- |"
}

FNR == 1 {
    n_columns = split($0, header, ",")
    for (i = 1; i <= n_columns; i++)
        column[header[i]] = i
    group = FILENAME
    sub(/^.*\//, "", group)
    sub(/\.csv$/, "", group)
    next
}

function field(name) {
    return $(column[name])
}

function count(part, all) {
    return all > 0 ? part " of " all : "-"
}

function put(what,    n) {
    n = field("kernels")
    if (n > 0)
        printf "| %s | %s | %d | %.2f%% | %s | %s | %s | %s |\n", group, what, n,
            field("error_percent"), count(field("inside"), n),
            count(field("found"), field("sets")), count(field("ordered"), field("pairs")),
            field("level") == "model" && group in paper ? paper[group] : "-"
}

field("level") == "variant" { put(field("variant")) }
field("level") == "model" { put("**model " field("model") " (" field("form") ")**") }
field("level") == "all" { put("**all**") }
field("level") == "set" && field("ties") == 1 {
    notes = notes sprintf("- tie of %s at %s: the two fastest differ by %.1f%%\n", group,
        field("sizes"), field("lead_percent"))
}
field("level") == "set" && field("found") == 0 {
    notes = notes sprintf("- missed of %s at %s: %s takes %.1f%% longer than the fastest\n",
        group, field("sizes"), field("variant"), field("loss_percent"))
}

END {
    if (notes != "")
        print "\n" notes
}
