# columns.awk: fields of a CSV by the names of its first line, to be loaded before the other
# programs; set FS=, before each such file.  Fields up to "status" of 'gpucal kernels --csv' and
# "device" of 'gpucal evaluate --csv' contain no commas.

FS == "," && FNR == 1 {
    n_columns = split($0, header, ",")
    for (i = 1; i <= n_columns; i++)
        column[header[i]] = i
    next
}

function field(name) {
    return $(column[name])
}
