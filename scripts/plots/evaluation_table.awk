# evaluation_table.awk: geometric mean errors, coverage and ranking out of files that
# 'gpucal evaluate --csv' wrote, as Markdown; FS=, before them.

BEGIN {
    # What seed 004 reaches over five GPUs (its section 8).
    seed["matmul"] = "4.3%"; seed["dg"] = "7.5%"; seed["stencil"] = "6.7%"
    print "| kernels | variant | sizes | geometric mean error | inside the 90% interval" \
        " | fastest found | pairs in order | seed 004 |"
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
            field("level") == "model" && group in seed ? seed[group] : "-"
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
