# scatter.awk: from 'gpucal evaluate --csv', a block of "measured predicted low high" (times in
# ms) for each roof that binds kernels (column bound_by; without it, for each application),
# headed by its name and the number of kernels, the largest block first.
#   -v model=NAME   the model (default: the first of the file)
# Load columns.awk first.

field("level") == "kernel" && field("kernels") == 1 {
    if (model == "")
        model = field("model")
    if (field("model") != model)
        next
    name = "bound_by" in column ? field("bound_by") : field("application")
    if (name == "")
        name = "no roof"
    if (!(name in n_points))
        names[++n_names] = name
    points[name] = points[name] sprintf("%.9g %.9g %.9g %.9g\n", 1000 * field("measured_s"),
        1000 * field("predicted_s"), 1000 * field("low_s"), 1000 * field("high_s"))
    n_points[name]++
}

END {
    for (i = 2; i <= n_names; i++)
        for (j = i; j > 1 && n_points[names[j - 1]] < n_points[names[j]]; j--) {
            name = names[j]; names[j] = names[j - 1]; names[j - 1] = name
        }
    for (i = 1; i <= n_names; i++)
        printf "%s\"%s (%d)\"\n%s", (i > 1 ? "\n\n" : ""), names[i], n_points[names[i]],
            points[names[i]]
}
