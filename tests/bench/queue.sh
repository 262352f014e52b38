#!/bin/bash
# How soon a whole campaign fails: mean and most executions until the first failure, over the first SEEDS seeds (20), on
# programs with one bug each. All controlled runs count. ROWS selects rows by a part of their names.
#
# BUILD/bench-programs and BUILD/targets/O2g have the programs.
#
#   tests/bench/queue.sh BUILD [RFSUP]
set -eu
build=$(realpath "$1")
rfsup=$(realpath "${2:-$1/rfsup}")
seeds=${SEEDS:-20}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# NAME GOAL PROGRAM [ARGUMENT]...
row() {
	local name=$1 goal=$2 sum=0 most=0 missed=0 seed n
	local program=$build/bench-programs/$3
	[ -x "$program" ] || program=$build/targets/O2g/$3
	shift 3
	[[ $name == *${ROWS:-}* ]] || return 0
	for seed in $(seq "$seeds"); do
		"$rfsup" -q --until-failure --seed "$seed" -o out -- "$program" "$@" >/dev/null 2>&1 || :
		n=$(jq '.stats.runs_to_first_failure // 0' out/report.json)
		if [ "$n" = 0 ]; then
			n=$(jq '.stats.runs' out/report.json)
			missed=$((missed + 1))
		fi
		rm -rf out
		sum=$((sum + n))
		most=$((n > most ? n : most))
	done
	awk -v name="$name" -v goal="$goal" -v sum=$sum -v n="$seeds" -v most=$most -v missed=$missed \
		'BEGIN { printf "%-34s %7.1f %6d %5s %10d\n", name, sum / n, most, goal, missed }'
}

echo "# executions of a campaign until the first failure, $seeds first seeds"
printf '%-34s %7s %6s %5s %10s\n' program mean most goal "not found"
row "few pairs" - queue_needles few
row "many impossible pairs" 10 queue_needles many
row "many impossible deadlocks" - queue_needles cycles
row "three" 3 queue_needles three
row "semaphores of a program" 20 queue_needles semaphores
row "driver stopped while in use" 9 first_needles driver
row "quicksort with a pool" 20 first_needles quicksort
row "string buffer" 8 first_failures string_buffer
row "two-stage, 1 writer" 3 first_needles two_stage 1
row "two-stage, 20 writers" 8 first_needles two_stage 20
row "two-stage, 50 writers" 10 first_needles two_stage 50
row "two-stage, 100 writers" 10 first_needles two_stage 100
row "check, 100 threads" 5 first_needles check 100
row "stack, ABA" - first_needles stack
row "port" - first_needles port
row "3 setters" 13.4 needles setters 3
row "10 setters" 25.4 needles setters 10
row "two-stage, 2 threads" 12.7 needles two_stage 2
row "work-stealing queue" 12.8 work_stealing
row "lost signal" 27.9 needles lost_signal
row "stale value" 3.7 needles stale
row "split atomic section" 3.7 atomicity_split
row "order by sleep only" 17.9 sleepers
row "100 setters" 27.0 needles setters 100
row "two-stage, 100 threads" 125 needles two_stage 100
row "one check between two writes" - first_failures check 5
row "two locks" - first_failures two_locks 2
row "held out: pool" - held_out pool
row "held out: cached" - held_out cached
row "held out: stack" - held_out stack
row "held out: handshake" - held_out handshake
row "held out: forks" - held_out forks
row "held out: early_post" - held_out early_post
row "more: lazy" - more_failures lazy
row "more: reuse" - more_failures reuse
