#!/bin/bash
# table.sh - what each part of the search of rfsup --generate is worth: tests and seconds until the first finding of a type,
# with the whole search and without one part of it (Pradel and Gross, PLDI 2012, table 2, for our types).
#
#   tests/bench/generate/table.sh BUILD [NAME...]     NAME: only these types (subjects.sh); without names, all
#
# In the environment: SEEDS, the first seeds ("1 2 3"); BUDGET, seconds of a session (120); PLAIN, how often a program is
# executed without rfsup (1000).
#
# A cell has the medians of tests, CPU seconds and wall seconds of the seeds that found something, and how many did. The
# seconds are those of a whole session: compiler, search, C program, replays, reports. The last column is what ConTeGe would
# do: the C program of a finding is executed without rfsup, with the guard heap, until it fails. The number is that of the
# failing execution; more than PLAIN executions were not made.
set -u
build=$(realpath "$1")
shift
here=$(realpath "$(dirname "$0")")
targets=$build/targets/O2g
. "$here/subjects.sh"
seeds=${SEEDS:-1 2 3}
plain=${PLAIN:-1000}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export LC_ALL=C
columns="nothing filter weights sweep racefuzzer"

median() { sort -g | awk '{ v[NR] = $1 } END { print NR ? (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 : "-" }'; }

# Makes a session. Prints tests, CPU and wall seconds, if there is a finding.
session() { # NAME PART SEED
	local options found
	options=$(type_options "$1")
	rm -rf "$scratch/out"
	TIMEFORMAT='%U %S %R'
	{ time "$build/bench-without" "$2" --generate $options --cflags "$(flags_for "$options")" --seed "$3" \
		--tests 1000000 --budget "${BUDGET:-120}" --quiet -o "$scratch/out" >/dev/null 2>&1; } 2>"$scratch/time"
	found=$(jq '[.types[] | select(.finding) | .tests][0] // empty' "$scratch/out/report.json" 2>/dev/null)
	[ -n "$found" ] && awk -v n="$found" '{ print n, $1 + $2, $3 }' "$scratch/time"
}

# Executes the program of the last finding until it fails, and prints how often.
executions() {
	local program i words
	program=$(ls "$scratch"/out/tests/*.c 2>/dev/null | tail -n 1)
	[ -n "$program" ] || { echo -; return; }
	words=$(sed -n 's/^ \* Find the failure: \(.*\) rfsup .*/\1/p' "$program")
	for ((i = 1; i <= plain; i++)); do
		(cd "$scratch" && eval "env $words timeout 5 ${program%.c}") >/dev/null 2>&1 || { echo $i; return; }
	done
	echo ">$plain"
}

printf '%-14s' type
for part in $columns; do printf ' %-26s' "$([ "$part" = nothing ] && echo 'whole search' || echo "without $part")"; done
printf ' %s\n' 'no control'
for name in ${@:-$own $foreign}; do
	printf '%-14s' "$name"
	: >"$scratch/plain"
	for part in $columns; do
		: >"$scratch/rows"
		for seed in $seeds; do
			session "$name" "$part" "$seed" >>"$scratch/rows"
			[ "$part" = nothing ] && executions >>"$scratch/plain"
		done
		found=$(wc -l <"$scratch/rows")
		printf ' %-26s' "$(for k in 1 2 3; do cut -d' ' -f$k "$scratch/rows" | median; done |
			paste -sd' ' | awk '{ printf $1 == "-" ? "-" : "%g / %.1f / %.1f", $1, $2, $3 }') ($found)"
	done
	printf ' %s\n' "$(paste -sd' ' "$scratch/plain")"
done
