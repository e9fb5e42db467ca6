#!/bin/bash
# check.sh: the check before every commit: formatting, layers, build, and the unit tests but
# the longest.  About a minute where build-check/ is up to date.
#
#   scripts/check.sh
#
# scripts/test.sh is the whole.
set -eu -o pipefail
cd "$(dirname "$0")/.."

git ls-files '*.c' '*.h' | xargs clang-format --dry-run -Werror
tests/layers.sh
scripts/build.sh build-check -DGPUCAL_WERROR=ON | tail -n 1
exec ctest --test-dir build-check -j"$(nproc)" -L unit -LE long --no-label-summary --progress \
    --output-on-failure
