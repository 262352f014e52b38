#!/bin/bash
# misuse_peers.sh - wrong uses of the thread library: which lines Helgrind, DRD and rfsup report, side by side. The
# programs are in tests/bench/programs/misuse; a line with a mistake ends with the comment "wrong".
#
#   tests/bench/misuse_peers.sh [WAY...]      default: all ways of all programs
#
# RFSUP is build/rfsup by default. BUILD is the compiler and the level, by default gcc-O1.
#
# A tool reports a line if it is the first line of the program in one of the stacks of a report. For each way to use the
# library: "found" if the tool reports one of the lines with mistakes, "-" if it reports nothing, "other" if it reports
# only other lines. Right ways have no line with a mistake, so "other" is a false report there. Below the table: each
# line that a peer reports and rfsup does not, and each line that rfsup alone reports.
here=$(realpath "$(dirname "$0")")
rfsup=$(realpath "${RFSUP:-$here/../../build/rfsup}")
build=${BUILD:-gcc-O1}
compiler=${build%-*}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# The program's first line in each stack of Valgrind's report.
lines_of_valgrind()
{
	grep -E '^==[0-9]+==' "$1" | sed -E 's/^==[0-9]+== ?//' | awk -v file="$2" '
		/^ +at / || /^$/ { seen = 0 }
		/^ +(at|by) / && !seen && match($0, "\\(" file ":[0-9]+\\)") {
			seen = 1
			print substr($0, RSTART + length(file) + 2, RLENGTH - length(file) - 3)
		}' | sort -nu
}

# The same for rfsup, from its JSON: stacks are arrays of frames, and places of pairs are single frames.
lines_of_rfsup()
{
	python3 - "$1" "$2" <<'PYTHON'
import json, sys

lines = set()

def first(frames):
    for frame in frames:
        if isinstance(frame, dict) and (frame.get("file") or "").endswith("/" + sys.argv[2]):
            lines.add(frame["line"])
            return

def walk(value):
    if isinstance(value, list):
        if value and all(isinstance(v, dict) and "offset" in v for v in value):
            first(value)
        else:
            for v in value:
                walk(v)
    elif isinstance(value, dict):
        if "file" in value and "line" in value:
            first([value])
        for v in value.values():
            walk(v)

try:
    report = json.load(open(sys.argv[1]))
except OSError:
    sys.exit()
for key in ("misuses", "pairs", "races", "deadlocks", "predicted_deadlocks", "lock_orders", "failures", "order_violations",
            "atomicity_violations"):
    walk(report.get(key))
for line in sorted(lines):
    print(line)
PYTHON
}

says()
{
	local is=-
	[ -s "$1" ] && is=other
	grep -qxFf "$2" "$1" && is=found
	echo $is
}

echo "# command: tests/bench/misuse_peers.sh${*:+ $*}; build: $build, $($compiler --version | head -1); $(valgrind --version)"
printf '%-26s %9s %6s %6s\n' way Helgrind DRD rfsup
for source in "$here"/programs/misuse/*.c; do
	file=$(basename "$source") program=$dir/$(basename "$source" .c)
	$compiler -std=gnu11 -D_GNU_SOURCE -g "-${build#*-}" -pthread -o "$program" "$source" || exit 1
	for way in $("$program"); do
		[ $# -gt 0 ] && [[ " $* " != *" $way "* ]] && continue
		grep -n '/\* wrong \*/' "$source" | cut -d: -f1 >"$dir/wrong"
		for tool in helgrind drd; do
			(timeout 60 valgrind --tool=$tool "$program" "$way" </dev/null) >"$dir/said" 2>&1
			lines_of_valgrind "$dir/said" "$file" >"$dir/$tool"
		done
		rm -rf "$dir/o"
		timeout 300 "$rfsup" --quiet --seed 1 -o "$dir/o" --explore 10 --runs 5 --misuse=error "$program" "$way" \
			>"$dir/said" 2>&1 </dev/null
		lines_of_rfsup "$dir/o/report.json" "$file" >"$dir/rfsup"
		printf '%-26s %9s %6s %6s\n' "$way" "$(says "$dir/helgrind" "$dir/wrong")" "$(says "$dir/drd" "$dir/wrong")" \
			"$(says "$dir/rfsup" "$dir/wrong")"
		sort -u "$dir/helgrind" "$dir/drd" >"$dir/peers"
		for line in $(sort -nu "$dir/peers" "$dir/rfsup"); do
			by=
			for tool in helgrind drd rfsup; do
				grep -qx "$line" "$dir/$tool" && by="$by $tool"
			done
			case $by in
			' rfsup') echo "$way, only$by: $file:$line: $(sed -n "${line}s/^[ 	]*//p" "$source")" >>"$dir/only" ;;
			*rfsup) ;;
			*) echo "$way, not rfsup but$by: $file:$line: $(sed -n "${line}s/^[ 	]*//p" "$source")" >>"$dir/not" ;;
			esac
		done
	done
done
for list in not only; do
	[ -e "$dir/$list" ] && echo && cat "$dir/$list"
done
