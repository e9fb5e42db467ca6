#!/bin/bash
# evaluation.sh GPUCAL FILE.evaluation - predicts recorded kernels again, where there is no
# device, and compares the figures with the limits that the file gives:
#   arguments: --replay record.h5 ...       of 'gpucal evaluate', files beside this one; each
#                                           such line is run
#   most: LEVEL MODEL COLUMN VALUE          of the line "model MODEL" or "all -" of its CSV file,
#   least: LEVEL MODEL COLUMN VALUE         or of a band, "above_1_ms MODEL"
# A limit may end in "of COLUMN": the figure is then the percentage of that column's.  The
# line "overall -" is that of all kernels of all runs: error_percent, the geometric mean of
# their errors, mean_percent, their mean, inside and kernels.
set -eu
gpucal=$1 file=$2
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cd "$(dirname "$file")"
n=0
while read -ra arguments; do
    OCL_ICD_VENDORS=/nonexistent "$gpucal" evaluate "${arguments[@]}" \
        --csv "$out/$((n += 1)).csv" || exit 1
done < <(sed -n 's/^arguments: *//p' "$file")
awk '
    FILENAME ~ /csv$/ && FNR == 1 {
        n = split($0, header, ",")
        for (i = 1; i <= n; i++)
            column[header[i]] = i
    }
    FILENAME ~ /csv$/ {
        level = $1 == "band" ? $(column["band"]) : $1
        for (name in column)
            figure[level, $2 == "" ? "-" : $2, name] = $(column[name])
    }
    FILENAME ~ /csv$/ && $1 == "kernel" {
        error = $(column["error_percent"])
        error = error < 0 ? -error : error
        sum += error
        logs += log(error > 1e-14 ? error : 1e-14)
        figure["overall", "-", "kernels"]++
        figure["overall", "-", "inside"] += $(column["inside"])
        figure["overall", "-", "mean_percent"] = sum / figure["overall", "-", "kernels"]
        figure["overall", "-", "error_percent"] = exp(logs / figure["overall", "-", "kernels"])
    }
    FILENAME !~ /csv$/ && /^(most|least):/ {
        n_limits++
        value = figure[$2, $3, $4]
        if ($6 == "of" && value != "")
            value = 100 * value / figure[$2, $3, $7]
        good = value != "" && ($1 == "most:" ? value + 0 <= $5 : value + 0 >= $5)
        print (good ? "good: " : "FAILED: ") $0 "; it is " (value == "" ? "not there" : value)
        failed = failed || !good
    }
    END { exit failed || !n_limits }
' FS=, "$out"/*.csv FS=" " "$file"
