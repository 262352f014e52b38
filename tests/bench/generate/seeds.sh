#!/bin/bash
# seeds.sh - for how many seeds rfsup --generate finds the bug of a library within a budget, and what it costs.
#
# usage: tests/bench/generate/seeds.sh [-s SEEDS] [-b SECONDS] [-t TESTS] [-c] [GROUP | NAME]...
#
#	bugs	the libraries of targets/lib/gen_* with a bug, each with its type
#	twins	their fixed versions, in which nothing may be found
#	safe	the controls gen_ok_*, in which nothing may be found
#	types	types of Debian's libraries that promise nothing about threads
#
# A NAME is one library or type of a group. By default: bugs and types, seeds 1 to 10, and 60 seconds.
# -c: SECONDS are those of CPU time, of rfsup and all its children: for a busy machine. The session may take 20 times as
# long, and is judged by what it had used at its end.
#
# For each seed: tests until the finding, seconds of CPU time, and seconds. "-" instead of tests: nothing was found;
# "late": it was found after the budget. RFSUP is build/rfsup by default. Programs that are needed: jq, gcc.
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../../..
targets= # of the libraries that this script compiles, none is built before
. "$here/subjects.sh"
rfsup=${RFSUP:-$root/build/rfsup}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
seeds='1 2 3 4 5 6 7 8 9 10'
budget=60
tests=1000
cpu=

while getopts s:b:t:c option; do
	case $option in
	s) seeds=$OPTARG ;;
	b) budget=$OPTARG ;;
	t) tests=$OPTARG ;;
	c) cpu=yes ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))

bugs=$(cd "$root/targets/lib" && ls gen_*_fixed.c | sed 's/_fixed\.c$//' | grep -vxE 'gen_(answers|counter|desk|feed|label|span)')
twins=$(echo "$bugs" | sed 's/$/_fixed/')
safe=$(cd "$root/targets/lib" && ls gen_ok_*.c | sed 's/\.c$//')
types=$all_foreign

# The arguments of rfsup for $1, one a line.
arguments()
{
	case $1 in
	gen_*)
		base=${1%_fixed}
		flags=
		case $1 in *gmutex*) flags=$(pkg-config --cflags --libs glib-2.0) ;; esac
		# shellcheck disable=SC2086
		gcc -std=gnu11 -D_GNU_SOURCE -pthread -O2 -g -fPIC -shared -o "$dir/lib$1.so" "$root/targets/lib/$1.c" \
			$flags || return 1
		printf '%s\n' "$dir/lib$1.so" --header "$root/targets/lib/$base.h" ;;
	*)
		case " $types " in
		*" $1 "*) ;;
		*)
			echo "seeds.sh: unknown name '$1'" >&2
			return 1 ;;
		esac
		options=$(type_options "$1")
		# shellcheck disable=SC2086
		printf '%s\n' $options --cflags "$(flags_for "$options")" ;;
	esac
	case $1 in
	gen_ok_*) ;; # one type, which has another name
	gen_*) printf '%s\n' --type "struct ${1%_fixed}" ;;
	esac
}

# Whether $1 is less than $2, or the same.
at_most()
{
	awk -v a="$1" -v b="$2" 'BEGIN { exit !(a <= b) }'
}

# One session: the name and the seed. Prints its cell, and adds a letter to $dir/found if the bug was found in time.
session()
{
	rm -rf "$dir/out"
	limit=$budget
	[ -z "$cpu" ] || limit=$((budget * 20))
	set -- "$1" "$2" "$(date +%s.%N)"
	# times are those of the children of this shell, so each session has its own
	(
		while IFS= read -r line; do set -- "$@" "$line"; done <"$dir/arguments"
		seed=$2
		shift 3
		timeout $((limit + 600)) "$rfsup" --generate "$@" --quiet --format json --seed "$seed" --tests "$tests" \
			--budget "$limit" -o "$dir/out" >"$dir/json" 2>"$dir/log"
		times >"$dir/times"
	)
	used=$(tail -1 "$dir/times" | sed 's/m/ /g; s/s//g' | awk '{ printf "%.1f", $1 * 60 + $2 + $3 * 60 + $4 }')
	wall=$(echo "$3 $(date +%s.%N)" | awk '{ printf "%.0f", $2 - $1 }')
	found=$(jq -r '.types[0].finding.tests // empty' "$dir/json" 2>/dev/null)
	if [ -z "$found" ]; then
		found=-
		[ -s "$dir/json" ] || found='?'
	elif at_most "$([ -n "$cpu" ] && echo "$used" || echo "$wall")" "$budget"; then
		printf x >>"$dir/found"
	else
		found=late
	fi
	printf ' %5s %6s %4s' "$found" "$used" "$wall"
}

[ $# -gt 0 ] || set -- bugs types
names=
for name in "$@"; do
	case $name in
	bugs) names="$names $bugs" ;;
	twins) names="$names $twins" ;;
	safe) names="$names $safe" ;;
	types) names="$names $types" ;;
	*) names="$names $name" ;;
	esac
done

printf '%-20s %8s  tests until the finding, CPU s, s; for seeds %s\n' name found "$seeds"
for name in $names; do
	arguments "$name" >"$dir/arguments" || continue
	: >"$dir/found"
	# shellcheck disable=SC2086
	cells=$(for seed in $seeds; do session "$name" "$seed"; done)
	# shellcheck disable=SC2086
	printf '%-20s %8s %s\n' "$name" "$(wc -c <"$dir/found")/$(echo $seeds | wc -w)" "$cells"
done
