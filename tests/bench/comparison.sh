#!/bin/bash
# comparison.sh - what rfsup, Helgrind, DRD and ThreadSanitizer say of the same programs, and of the same programs without
# their bugs. Writes the table of docs/COMPARISON.md.
#
#   tests/bench/comparison.sh [RUNS [NAME...]]     default: 3 runs of each of the other tools, all programs
#
# The others watch one schedule a run, the kernel's. rfsup makes one campaign with a twentieth of its default runs. Each
# cell has two parts: what the tool says of the program with the bug, and of its twin without it. CPU seconds are user and
# system time of all runs of the cell. RFSUP is build/rfsup by default.
here=$(dirname "$0")
targets=$(realpath "$here/../../targets")
rfsup=$(realpath "${RFSUP:-$here/../../build/rfsup}")
runs=${1:-3}
[ $# -gt 0 ] && shift
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1

names=${*:-figure1 lost_update refcount use_after_free atomic_publish spin_mutex cxx_shared_ptr abba deadlock_ring_5
	deadlock_semaphores lost_wakeup order_violation atomicity_bank debug_counter}

compile() # NAME OUTPUT OPTION...
{
	local name=$1 output=$2
	shift 2
	if [ -e "$targets/$name.cc" ]; then
		g++ -std=c++20 -pthread -g "$@" -I"$targets/.." -o "$output" "$targets/$name.cc"
	else
		gcc -std=gnu11 -D_GNU_SOURCE -pthread -g "$@" -I"$targets/.." -o "$output" "$targets/$name.c"
	fi
}

# What rfsup's exit status and report mean, in a few words.
of_rfsup() # PROGRAM
{
	rm -rf out
	timeout 600 "$rfsup" -o out --quiet --runs 20 --explore 70 "./$1" >/dev/null 2>&1
	jq -r '[([.pairs[] | select(.verdict == "harmful")] | length | if . > 0 then "harmful race" else empty end),
		([.pairs[] | select(.verdict == "real")] | length | if . > 0 then "race" else empty end),
		(.deadlocks | length | if . > 0 then "deadlock" else empty end),
		([.failures[] | select(.plain | not)] | length | if . > 0 then "failure" else empty end)] |
		if length == 0 then "-" else join(", ") end' out/report.json
}

# How many of the runs had a report.
of_tool() # PATTERN COMMAND...
{
	local pattern=$1 found=0
	shift
	for ((i = 0; i < runs; i++)); do
		timeout 60 "$@" >/dev/null 2>said
		grep -Eq "$pattern" said && found=$((found + 1))
	done
	[ $found = 0 ] && echo - || echo "$found of $runs"
}

# Sets now to the CPU seconds of all children so far. A subshell would have its own children.
measure()
{
	times >times
	now=$(tail -1 times | tr 'ms' '  ' | awk '{ print $1 * 60 + $2 + $3 * 60 + $4 }')
}

valgrind_says='^==[0-9]+== (Possible data race|Conflicting|Thread #[0-9]+: lock order|Thread #[0-9]+.*(unlock|mutex|exit))'
declare -A spent
cell() # TOOL COMMAND...: prints the cell and adds its CPU time
{
	local tool=$1 before
	shift
	measure
	before=$now
	"$@" >cell
	measure
	spent[$tool]=$(echo "${spent[$tool]:-0} + $now - $before" | bc)
}

echo "| program | rfsup | ThreadSanitizer | Helgrind | DRD |"
echo "|---|---|---|---|---|"
for name in $names; do
	row="| $name |"
	for variant in "$name" "${name}_fixed"; do
		compile "$variant" "$variant" -O1 && compile "$variant" "$variant.tsan" -O1 -fsanitize=thread || exit 1
	done
	for tool in rfsup tsan helgrind drd; do
		says=()
		for variant in "$name" "${name}_fixed"; do
			case $tool in
			rfsup) cell rfsup of_rfsup "$variant" ;;
			tsan) cell tsan of_tool 'WARNING: ThreadSanitizer|ERROR: ThreadSanitizer' "./$variant.tsan" ;;
			*) cell $tool of_tool "$valgrind_says" valgrind --tool=$tool "./$variant" ;;
			esac
			says+=("$(cat cell)")
		done
		row="$row ${says[0]} / ${says[1]} |"
	done
	echo "$row"
done
printf '| CPU seconds, of all |'
for tool in rfsup tsan helgrind drd; do printf ' %.0f |' "${spent[$tool]}"; done
echo
