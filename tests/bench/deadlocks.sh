#!/bin/sh
# deadlocks.sh - default campaigns with different first seeds on programs with one deadlock: in how many is it predicted
# and created, and within how many runs after the prediction. On their twins, and on programs with a guard lock, a join
# or a late thread, nothing may be predicted.
#
#   tests/bench/deadlocks.sh [SEEDS [NAME...]]     default: 20 seeds, all programs
#
# RFSUP is build/rfsup by default, and OPTIONS are more options of it. A language that is not installed is skipped.
here=$(dirname "$0")
targets=$here/../../targets
rfsup=$(realpath "${RFSUP:-$here/../../build/rfsup}")
seeds=${1:-20}
[ $# -gt 0 ] && shift
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

broken="deadlock_among_40 three_lock deadlock_ring_5 deadlock_rwlocks deadlock_behind_writers deadlock_condition
	deadlock_semaphores glib rust"
correct="deadlock_among_40_guarded_ok deadlock_among_40_joined_ok deadlock_among_40_forked_ok"
for name in $broken; do correct="$correct ${name}_fixed"; done

# Builds program $1 as $dir/$1. 77: the language is not installed.
build()
{
	case $1 in
	glib*)
		pkg-config --exists glib-2.0 || return 77
		cc -O2 -g $(test "$1" = glib || echo -DFIXED) -o "$dir/$1" "$here/programs/deadlocks/glib.c" \
			$(pkg-config --cflags --libs glib-2.0) ;;
	rust*)
		command -v rustc >/dev/null || return 77
		rustc -g -C opt-level=2 $(test "$1" = rust || echo --cfg fixed) -o "$dir/$1" \
			"$here/programs/deadlocks/rust.rs" ;;
	*)
		cc -std=gnu11 -D_GNU_SOURCE -pthread -O2 -g -o "$dir/$1" "$targets/$1.c" ;;
	esac
}

# Prints "PREDICTED CREATED RUNS FOUND" of one campaign: how many deadlocks were predicted and created, in which run the
# last one was created (counted from the prediction), and how many deadlocks are findings.
count()
{
	python3 - "$1" <<-'PYTHON'
	import json, sys
	report = json.load(open(sys.argv[1]))
	cycles = [c for c in report.get("predicted_deadlocks", []) if not c.get("one_thread")]
	created = [c for c in cycles if c["created"]]
	print(len(cycles), len(created), max([c["runs"] + c["timeouts"] for c in created], default=0), len(report["deadlocks"]))
	PYTHON
}

scan()
{
	predicted=0; created=0; worst=0; found=0; n=0
	build "$1"
	status=$?
	[ $status -eq 77 ] && { printf '%-30s not built: the language is not installed\n' "$1"; return; }
	[ $status -eq 0 ] || return
	for seed in $(seq "$seeds"); do
		rm -rf "$dir/out"
		"$rfsup" --quiet $OPTIONS --seed $((1000 * seed + 1)) -o "$dir/out" "$dir/$1" >"$dir/log" 2>&1
		[ -e "$dir/out/report.json" ] || { echo "$1, seed $((1000 * seed + 1)): no report"; cat "$dir/log"; continue; }
		set -- "$1" $(count "$dir/out/report.json")
		n=$((n + 1))
		[ "$2" -gt 0 ] && predicted=$((predicted + 1))
		[ "$3" -gt 0 ] && created=$((created + 1))
		[ "$4" -gt "$worst" ] && worst=$4
		[ "$5" -gt 0 ] && found=$((found + 1))
	done
	printf '%-30s %2d campaigns: predicted in %2d, created in %2d, within %2d runs; a finding in %2d\n' \
		"$1" $n $predicted $created $worst $found
}

for name in ${*:-$broken $correct}; do scan "$name"; done
