#!/bin/bash
# costs.sh - what rfsup --generate costs, and how many methods run.
#
#   tests/bench/generate/costs.sh BUILD methods [NAME...]   libraries: methods that were tried and returned; trials a second
#   tests/bench/generate/costs.sh BUILD tests               GLib: concurrent tests a second, all and those of up to STEPS (50) steps
#   tests/bench/generate/costs.sh BUILD memory              memory of a long session
#
# methods: each type has TESTS tests (1000) that are made but not executed, for BUDGET seconds (600). Seconds are CPU time of
# all processes. A session of a fifth of the time is made first. The rate is that of the difference, so it leaves out what the
# start of a session costs. The second rate is that of the driver and its processes, without what rfsup needs to make a test and
# to choose it. It is the one that has a goal: 2,000.
# tests: types of GLib without a finding (TYPES), 100 schedules for each test. The first session is short, and the second one
# long; COUNTS: their tests of each type (3 20). The difference leaves out what a session costs once. A test counts if it was
# executed concurrently to its end. Its steps are the visible operations of its two threads in one sequential order: accesses
# to memory by the library, calls of locks, and some six of the driver. Large tests get fewer than 100 schedules, so lines of
# tests are for those that got 100, and lines of executions for all. CPU seconds of a test are those of all processes: its fork
# servers, sequential orders, RaceFuzzer and detector. What is needed for trials counts for all tests alike.
# memory: a session with one schedule a test for BUDGET seconds (600). It prints the memory of its own
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

# Prints the CPU seconds of the drivers of a session, and of their processes that have ended.
watch_drivers() { # PID of a shell that executes the session
	local session pid hertz
	local -A used
	hertz=$(getconf CLK_TCK)
	while kill -0 "$1" 2>/dev/null; do
		session=$(pgrep -x bench-without -P "$1")
		for pid in $(pgrep -x rfsup-driver -P "${session:-0}"); do
			used[$pid]=$(sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null | awk '{ print $12 + $13 + $14 + $15 }')
		done
		sleep 0.2
	done
	echo "${used[@]}" | awk -v hertz="$hertz" '{ for (i = 1; i <= NF; i++) sum += $i; print sum / hertz }'
}

session() { # PARTS (and a file for a line a test), and options: prints CPU seconds of all, and of the drivers
	local parts=$1
	shift
	rm -rf "$scratch/out"
	{ time "$build/bench-without" $parts --generate "$@" --quiet -o "$scratch/out" >/dev/null 2>&1; } 2>"$scratch/time" &
	watch_drivers $! >"$scratch/drivers"
	wait
	echo "$(awk '{ print $1 + $2 }' "$scratch/time") $(cat "$scratch/drivers")"
}

report() { jq -r "$1" "$scratch/out/report.json"; }

methods() {
	local name options words cpu drivers budget=${BUDGET:-600} before_cpu before_drivers before_trials
	printf '%-10s %7s %9s %8s %9s %14s %11s\n' library tried returned percent trials 'a CPU second' 'of drivers'
	for name in ${@:-glib libxml2 libevent sqlite3 apr}; do
		options=$(library_options "$name")
		words="$options --tests ${TESTS:-1000}"
		read -r before_cpu before_drivers < <(session executions $words --cflags "$(flags_for "$options")" \
			--budget $((budget / 5)))
		before_trials=$(report .trials)
		read -r cpu drivers < <(session executions $words --cflags "$(flags_for "$options")" --budget "$budget")
		printf '%-10s ' "$name"
		report "[.methods.tried, .methods.returned, .trials] | @tsv" |
			awk -v cpu="$cpu" -v c0="$before_cpu" -v d="$drivers" -v d0="$before_drivers" -v t0="$before_trials" '{
				printf "%7d %9d %8.1f %9d %14.0f %11.0f\n", $1, $2, 100 * $2 / $1, $3,
					($3 - t0) / (cpu - c0), ($3 - t0) / (d - d0) }'
	done
}

# Lines of a session (without.c): number of tests and their CPU seconds.
sum_lines() { awk -F '\t' '{ seconds += $6 } END { printf "%d %f\n", NR, seconds }' "$1"; }

tests() {
	local n cpu types="" other before_cpu before_tests before_seconds tests seconds
	local counts=(${COUNTS:-3 20})
	for n in ${TYPES:-GAsyncQueue GBytes GTimeZone GVariantType}; do types+=" --type $n"; done
	for n in "${counts[@]}"; do
		read -r cpu _ < <(session "quick $scratch/tests-$n" $(library_options glib) --cflags "$(pkg-config --cflags glib-2.0)" \
			--tests "$n" $types --budget 1800)
		read -r tests seconds < <(sum_lines "$scratch/tests-$n")
		[ "$n" = "${counts[0]}" ] && before_cpu=$cpu before_tests=$tests before_seconds=$seconds
	done
	other=$(awk -v c="$cpu" -v c0="$before_cpu" -v s="$seconds" -v s0="$before_seconds" -v t="$tests" \
		-v t0="$before_tests" 'BEGIN { print (c - c0 - (s - s0)) / (t - t0) }')
	# the first line has the start of the session
	tail -n +2 "$scratch/tests-$n" | awk -F '\t' -v other="$other" -v all="${STEPS:-50}" '
		function show(title, n, executions, seconds) {
			printf "%-34s %7d tests %8d executions %8.1f CPU s %8.2f tests/s %8.0f executions/s\n", title, n,
				executions, seconds, seconds ? n / seconds : 0, seconds ? executions / seconds : 0
		}
		function add(k) { n[k]++; executions[k] += $5; seconds[k] += $6 + other }
		{ add($2); add("all") }
		$2 == "fine" && $4 >= 100 { add("whole"); if ($3 <= all) add("small") }
		END {
			show("100 schedules, up to " all " steps", n["small"], executions["small"], seconds["small"])
			show("100 schedules, all sizes", n["whole"], executions["whole"], seconds["whole"])
			show("all that were executed to the end", n["fine"], executions["fine"], seconds["fine"])
			show("independent", n["independent"], executions["independent"], seconds["independent"])
			show("failed in a sequential order", n["sequential"], executions["sequential"], seconds["sequential"])
			show("all", n["all"], executions["all"], seconds["all"])
			printf "%-34s %25.4f CPU s\n", "trials and the rest, a test", other
		}'
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
