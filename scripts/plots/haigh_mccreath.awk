# seed000.awk: table 2 of seed 000; after csv.awk, with peak.csv and, for each benchmark,
# its .csv and, where the heuristic is known, its .counts ('gpucal kernels --counts', for
# sub-groups of 32).  The device's facts, where they are known, as variables:
#   sms, clock_hz, cores (of an SM), blocks, threads, local_bytes (an SM's most),
#   latency (of global memory, cycles), sector (bytes that one element moves at least),
#   depth (cycles until a result is there)
BEGIN {
    n = split("increment dense dense2 kmeans blur", benchmarks, " ")
    split("96 192 192 768 576", n_configurations, " ")
    split("0.044 5.58 5.58 - 4.19", bound, " ")
    split("0.054 6.25 30.7 34.1 5.54", gtx_best, " ")
    split("3.3% 0.3% 49.9% 38.4% 68.8%", gtx_slowdown, " ")
    split("0.054 17.8 43.1 28.9 6.44", k20_best, " ")
    split("4.2% 0.2% 18.4% 44.6% 19.3%", k20_slowdown, " ")
}

# ---- the heuristic, seed 000 section 2.1 ----

# A kernel starts: the words of its name behind the generator's are its arguments.
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

# In seconds; the work-groups that an SM has at once decide how much of the bandwidth and
# of the arithmetic is used.  Sets in_flight, the elements that are under way on an SM.
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

# The cheapest of a benchmark that the device could run; of several, the one with most
# under way.
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

# Bytes that have to move.
function needed(name) {
    if (name == "increment" || name == "blur")
        return 8 * rows[name]
    return 4 * rows[name] * (columns[name] + 1)
}

# Without the arguments that are the same for all.
function configuration(arguments) {
    sub(/^dtype:[^ ]* /, "", arguments)
    sub(/ (K|D|R|M):.*$/, "", arguments)
    return arguments
}

END {
    end_kernel()
    print "Times in ms: lower bound, the best configuration, the heuristic's and how much" \
        " slower that is, the worst."
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
