#!/bin/bash
# comparison.sh - what rfsup, ThreadSanitizer, Helgrind, DRD and rr's chaos mode say of the same programs, and of the same
# programs without their bugs. Writes the tables of docs/COMPARISON.md and, with the class of each bug, of README.md.
#
#   tests/bench/comparison.sh [RUNS [NAME...]]     default: 3 runs of each of the other tools, all programs
#
# The others watch one schedule a run, the kernel's or, in chaos mode, one of rr's. rfsup makes one campaign with a fifth of
# its default runs of a pair and a third of exploration, if the row has no other options. Each cell has two parts: what the
# tool says of the program with the bug, and of its twin without it. rr reports nothing, so its cell counts runs that failed;
# "cannot run": it refuses the machine, as it does without hardware counters. CPU seconds are user and system time of all runs
# of the cell. RFSUP is build/rfsup by default.
here=$(dirname "$0")
targets=$(realpath "$here/../../targets")
rfsup=$(realpath "${RFSUP:-$here/../../build/rfsup}")
runs=${1:-3}
[ $# -gt 0 ] && shift
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
export _RR_TRACE_DIR=$dir/rr

# Rows: class, program, its arguments, and options of rfsup.
rows='data race|figure1||
data race|lost_update||
data race|refcount||
data race|use_after_free||
data race|atomic_publish||
data race|spin_mutex||
data race|cxx_shared_ptr||
data race|debug_counter||
deadlock|abba||
deadlock|deadlock_ring_5||
deadlock|deadlock_rwlocks||
deadlock|deadlock_condition||
deadlock|deadlock_semaphores||
atomicity violation|atomicity_bank||
atomicity violation|atomicity_map||
atomicity violation|atomicity_close||
order violation|order_violation||
order violation|lost_wakeup||
order violation|order_free||
order violation|order_signal||
order violation|order_destroy||
order violation|order_stack||
misuse of the thread library|misuse|unlock-free|--misuse=error
misuse of the thread library|misuse|wait-unlocked|--misuse=error
missing fence|tso_dekker||--memory-model tso --runs 100 --explore 400
unchecked failure|faults_malloc||--faults malloc'
tools="rfsup tsan helgrind drd rr"

wanted() # NAME, and the words that were asked for
{
	local name=$1 word
	shift
	[ $# = 0 ] && return 0
	for word; do [ "$word" = "$name" ] && return 0; done
	return 1
}

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
of_rfsup() # OPTIONS PROGRAM ARGUMENTS
{
	rm -rf out
	timeout 600 "$rfsup" -o out --quiet --runs 20 --explore 70 $1 "./$2" $3 >/dev/null 2>&1
	jq -r '[([.pairs[] | select(.verdict == "harmful")] | length | if . > 0 then "harmful race" else empty end),
		([.pairs[] | select(.verdict == "real")] | length | if . > 0 then "race" else empty end),
		(.deadlocks | length | if . > 0 then "deadlock" else empty end),
		([.failures[] | select(.plain | not)] | length | if . > 0 then "failure" else empty end),
		(.misuses // [] | length | if . > 0 then "misuse" else empty end)] |
		if length == 0 then "-" else join(", ") end' out/report.json
}

count() # NUMBER
{
	[ "$1" = 0 ] && echo - || echo "$1 of $runs"
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
	count $found
}

# How many of the runs failed in rr's chaos mode. A run that does not end in 60 s has failed.
of_rr() # PROGRAM ARGUMENTS
{
	local found=0
	rr record -n true >/dev/null 2>&1 || { echo cannot run; return; }
	for ((i = 0; i < runs; i++)); do
		timeout 60 rr record -n --chaos "./$1" $2 >/dev/null 2>&1 || found=$((found + 1))
		rm -rf rr
	done
	count $found
}

# Sets now to the CPU seconds of all children so far. A subshell would have its own children.
measure()
{
	times >times
	now=$(tail -1 times | tr 'ms' '  ' | awk '{ print $1 * 60 + $2 + $3 * 60 + $4 }')
}

valgrind_says='^==[0-9]+== (Possible data race|Conflicting|Thread #[0-9]+: lock order|Thread #[0-9]+.*(unlock|mutex|exit|cond)|Mutex not locked|The object at|Probably a race)'
declare -A spent seen right wrong
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

classes=()
echo "| program | rfsup | ThreadSanitizer | Helgrind | DRD | rr chaos |"
echo "|---|---|---|---|---|---|"
while IFS='|' read -r class name arguments options; do
	wanted "$name" "$@" || continue
	[ -n "${seen[$class]}" ] || classes+=("$class")
	seen[$class]=$((${seen[$class]:-0} + 1))
	row="| $name${arguments:+ $arguments} |"
	for variant in "$name" "${name}_fixed"; do
		compile "$variant" "$variant" -O1 && compile "$variant" "$variant.tsan" -O1 -fsanitize=thread || exit 1
	done
	for tool in $tools; do
		says=()
		for variant in "$name" "${name}_fixed"; do
			case $tool in
			rfsup) cell rfsup of_rfsup "$options" "$variant" "$arguments" ;;
			tsan) cell tsan of_tool 'WARNING: ThreadSanitizer|ERROR: ThreadSanitizer' "./$variant.tsan" $arguments ;;
			rr) cell rr of_rr "$variant" "$arguments" ;;
			*) cell $tool of_tool "$valgrind_says" valgrind --tool=$tool "./$variant" $arguments ;;
			esac
			says+=("$(cat cell)")
		done
		row="$row ${says[0]} / ${says[1]} |"
		case ${says[0]} in -) ;; 'cannot run') right[$class,$tool]=none ;; *) right[$class,$tool]=$((${right[$class,$tool]:-0} + 1)) ;; esac
		case ${says[1]} in - | 'cannot run') ;; *) wrong[$class,$tool]=$((${wrong[$class,$tool]:-0} + 1)) ;; esac
	done
	echo "$row" | sed 's|cannot run / cannot run|cannot run|'
done <<<"$rows"
printf '| CPU seconds, of all |'
for tool in $tools; do printf ' %.0f |' "${spent[$tool]}"; done
echo
echo
echo "| class | programs | rfsup | ThreadSanitizer | Helgrind | DRD | rr chaos |"
echo "|---|---|---|---|---|---|---|"
for class in "${classes[@]}"; do
	row="| $class | ${seen[$class]} |"
	for tool in $tools; do
		if [ "${right[$class,$tool]}" = none ]; then
			row="$row cannot run |"
		else
			row="$row ${right[$class,$tool]:-0}${wrong[$class,$tool]:+, ${wrong[$class,$tool]} false} |"
		fi
	done
	echo "$row"
done
