# limits.awk: what hides latency and what costs it (Wang 2013): occupancy, divergence, launches,
# native functions, read-only pointers and footprints.  Load csv.awk first; reads occupancy.csv,
# divergence.csv, launch.csv, native.csv, readonly.csv and footprint.csv.

# Keeps 'value' for a line and a column of a table, each in the order of its first use.
function put(table, line, name, value) {
    if (!((table, line) in seen)) {
        seen[table, line] = 1
        lines[table, ++n_lines[table]] = line
    }
    if (!((table, "column", name) in seen)) {
        seen[table, "column", name] = 1
        names[table, ++n_names[table]] = name
    }
    cell[table, line, name] = value
}

FILENAME ~ /occupancy.csv$/ && is_good() && $1 == "occupancy_local" {
    put("local", argument("local_bytes"), "GB/s", short(number("gbytes_per_s")))
}
FILENAME ~ /occupancy.csv$/ && is_good() && $1 == "occupancy_registers" {
    type = argument("dtype")
    put("live", argument("live"), type ", GB/s", short(number("gbytes_per_s")))
    put("live", argument("live"), type ", registers", short(number("registers")))
    put("live", argument("live"), type ", bytes spilled", number("private_bytes"))
}
FILENAME ~ /divergence.csv$/ && is_good() {
    put("divergence", argument("granularity"), argument("paths") " paths",
        short(number("gflops_per_s")))
}
FILENAME ~ /launch.csv$/ && is_good() && $1 == "launch_latency" {
    put("launch", "one launch, from the host's call to its return", "us",
        short(1e6 * number("time_s")))
}
FILENAME ~ /launch.csv$/ && is_good() && $1 == "launch_queue" {
    put("launch", "each of " argument("nlaunches") " launches in a queue", "us",
        short(1e6 * number("time_s") / argument("nlaunches")))
}
# 64 functions per iteration and work-item; of the sizes, the fastest.
FILENAME ~ /native.csv$/ && is_good() {
    op = argument("op")
    rate = 64 * argument("m") * argument("nelements") / number("time_s")
    if (rate > fastest[op])
        fastest[op] = rate
}
FILENAME ~ /readonly.csv$/ && is_good() {
    put("readonly", argument("n_arrays") (argument("n_arrays") == 1 ? " array" : " arrays"),
        argument("pointer") ", GB/s", short(number("gbytes_per_s")))
}
FILENAME ~ /footprint.csv$/ && is_good() {
    put("footprint", short(4e-6 * argument("n")) " MB", "GB/s", short(number("gbytes_per_s")))
}

function print_table(table, title, first,    i, k, line) {
    if (!n_lines[table])
        return
    print title "\n"
    line = "| " first
    for (k = 1; k <= n_names[table]; k++)
        line = line " | " names[table, k]
    print line " |"
    line = "| ---"
    for (k = 1; k <= n_names[table]; k++)
        line = line " | ---"
    print line " |"
    for (i = 1; i <= n_lines[table]; i++) {
        line = "| " lines[table, i]
        for (k = 1; k <= n_names[table]; k++) {
            value = cell[table, lines[table, i], names[table, k]]
            line = line " | " (value == "" ? "-" : value)
        }
        print line " |"
    }
    print ""
}

# A native function beside the exact one.
function print_native(    n, i, pair, pairs) {
    n = split("native_divide div,native_sqrt sqrt,native_exp exp,native_sin sin", pairs, ",")
    for (i = 1; i <= n; i++) {
        split(pairs[i], pair, " ")
        if (!fastest[pair[1]] || !fastest[pair[2]])
            continue
        put("native", pair[2], "exact, 10^9/s", short(fastest[pair[2]] / 1e9))
        put("native", pair[2], "native, 10^9/s", short(fastest[pair[1]] / 1e9))
        put("native", pair[2], "faster by", short(fastest[pair[1]] / fastest[pair[2]]))
    }
    print_table("native", "Functions of float32 and their native versions:", "function")
}

END {
    print_table("local", "Dependent loads, by local memory per work-group of 64:", "bytes")
    print_table("live", "Dependent loads, by private variables of a work-item:", "variables")
    print_table("divergence",
        "Branches that runs of work-items take together, GFLOP/s:", "work-items of a run")
    print_table("launch", "Launches of an empty kernel:", "what")
    print_native()
    print_table("readonly",
        "Tiles of 16 x 16, through plain and through read-only pointers:", "loads from")
    print_table("footprint", "Loads of the same data in passes, by its size:", "data")
}
