#!/bin/bash
# costs.sh - what rfsup --generate costs, and how many methods run.
#
#   tests/bench/generate/costs.sh BUILD methods [NAME...]   libraries: methods that were tried and returned; trials a second
#   tests/bench/generate/costs.sh BUILD tests               GLib: concurrent tests a second
#   tests/bench/generate/costs.sh BUILD memory              memory of a long session
#
# methods: each type has TESTS tests (1000) that are made but not executed, for BUDGET seconds (600). Seconds are CPU time of
# all processes. A session of a fifth of the time is made first. The rate is that of the difference, so it leaves out what the
# start of a session costs.
# tests: types of GLib without a finding, with 100 schedules for every fourth test and 25 for the others. The first session
# is short, and the second one long; COUNTS: their tests of each type (20 120). The difference leaves out what a session costs once. The last line counts 100
# executions as a test. memory: a session with one schedule a test for BUDGET seconds (600). It prints the memory of its own
# process once a minute, and the tests at the end.
set -u
build=$(realpath "$1")
part=$2
shift 2
here=$(realpath "$(dirname "$0")")
targets=$build/targets/O2g
. "$here/subjects.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export LC_ALL=C
TIMEFORMAT='%U %S'

session() { # PARTS, and options: prints CPU seconds
	local parts=$1
	shift
	rm -rf "$scratch/out"
	{ time "$build/bench-without" "$parts" --generate "$@" --quiet -o "$scratch/out" >/dev/null 2>&1; } 2>&1 |
		awk '{ print $1 + $2 }'
}

report() { jq -r "$1" "$scratch/out/report.json"; }

methods() {
	local name options cpu budget=${BUDGET:-600} before_cpu before_trials
	printf '%-10s %7s %9s %8s %9s %14s\n' library tried returned percent trials 'a CPU second'
	for name in ${@:-glib libxml2 libevent sqlite3 apr}; do
		options=$(library_options "$name")
		before_cpu=$(session executions $options --cflags "$(flags_for "$options")" --tests "${TESTS:-1000}" \
			--budget $((budget / 5)))
		before_trials=$(report .trials)
		cpu=$(session executions $options --cflags "$(flags_for "$options")" --tests "${TESTS:-1000}" \
			--budget "$budget")
		printf '%-10s ' "$name"
		report "[.methods.tried, .methods.returned, .trials] | @tsv" |
			awk -v cpu="$cpu" -v c0="$before_cpu" -v t0="$before_trials" '{
				printf "%7d %9d %8.1f %9d %14.0f\n", $1, $2, 100 * $2 / $1, $3, ($3 - t0) / (cpu - c0) }'
	done
}

tests() {
	local n cpu executions before_cpu=0 before_tests=0 before_executions=0 tests
	for n in ${COUNTS:-20 120}; do
		cpu=$(session nothing $(library_options glib) --cflags "$(pkg-config --cflags glib-2.0)" --tests $n \
			--type GAsyncQueue --type GBytes --type GTimeZone --type GVariantType --budget 1800)
		tests=$(report '[.types[].tests] | add')
		executions=$(report .executions)
		[ "$before_tests" = 0 ] && before_cpu=$cpu before_tests=$tests before_executions=$executions
	done
	awk -v cpu="$cpu" -v c0="$before_cpu" -v t="$tests" -v t0="$before_tests" -v e="$executions" \
		-v e0="$before_executions" 'BEGIN {
		printf "tests                                       %d\n", t - t0
		printf "executions                                  %d\n", e - e0
		printf "CPU seconds                                 %.1f\n", cpu - c0
		printf "tests a CPU second                          %.2f\n", (t - t0) / (cpu - c0)
		printf "executions a CPU second                     %.0f\n", (e - e0) / (cpu - c0)
		printf "tests of 100 executions a CPU second        %.2f\n", (e - e0) / 100 / (cpu - c0) }'
}

memory() {
	local pid start=$SECONDS end=$((SECONDS + ${BUDGET:-600}))
	"$build/bench-without" nothing --generate $(type_options ok_gmutex | sed 's/ --type.*//') \
		--cflags "$(pkg-config --cflags glib-2.0)" --tests 100000 --runs 1 --budget "${BUDGET:-600}" --quiet \
		-o "$scratch/out" >/dev/null 2>"$scratch/said" &
	pid=$!
	printf '%8s %12s\n' seconds 'memory (KiB)'
	while kill -0 $pid 2>/dev/null && [ $SECONDS -lt $end ]; do
		printf '%8d %12d\n' $((SECONDS - start)) "$(awk '/^VmRSS/ { print $2 }' /proc/$pid/status)"
		sleep "${EVERY:-60}"
	done
	wait $pid
	report '"tests \([.types[].tests] | add), executions \(.executions), trials \(.trials)"'
}

"$part" "$@"
