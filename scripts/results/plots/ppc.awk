# ppc.awk: versions of the min-plus product (Programming Parallel Computers, chapter 4).  Load
# csv.awk first; reads peak.csv, minplus.csv and minplus.counts ('gpucal kernels --counts', for
# sub-groups of 32).
BEGIN {
    n_versions = split("V0 V1 V2 V3 V2v V4", versions, " ")
    split("3763 1389 208 168 220 137", paper_ms, " ")
    split("4% 10% 57% 67% - 78%", paper_efficiency, " ")
}

FILENAME ~ /counts$/ && /^min_plus/ {
    match($0, /version:[^ ]*/)
    version = substr($0, RSTART + 8, RLENGTH - 8)
    match($0, / n:[0-9]*/)
    n = substr($0, RSTART + 3, RLENGTH - 3)
}
# Loads per work-item, from lines "[~] per value ..."; a sub-group's count holds for 32.
FILENAME ~ /counts$/ && / f_mem_access.*_load/ {
    at = $1 == "~" ? 2 : 1
    loads = $(at + 1) * ($at == "sub-group" ? 32 : 1)
    if (/_global_/)
        global_loads[version] += loads / n / n / n
    else
        local_loads[version] += loads / n / n / n
}
FILENAME ~ /counts$/ { next }

$1 == "flops_add" && is_good() && argument("dtype") == "float32" { add = number("gflops_per_s") }
$1 ~ /^min_plus_v/ && is_good() {
    size = argument("n")
    ms[argument("version")] = 1000 * number("time_s")
    rate[argument("version")] = number("gflops_per_s")
}

END {
    printf "Efficiency is relative to the measured rate of additions alone, %s Gop/s.\n\n", short(add)
    row("version", "its GPU, n = 6300", "efficiency", "here, n = " size, "efficiency",
        "global loads per addition", "local loads per addition")
    row("---", "---", "---", "---", "---", "---", "---")
    for (i = 1; i <= n_versions; i++) {
        v = versions[i]
        row(v, paper_ms[i] " ms", paper_efficiency[i], short(ms[v]) " ms",
            add ? sprintf("%.0f%%", 100 * rate[v] / add) : "-", short(global_loads[v]),
            short(local_loads[v]))
    }
}
