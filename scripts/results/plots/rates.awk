# rates.awk: rates implied by a parameter file, beside clpeak's of the same run.  A sub-group's
# multiply-add counts 2 operations per work-item, a load of the streaming pattern 4 bytes, a
# sector of memory 32; the arithmetic of the model 'general' is that of one compute unit.
#   -v device=NAME   one of the parameter file's devices
# Files: clpeak.txt, which may be empty, and params.yaml.

FILENAME ~ /clpeak/ {
    if (/\(GBPS\)/) section = "bandwidth"
    else if (/Single-precision/) section = "float32"
    else if (NF < 3) section = ""
    else if (section != "" && $2 == ":" && $3 > clpeak[section]) clpeak[section] = $3
    next
}

/^- uid: / { uid = $3 }
/^  name: / {
    name = substr($0, 9)
    gsub(/^['"]|['"]$/, "", name)
    wanted[uid] = name == device
}
/^  sub_group_size: / { sub_group[uid] = $2 }
/^  compute_units: / { compute_units[uid] = $2 }
/^device: / { uid = $2 }
/^model: / { model = $2 }
wanted[uid] && /^expression: .*(f_device_compute_units|p_units)/ { units[model] = compute_units[uid] }
wanted[uid] && /^- \{name: p_madd, / { put("p_madd", "float32", 2 * sub_group[uid], "Gflop/s") }
wanted[uid] && /^- \{name: p_stream, / { put("p_stream", "bandwidth", 4, "GB/s") }
wanted[uid] && /^- \{name: p_dram, / { put("p_dram", "bandwidth", 32, "GB/s") }
wanted[uid] && /^- \{name: p_fp32, / { fp32[model] = $0; sub_groups[model] = sub_group[uid] }

function value(name) {
    match($0, name ": [-+.e0-9]+")
    return substr($0, RSTART + length(name) + 2, RLENGTH - length(name) - 2) + 0
}

function put(parameter, section, amount, unit,    rate, peak) {
    if (!n++) {
        print "| model | parameter | implied | standard error | clpeak | of clpeak's |"
        print "| --- | --- | --- | --- | --- | --- |"
    }
    if (value("value") <= 0)
        return
    rate = amount / value("value") / 1e9
    peak = clpeak[section]
    printf "| %s | %s | %.1f %s | %.1f%% | %s | %s |\n", model, parameter, rate, unit,
        100 * value("standard_error") / value("value"),
        peak ? sprintf("%.1f %s", peak, unit) : "-",
        peak ? sprintf("%.1f%%", 100 * rate / peak) : "-"
}

END {
    for (model in units)
        if (model in fp32) {
            $0 = fp32[model]
            put("p_fp32", "float32", 2 * sub_groups[model] * units[model], "Gflop/s")
        }
    if (!n)
        print "No model has one of p_madd, p_stream, p_fp32 and p_dram."
}
