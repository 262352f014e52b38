#!/bin/bash
# calls.sh - the programs of tests/e2e/programs/calls after the subjects of tests of record-and-replay tools: ids, timeouts,
# signals, processes, memory, files and synchronisation between processes. Each case is executed without rfsup, once under
# rfsup, and from its record REPLAYS times (2). A case is right if it ends under rfsup as without it, and each replay is
# the same as the recorded run.
#
#   tests/bench/calls.sh BUILD [CASE-GLOB]
set -u
build=$(realpath "$1")
glob=${2:-*}
here=$(realpath "$(dirname "$0")")
replays=${REPLAYS:-2}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cases=0 right=0 made=0 same=0
export LC_ALL=C

check() { # PROGRAM CASE
	local plain under said record i
	cd "$scratch" || exit 2
	timeout 60 "$1" "$2" >plain.out 2>&1
	plain=$?
	rm -rf out
	timeout 120 "$build/rfsup" --policy=random --runs=1 --no-confirm --keep-records --timeout 60 -o out "$1" "$2" >said 2>&1
	under=$?
	cases=$((cases + 1))
	# 4: the program fails without rfsup, or something is incomplete
	if { [ $plain = 0 ] && [ $under = 0 ]; } || { [ $plain != 0 ] && [ $under != 0 ]; } ||
		{ [ $under = 4 ] && grep -q "never had a second thread" said; }; then
		right=$((right + 1))
	else
		printf '%-12s %-24s plain %d, under rfsup %d: %s\n' "$(basename "$1")" "$2" $plain $under "$(grep -m1 incomplete said)"
	fi
	record=$(find out/records -name '*.json' 2>/dev/null | head -n 1)
	for ((i = 0; i < replays; i++)); do
		made=$((made + 1))
		said=$([ -z "$record" ] || timeout 60 "$build/rfsup" --replay "$record" 2>&1 >/dev/null)
		case $said in
		*"same as the recorded run"*) same=$((same + 1)) ;;
		*) printf '%-12s %-24s replay: %s\n' "$(basename "$1")" "$2" "$(tail -n 1 <<<"$said")" ;;
		esac
	done
}

for source in ids timeouts signals processes memory files sync; do
	cc -O2 -g -w -pthread -o "$scratch/$source" "$here/../e2e/programs/calls/$source.c" -lutil || exit 2
	while read -r name; do
		# shellcheck disable=SC2254 # a glob is meant
		case $name in $glob) check "$scratch/$source" "$name" ;; esac
	done < <("$scratch/$source")
done
echo "$right of $cases cases are as without rfsup; $same of $made replays are the same"
[ "$right" = "$cases" ] && [ "$same" = "$made" ]
