# peak.awk: highest measured rates beside clpeak's of the same run.  Load csv.awk first; reads
# clpeak.txt and peak.csv.
FILENAME ~ /clpeak/ {
    if (/\(GBPS\)/) section = "bandwidth"
    else if (/Single-precision/) section = "float32"
    else if (NF < 3) section = ""
    else if (section != "" && $2 == ":" && $3 > clpeak[section]) clpeak[section] = $3
    next
}
is_good() {
    value = number($1 ~ /^flops/ ? "gflops_per_s" : "gbytes_per_s")
    if (value > best[$1]) {
        best[$1] = value
        how[$1] = $2
    }
}

function line(name, what, unit, section) {
    row(what, short(best[name]) " " unit,
        clpeak[section] ? short(clpeak[section]) " " unit : "-",
        clpeak[section] ? sprintf("%.1f%%", 100 * best[name] / clpeak[section]) : "-",
        how[name] == "" ? "-" : how[name])
}

END {
    row("rate", "gpucal", "clpeak", "of clpeak's", "arguments")
    row("---", "---", "---", "---", "---")
    line("gmem_copy", "copy, float32", "GB/s", "bandwidth")
    line("gmem_triad", "triad, float32", "GB/s", "bandwidth")
    line("flops_madd", "multiply-add, float32", "GFLOP/s", "float32")
    line("flops_add", "addition, float32", "GFLOP/s", "")
}
