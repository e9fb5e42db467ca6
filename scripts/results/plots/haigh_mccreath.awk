# haigh_mccreath.awk: table 2 of Haigh and McCreath 2015.  Load csv.awk first; reads peak.csv
# and, for each benchmark, its .csv and, if the heuristic is to be evaluated, its .counts
# ('gpucal kernels --counts', for sub-groups of 32).  The heuristic needs facts of the device
# as variables:
#   sms, clock_hz, cores (per SM), blocks, threads, local_bytes (maxima per SM),
#   latency (of global memory, cycles), sector (least bytes moved per element),
#   depth (cycles from an operation to its result)
BEGIN {
    n = split("increment dense dense2 kmeans blur", benchmarks, " ")
    split("96 192 192 768 576", n_configurations, " ")
    split("0.044 5.58 5.58 - 4.19", bound, " ")
    split("0.054 6.25 30.7 34.1 5.54", gtx_best, " ")
    split("3.3% 0.3% 49.9% 38.4% 68.8%", gtx_slowdown, " ")
    split("0.054 17.8 43.1 28.9 6.44", k20_best, " ")
    split("4.2% 0.2% 18.4% 44.6% 19.3%", k20_slowdown, " ")
}

# ---- the heuristic (Haigh and McCreath 2015, section 2.1) ----

# Starts a kernel: the words of its name after the generator's are its arguments.
function begin_kernel() {
    end_kernel()
    counted = $0
    $2 = substr($0, length($1) + 2)
    group = argument("N"); each = argument("F")
    bytes = operations = local_used = barriers = 0
}

function least(a, b) {
    return a < b ? a : b
}

# Cost in seconds: the number of resident work-groups per SM determines the share of bandwidth
# and arithmetic that is used.  Sets in_flight, the elements in flight per SM.
function cost(    k, saturating, memory, compute) {
    k = least(blocks, int(threads / group))
    if (local_used)
        k = least(k, int(local_bytes / local_used))
    if (k < 1)
        return 0
    in_flight = group * each * k
    saturating = bandwidth / sms * latency / clock_hz
    memory = bytes / (bandwidth * least(1, 4 * in_flight / saturating))
    compute = 5 * operations / (sms * cores * clock_hz)
    compute = compute / least(1, group * k / (cores * depth))
    return (memory + compute) * (k == 1 && barriers > 2 ? 2 : 1)
}

# Keeps the cheapest configuration of a benchmark that the device could run; of equal ones,
# that with the most elements in flight.
function end_kernel(    name, c) {
    if (counted == "" || !sms || !bandwidth || !(counted in time_of))
        return
    name = counted
    sub(/ .*/, "", name)
    c = cost()
    if (c && (!(name in cheapest) || c < 0.999999 * cheapest[name] ||
              (c < 1.000001 * cheapest[name] && in_flight > most[name]))) {
        cheapest[name] = c
        most[name] = in_flight
        chosen[name] = substr(counted, length(name) + 2)
    }
    counted = ""
}

FILENAME ~ /counts$/ && /^(increment|dense|dense2|kmeans|blur) / { begin_kernel(); next }
FILENAME ~ /counts$/ {
    at = $1 == "~" ? 2 : 1
    value = $(at + 1)
    items = value * ($at == "sub-group" ? 32 : 1)
    if (/ f_op_float/)
        operations += items
    else if (/ f_mem_access.*_global_.*lstrides:\{0:0\}/)
        bytes += value * sector
    else if (/ f_mem_access.*_global_.*lstrides:\{0:/ && !/lstrides:\{0:1\}/)
        bytes += items * sector
    else if (/ f_mem_access.*_global_/)
        bytes += items * 4
    else if (/ f_local_memory_bytes$/)
        local_used = value
    else if (/ f_sync_barrier_local$/)
        barriers = value
    next
}

# ---- times ----

$1 == "gmem_copy" && is_good() && number("gbytes_per_s") * 1e9 > bandwidth {
    bandwidth = number("gbytes_per_s") * 1e9
}
FILENAME !~ /peak.csv$/ && is_good() {
    ms = 1000 * number("time_s")
    n_measured[$1]++
    if (!($1 in best) || ms < best[$1]) {
        best[$1] = ms
        best_is[$1] = $2
    }
    if (ms > worst[$1])
        worst[$1] = ms
    time_of[$1 " " $2] = ms
    rows[$1] = argument("M"); columns[$1] = argument("K")
}

# The least number of bytes moved.
function needed(name) {
    if (name == "increment" || name == "blur")
        return 8 * rows[name]
    return 4 * rows[name] * (columns[name] + 1)
}

# The arguments without those that all configurations share.
function configuration(arguments) {
    sub(/^dtype:[^ ]* /, "", arguments)
    sub(/ (K|D|R|M):.*$/, "", arguments)
    return arguments
}

END {
    end_kernel()
    print "Times in ms: lower bound, best configuration, the heuristic's choice and its" \
        " slowdown, worst configuration."
    print ""
    row("benchmark", "GTX580: bound, best, slowdown", "K20: best, slowdown",
        "here: configurations", "bound, best", "heuristic, slowdown", "worst",
        "best and heuristic's configuration")
    row("---", "---", "---", "---", "---", "---", "---", "---")
    for (i = 1; i <= n; i++) {
        b = benchmarks[i]
        h = time_of[b " " chosen[b]]
        row(b, bound[i] ", " gtx_best[i] ", " gtx_slowdown[i],
            k20_best[i] ", " k20_slowdown[i],
            (n_measured[b] + 0) " of " n_configurations[i],
            (b == "kmeans" || !bandwidth ? "-" : short(1000 * needed(b) / bandwidth)) ", " \
                short(best[b]),
            h ? short(h) sprintf(", %.1f%%", 100 * (h / best[b] - 1)) : "-",
            short(worst[b]),
            configuration(best_is[b]) (chosen[b] ? "; " configuration(chosen[b]) : ""))
    }
}
