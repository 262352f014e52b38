#!/bin/bash
# shared.sh - what threads share besides variables: how many controlled executions a whole campaign needs until its first
# failure, and whether the fixed twin stays silent.
#
#   tests/bench/shared.sh [TARGET...]      default: all targets of the six parts below
#
# RFSUP is build/rfsup by default, SEEDS 20, TWIN_SEEDS SEEDS, TARGETS build/targets/O2g. All controlled executions of all phases count, and
# uncontrolled ones do not. "within 30": the seeds that need at most 30. "silent": the seeds with which the twin's campaign,
# with 20 runs for each pair and 30 that explore, ends with status 0: it is complete, and nothing is found.
here=$(realpath "$(dirname "$0")/../..")
rfsup=$(realpath "${RFSUP:-$here/build/rfsup}")
targets=$(realpath "${TARGETS:-$here/build/targets/O2g}")
seeds=${SEEDS:-20}
twin_seeds=${TWIN_SEEDS:-$seeds}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# campaign OUTPUT OPTION... PROGRAM; the status is that of rfsup
campaign()
{
	rm -rf "$1"
	timeout 600 "$rfsup" --quiet --runs 20 --explore 30 -o "$@" >/dev/null 2>&1 </dev/null
}

# The executions until the first failure; nothing: there was none.
executions()
{
	python3 -c 'import json, sys; n = json.load(open(sys.argv[1]))["stats"].get("runs_to_first_failure"); n and print(n)' \
		"$1/report.json"
}

row()
{
	local name=$1 seed silent=0
	shift
	: >"$dir/needed"
	for ((seed = 1; seed <= seeds; seed++)); do
		campaign "$dir/o" "$@" --seed $seed --until-failure "$targets/$name"
		executions "$dir/o" >>"$dir/needed"
	done
	for ((seed = 1; seed <= twin_seeds; seed++)); do
		campaign "$dir/o" "$@" --seed $seed "$targets/${name}_fixed" && silent=$((silent + 1))
	done
	sort -n "$dir/needed" | awk -v name="$name" -v seeds="$seeds" -v twins="$twin_seeds" -v silent=$silent '
		{ n[NR] = $1; within += $1 <= 30 }
		END { printf "  %-24s %4d/%d %8s %6s %7d/%d\n", name, within, seeds, NR ? n[int((NR + 1) / 2)] : "-",
		             NR < seeds ? ">" n[NR] : n[NR], silent, twins }'
}

# part TITLE "OPTION..." TARGET...
part()
{
	local title=$1 options=$2 name
	shift 2
	echo "$title"
	for name; do
		[ -z "$chosen" ] || [[ " $chosen " == *" $name "* ]] && row "$name" $options
	done
}

chosen="$*"
echo "# command: tests/bench/shared.sh${*:+ $*}; $("$rfsup" --version | head -1); $(uname -r)"
printf '%-26s %7s %8s %6s %10s\n' "" "within 30" median most silent
part "files and descriptors" "" file_checked_then_used listed_while_read seek_then_write exists_then_created \
	append_after_seek folder_changed order_close_twice
part mappings "" page_unmapped_in_use page_moved_in_use page_emptied_in_use heap_end_lowered shared_page_twice
part "generated code" "" generated_code
part "signal handlers" "" handler_half handler_count handler_replaced handler_lock
part processes "" fork_daemon fork_twice fork_result fork_exec_self fork_suspended fork_grandchild fork_shared
part "order of events (--events)" --events event_freed event_reply_first event_settings_late event_stop_first
