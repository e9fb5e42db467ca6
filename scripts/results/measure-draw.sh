# measure-draw.sh: the command line of papers.sh and evaluate.sh, sourced by them.
# Needs die(), measure(), which writes OUT/device and OUT/kind, draw_tables() and draw_figures().
# They use 'out', 'wanted' (the words after OUT), 'failed' and 'kind'.
# shellcheck shell=bash
# shellcheck disable=SC2034 # used where this is sourced

draw() {
    local figures
    command -v gnuplot > /dev/null || die "gnuplot not found (package gnuplot-nox)"
    [ -s "$out/device" ] || die "$out has no measurements: run '${0##*/} measure' first"
    kind=$(cat "$out/kind" 2> /dev/null)
    mkdir -p "$out/plots"
    draw_tables > "$out/tables.md"
    draw_figures
    figures=("$out"/plots/*.svg)
    echo "$out/tables.md and ${#figures[@]} figures in $out/plots"
    [ ${#failed[@]} = 0 ] || die "not drawn: ${failed[*]}"
}

main() { # [measure | draw] OUT [WORD]...
    local what=both wanted=() failed=() out device kind
    case ${1:-} in
    measure | draw) what=$1 && shift ;;
    -h | --help | '') sed -n '2,/^set -u/s/^# \{0,1\}//p' "$0" && exit 0 ;;
    esac
    [ -n "${1:-}" ] || die "$what: no folder given (see --help)"
    mkdir -p "$1" && out=$(cd "$1" && pwd) || exit 1
    wanted=("${@:2}")
    [ "$what" = draw ] || measure
    [ "$what" = measure ] || draw
}
