#!/bin/bash
# speed.sh - all figures of speed that have a goal, in less than 8 minutes on a quiet machine: the cost of a predicting
# run and its peak memory beside Helgrind and ThreadSanitizer in the same run, executions a second, lock pairs, recorded
# accesses, and a program with much code. Each row has the goal, what was measured, and the other tool.
# usage: make bench-speed BENCH_COMMIT=1, which builds what is needed and writes to tests/bench/results; or
# tests/bench/speed.sh FILE, with BUILD (build) and ROUNDS (3) of programs that take a second in the environment. Longer
# programs are measured once.
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.." || exit 2
build=${BUILD:-build} rounds=${ROUNDS:-3} out=${1:?FILE}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
TIMEFORMAT='%U %S'

bench() {
	timeout 1000 "$build/bench" "$build/rfsup" "$build/targets/O2g" "$@" 2>&1
}

# peers ROUNDS ROW: a predicting run beside Helgrind and ThreadSanitizer
peers() {
	BENCH_ROUNDS=$1 BENCH_ROW=$2 BENCH_TOOLS='native|phase 1|helgrind|tsan' bench peers >>"$dir/peers"
}

# The CPU seconds of a command.
seconds() {
	{ time "$@" >/dev/null 2>&1; } 2>&1 | awk '{ printf "%.3f\n", $1 + $2 }'
}

predict() {
	rm -rf "$dir/out"
	seconds timeout 600 "$build/rfsup" --quiet --no-confirm --runs=1 --policy=random --detector=hybrid --timeout=600 \
		-o "$dir/out" -- "$@"
}

# KIND: nanoseconds of an access more
access() {
	awk -v few="$(predict "$dir/accesses" "$1" 20000000)" -v many="$(predict "$dir/accesses" "$1" 220000000)" \
		'BEGIN { printf "%.3f\n", 1e9 * (many - few) / 200000000 }'
}

# writes a program with two threads and about 2 MB of code
much_code() {
	awk 'BEGIN {
		print "#include <pthread.h>\nint g[1024], x; pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;"
		for (i = 0; i < 8000; i++)
			printf "int f%d(int *p, int n) { for (int k = 0; k < n; k++) { p[k] += g[(k + %d) & 1023];" \
				" g[k * 3 & 1023] = p[k] ^ %d; if (p[k] == %d) g[%d] += n; } return *p; }\n", i, i, i, i, i % 1024
		print "static int (*const all[])(int *, int) = {"
		for (i = 0; i < 8000; i++)
			printf "f%d,\n", i
		print "}; static void *work(void *arg) { int own[8] = {0}; pthread_mutex_lock(&lock); x += all[(long)arg](own, 2);"
		print "pthread_mutex_unlock(&lock); return 0; } int main(void) { pthread_t a, b;"
		print "pthread_create(&a, 0, work, (void *)1); pthread_create(&b, 0, work, (void *)2);"
		print "pthread_join(a, 0); return pthread_join(b, 0); }"
	}' >"$dir/large.c"
	${CC:-cc} -g -O0 -pthread -o "$dir/large" "$dir/large.c"
}

# OPTIONS MANY: milliseconds of CPU of one execution more of this program, from 4 to MANY executions
large() {
	local n
	for n in 4 "$2"; do
		rm -rf "$dir/out"
		# shellcheck disable=SC2086
		seconds timeout 600 "$build/rfsup" --quiet $1 --runs=$n -o "$dir/out" -- "$dir/large"
	done | awk -v many="$2" 'NR == 1 { few = $1 } NR == 2 { printf "%.1f\n", 1000 * ($1 - few) / (many - 4) }'
}

# BEGIN: the figure of the row of goals that begins so
goal_figure() {
	sed -n "s#^$1.* \\([0-9.]*\\) \\(us\\|x\\|/s\\).*#\\1#p" "$dir/goals"
}

row() { # WHAT MEASURED GOAL PEER
	awk -v what="$1" -v figure="$2" -v goal="$3" -v peer="$4" 'BEGIN {
		split(goal, g, " ")
		met = g[1] == "<=" ? figure <= g[2] : figure >= g[2]
		printf "%-62s %10s  %-9s %-8s %s\n", what, figure, goal, goal == "" ? "" : met ? "met" : "not met", peer
	}'
}

