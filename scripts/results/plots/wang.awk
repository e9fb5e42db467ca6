# wang.awk: transactions, matrix products and transfers (Wang 2013).  Load csv.awk first; reads
# transactions.csv, products.csv, transfers.csv, pieces.csv and overlap.csv.
BEGIN {
    n_patterns = split("aligned permuted offset uniform scattered", patterns, " ")
    split("100% 100% 80% 12.5% 12.5%", paper_used, " ")
    split("4 4 5 1 32", segments, " ") # of 32 bytes, for a row of 32 work-items
}
FILENAME ~ /transactions.csv$/ && is_good() {
    words[argument("pattern")] = argument("nelements") / number("time_s")
}
FILENAME ~ /products.csv$/ && is_good() {
    product = product sprintf("| %s | %s | %s ms | %s |\n", $1, argument("n"),
        short(1000 * number("time_s")), short(number("gflops_per_s")))
}
FILENAME ~ /transfers.csv$/ && is_good() {
    bytes = argument("bytes")
    key = (/^transfer_to/ ? "to " : "from ") argument("memory")
    rate[key, bytes] = number("copied_gbytes_per_s")
    took[key, bytes] = number("time_s")
    if (!(bytes in seen)) {
        seen[bytes] = 1
        sizes[++n_sizes] = bytes
    }
}
FILENAME ~ /pieces.csv$/ && is_good() {
    pieces = pieces sprintf("| %s | %s | %s |\n", argument("direction"), argument("pieces"),
        short(number("copied_gbytes_per_s")))
}
FILENAME ~ /overlap.csv$/ && is_good() {
    work = argument("work")
    t[work, argument("kernels"), argument("copies")] = number("time_s")
    works[work] = 1
}

function print_transfers(    i, j, k, n, keys, line) {
    n = split("to pageable,to pinned,to mapped,from pageable,from pinned,from mapped", keys, ",")
    print "| bytes | to device: pageable | pinned | mapped | from device: pageable | pinned | mapped |"
    print "| --- | --- | --- | --- | --- | --- | --- |"
    for (i = 1; i <= n_sizes; i++) {
        line = "| " sizes[i]
        for (j = 1; j <= n; j++) {
            k = keys[j] SUBSEP sizes[i]
            line = line " | " (k in rate ? short(1e6 * took[k]) " us, " short(rate[k]) : "-")
        }
        print line " |"
    }
}

# Uses the kernel whose time is closest to the copy's, where most could be hidden.
function print_overlap(    w, k, c, far, best, nearest) {
    for (w in works) {
        k = t[w, 1, 0]; c = t[w, 0, 1]
        if (!k || !c || !t[w, 1, 1])
            continue
        far = k > c ? k / c : c / k
        if (nearest == "" || far < best) {
            best = far
            nearest = w
        }
    }
    if (nearest == "")
        return
    k = t[nearest, 1, 0]; c = t[nearest, 0, 1]
    printf "A kernel of %s ms and a copy of %s ms on a second queue take %s ms together: " \
        "%.0f%% of the shorter one is hidden.\n", short(1000 * k), short(1000 * c),
        short(1000 * t[nearest, 1, 1]),
        100 * (k + c - t[nearest, 1, 1]) / (k < c ? k : c)
}

function print_transactions(    i, w) {
    print "Loads of one word per work-item, in rows of 32; 'moved' assumes whole segments of 32 bytes:\n"
    print "| pattern | segments of a row | used of them (the slides) | 10^9 words/s | GB/s used | GB/s moved |"
    print "| --- | --- | --- | --- | --- | --- |"
    for (i = 1; i <= n_patterns; i++) {
        w = words[patterns[i]] / 1e9
        row(patterns[i], segments[i], paper_used[i], short(w),
            short(patterns[i] == "uniform" ? w / 8 : w * 4), short(w * segments[i]))
    }
    print ""
}

END {
    if ("aligned" in words)
        print_transactions()
    if (product != "") {
        print "Products of square matrices, float32:\n"
        print "| kernel | n | time | GFLOP/s |\n| --- | --- | --- | --- |"
        print product
    }
    if (n_sizes) {
        print "Copies between host and device, time and GB/s (the slides: 16 GB/s, PCIe gen3):\n"
        print_transfers()
        print ""
    }
    if (pieces != "") {
        print "64 MiB in pieces, pinned (the slides: one large transfer is much better):\n"
        print "| direction | pieces | GB/s |\n| --- | --- | --- |"
        print pieces
    }
    print_overlap()
}
