#!/bin/bash
# safe.sh - rfsup --generate on types that are thread-safe. Each report is a false positive.
#
#   tests/bench/generate/safe.sh BUILD [NAME...]     NAME: only these (below); without names, all
#
# In the environment: TESTS, tests of each type (1000); SEED (1); BUDGET, the most wall seconds of each type (7200).
#
# Without its --skip (below), sqlite3 has one report, which is true: two threads in sqlite3_drop_modules() use freed memory.
#
# A row has the tests, how many of them were executed concurrently (the others are independent, fail sequentially, or are
# inconclusive), the pairs of methods that were executed, executions, reports, failures whose C program did not fail
# (dismissed), and CPU seconds of all processes.
set -u
build=$(realpath "$1")
shift
here=$(realpath "$(dirname "$0")")
targets=$build/targets/O2g
. "$here/subjects.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export LC_ALL=C
TIMEFORMAT='%U %S'
bad=0

options() { # NAME
	case $1 in
	GAsyncQueue) type_options "$1" ;;
	# sqlite3_drop_modules() of SQLite 3.40.1 reads the list of modules without the lock of the connection: a true bug
	# sqlite3_open_v2() also opens connections that are not serialised (SQLITE_OPEN_NOMUTEX)
	sqlite3) echo "$(library_options sqlite3) --type sqlite3 --skip sqlite3_drop_modules --skip sqlite3_open_v2" ;;
	*) type_options "ok_$1" | sed "s/ --type.*//" ;;
	esac
}

printf '%-12s %6s %11s %6s %11s %8s %10s %7s\n' type tests concurrent pairs executions reports dismissed 'CPU s'
for name in ${@:-gmutex recursive rwlock worker counters stack GAsyncQueue sqlite3}; do
	words=$(options "$name")
	cpu=$({ time "${RFSUP:-$build/rfsup}" --generate $words --cflags "$(pkg-config --cflags glib-2.0)" \
		--tests "${TESTS:-1000}" --budget "${BUDGET:-7200}" --seed "${SEED:-1}" --quiet -o "$scratch/$name" \
		>/dev/null 2>"$scratch/said"; } 2>&1 | awk '{ print $1 + $2 }')
	jq -r '.types[] | [.tests, .tests - .independent - .sequential_failures - .inconclusive, .method_pairs, .executions,
		(if .finding then 1 else 0 end), .dismissed] | @tsv' "$scratch/$name/report.json" |
		awk -v name="$name" -v cpu="$cpu" '{
			printf "%-12s %6d %11d %6d %11d %8d %10d %7.0f\n", name, $1, $2, $3, $4, $5, $6, cpu
			exit $5 > 0 }' || bad=1
done
exit $bad