# NAME "GOAL OF WALL TO NATIVE" "TO TSAN" "TO HELGRIND": rows of a program from the table of peers
program() {
	local name=$1
	awk -v name="$name" '
		index($0, name) == 1 { here = 1 }
		here && / native / { n = 1; native = $(NF - 3); cpu0 = $(NF - 1) }
		here && /rfsup phase 1/ { ours = $(NF - 3); cpu = $(NF - 1); peak = $NF }
		here && / helgrind / { helgrind = $(NF - 3); cpuh = $(NF - 1); peakh = $NF }
		here && / tsan / { tsan = $(NF - 3) }
		here && /million accesses/ { here = 0 }
		END { print native, ours, helgrind, tsan + 0, peak, peakh, cpu, cpuh }' "$dir/peers" >"$dir/row"
	read -r native ours helgrind tsan peak peakh cpu cpuh <"$dir/row"
	[ -n "$cpuh" ] || { echo "$name: not measured"; return; }
	ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", (b > 0 ? a / b : 0) }'; }
	[ -z "$2" ] || row "$name: phase 1, wall, to the plain program" "$(ratio "$ours" "$native")" "$2" \
		"$ours s, plain $native, Helgrind $helgrind, ThreadSanitizer $tsan"
	[ -z "$3" ] || row "$name: phase 1, wall, to ThreadSanitizer" "$(ratio "$ours" "$tsan")" "$3" "$tsan s"
	[ -z "$4" ] || row "$name: phase 1, wall, to Helgrind" "$(ratio "$ours" "$helgrind")" "$4" "$helgrind s"
	[ -z "$4" ] || row "$name: phase 1, CPU, to Helgrind" "$(ratio "$cpu" "$cpuh")" "$4" "$cpu s, Helgrind $cpuh"
	row "$name: peak memory, to Helgrind" "$(ratio "$peak" "$peakh")" "<= 1" "$peak MiB, Helgrind $peakh"
}

began=$SECONDS
{
	echo "# command: tests/bench/speed.sh"
	echo "# machine: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores, Linux $(uname -r);" \
		"commit $(git rev-parse --short HEAD 2>/dev/null)"
	echo "# load at the start: $(cut -d' ' -f1-3 /proc/loadavg); $(date -u +%Y-%m-%dT%H:%MZ)"
	echo "# medians of $rounds; locks, queue and pbzip2 once"
	echo
	printf '%-62s %10s  %-9s %-8s %s\n' what measured goal '' 'other tools in the same run'
	: >"$dir/peers"
	peers "$rounds" 'grid|tasks|btree|water|allocs'
	peers 1 'locks,|queue|pbzip2'
	for name in grid tasks btree water; do
		program "$name" '<= 30' '' ''
	done
	program locks '' '<= 5' ''
	program queue '' '<= 3' ''
	program allocs '' '<= 2' ''
	program pbzip2 '' '' '<= 0.5'
	${CC:-cc} -O2 -pthread -o "$dir/accesses" "$here/filter/accesses.c" &&
		for kind in recorded dropped; do
			row "an access that is $kind, ns of CPU" "$(access $kind)" \
				"$([ $kind = recorded ] && echo '<= 4' || echo '<= 1.5')"
		done
	much_code || exit
	row "a program of $(($(stat -c %s "$dir/large") >> 20)) MiB, ms of CPU of a run started anew, no detector" \
		"$(large '--policy=random --detector=none --no-fork-server' 44)" ''
	row "the same, from the fork server" "$(large '--policy=random --detector=none' 1004)" ''
	row "the same, a predicting run of two passes" "$(large '--policy=random --detector=hybrid --no-confirm' 24)" ''
	BENCH_ROW='figure1, policy random' BENCH_ROUNDS=$rounds bench executions >"$dir/executions"
	row 'figure1, ms of CPU of an execution under random' \
		"$(awk '/^figure1, policy random/ { print $4 }' "$dir/executions")" '<= 1'
	bench goals >"$dir/goals"
	row 'figure1 in phase 2 on one core, executions a second' "$(goal_figure '4 whole')" '>= 1000' \
		"plain executions $(goal_figure '  figure1, plain')"
	row 'figure1 with -j2 on all cores, to one' "$(goal_figure '6 figure1')" '>= 1.9'
	row 'a contended lock pair, us' "$(goal_figure '5 a lock')" '<= 5'
	row 'a lone lock pair, us' "$(goal_figure '7 a lock')" '<= 0.4'
	echo
	echo "# it took $((SECONDS - began)) s; the tables that the rows are from:"
	cat "$dir/peers" "$dir/executions" "$dir/goals"
} >"$out"
echo "written to $out in $((SECONDS - began)) s"
