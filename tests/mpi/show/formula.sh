#!/bin/bash
# formula.sh GPUCAL DATA - how gpucal show prints a model: its expression and each named one, in
# lines that are not too long, with nothing lost; and in JSON as the file has them.
set -eu
gpucal=$1 data=$2
out=$(mktemp -d)
trap 'rm -r "$out"' EXIT
export OCL_ICD_VENDORS=/nonexistent
fail() { echo "formula.sh: $*" >&2; cat "$out/text" >&2; exit 1; }

mkdir "$out/nodes"
chmod 755 "$out" "$out/nodes"
install -m 644 "$data/general/h100.yaml" "$out/nodes/vm.yaml"
install -m 644 "$data/node17-names.yaml" "$out/nodes/node17.yaml"

"$gpucal" show --store "$out" --node node17 --parameters > "$out/text"
diff - <(sed -n '/model tiled product/,/held-out/p' "$out/text" | grep -v ' error ') <<'TEXT' ||
    model tiled product, form pnorm:
      time = pnorm(p_overlap, p_madd*flops, tiles) + p_held*f_thread_groups
      where
        flops = 2*(madds - 0.5*madds)
        madds = f_op_float32_madd
        tiles = p_tiles*f_mem_access_tag:tiles
      calibrated 2026-11-21T04:27:51Z by run 20261121T041705Z-1a2b3c4d
      out of date: the driver was 580.1 then
TEXT
    fail "version 6"
grep -q 'model matmul, form linear: p_madd\*f_op_float32_madd + p_launch' "$out/text" ||
    fail "a short expression is not in the line of its model"

# Every name of the file, without white space, is in the text.
"$gpucal" show --store "$out" --node vm --parameters > "$out/text"
sed -n '/ time = /,/mean error/p' "$out/text" | grep -v ' mean error ' > "$out/formula"
awk 'length > 100 { exit 1 }' "$out/formula" || fail "a line of more than 100 characters"
tr -d ' \n' < "$out/formula" > "$out/squeezed"
n=0
while IFS=: read -r name text; do
    text=$(tr -d " \"'" <<< "$text")
    grep -qF "${name// }=$text" "$out/squeezed" || fail "$name is not printed in full"
    n=$((n + 1))
done < <(sed -n '/^expressions:$/,/^expression:/p' "$data/general/h100.yaml" | grep '^  ')
[ $n -gt 20 ] || fail "$n named expressions"

"$gpucal" show --store "$out" --node vm --json > "$out/text"
python3 - "$out/text" <<'PYTHON'
import json, sys
model = json.load(open(sys.argv[1]))[0]["devices"][0]["models"][0]
assert model["expressions"]["units"] == "f_device_compute_units", model["expressions"]
assert "first_level" in model["expression"] and model["roofs"]["l1"] == "first_level", model["roofs"]
PYTHON
