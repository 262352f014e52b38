#!/bin/sh
# proofs.sh - executes all schedules of the twins of the targets (--policy dpor), and says how many executions that
# takes and how much CPU time. Then the same for the targets themselves, which must fail.
#
#   tests/bench/proofs.sh [BUDGET [NAME...]]     default: 120 seconds for each program, all targets with a twin
#
# RFSUP is build/rfsup by default. CPU time is that of rfsup and of all its children, in seconds.
here=$(dirname "$0")
targets=$here/../../targets
rfsup=$(realpath "${RFSUP:-$here/../../build/rfsup}")
budget=${1:-120}
[ $# -gt 0 ] && shift
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

names=${*:-$(cd "$targets" && ls *_fixed.c | sed 's/_fixed\.c$//')}

build()
{
	flags=
	case $1 in
	sync_*) flags=$(pkg-config --cflags --libs glib-2.0) || return 1 ;;
	static_*) flags=-static ;;
	esac
	cc -std=gnu11 -D_GNU_SOURCE -pthread -O2 -g -o "$dir/$1" "$targets/$1.c" $flags 2>/dev/null
}

# Prints one line for program $1.
explore()
{
	rm -rf "$dir/out" "$dir/time"
	build "$1" || {
		printf '%-34s cannot be built\n' "$1"
		return
	}
	(
		cd "$dir" || exit 2
		"$rfsup" --quiet --policy dpor --budget "$budget" -o out "./$1" >said 2>&1 </dev/null
		echo $? >status
		times >time
	)
	cpu=$(sed -n 2p "$dir/time" | tr 'ms' '  ' | awk '{print $1 * 60 + $2 + $3 * 60 + $4}')
	claim=$(sed -n 's/^proved  *\(.*\)/proved: \1/p; s/^executed  *\(.*\)/\1/p; s/^not proved  */not proved: /p' "$dir/said" |
		head -1)
	printf '%-34s status %s, %6.2f s CPU  %s\n' "$1" "$(cat "$dir/status")" "$cpu" "${claim:-$(tail -1 "$dir/said")}"
}

for name in $names; do explore "${name}_fixed"; done
echo
for name in $names; do explore "$name"; done
