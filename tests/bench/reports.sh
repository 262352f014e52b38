#!/bin/bash
# reports.sh - reports that other tools make of programs, tested by rfsup: how many of their frames are found in the
# program, and what becomes of each report.
#
#   tests/bench/reports.sh [RUNS [NAME...]]     default: 30 runs for each pair, all programs
#
# Each program of targets/ is built with -O2 -g, and with ThreadSanitizer of gcc and of clang. Helgrind and DRD run the
# first build, each with text and with XML. The text of all tools is one file. Each harmful pair is replayed.
# RFSUP is build/rfsup by default. KEEP is a folder in which the reports stay, and FROM such a folder of an earlier run:
# its reports are tested again.
here=$(dirname "$0")
targets=$here/../../targets
rfsup=$(realpath "${RFSUP:-$here/../../build/rfsup}")
runs=${1:-30}
[ $# -gt 0 ] && shift
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$here/triage.sh"

names=${*:-figure1 figure2 rapos_figure1 lost_update lost_update_inc lost_updates debug_counter double_checked_init refcount
	check_then_act torn_struct abba three_lock deadlock_among_40 deadlock_ring_5 deadlock_rwlocks philosophers rwlock_mode
	use_after_free buffers atomic_publish pipeline order_violation drfinder_figure2 cxx_thread cxx_shared_ptr sync_queue
	figure1_fixed check_then_act_fixed torn_struct_fixed abba_fixed cxx_thread_fixed c11_atomic atomic_publish_fixed}

compile() # NAME OUTPUT COMPILER-OF-C COMPILER-OF-C++ OPTION...
{
	local name=$1 output=$2 c=$3 cxx=$4
	shift 4
	if [ -e "$targets/$name.cc" ]; then
		$cxx -std=c++20 -pthread -g "$@" -I"$targets/.." -o "$output" "$targets/$name.cc" 2>/dev/null
	else
		$c -std=gnu11 -D_GNU_SOURCE -pthread -g "$@" -I"$targets/.." -o "$output" "$targets/$name.c" 2>/dev/null
	fi
}

reports() # NAME: writes text, helgrind.xml and drd.xml
{
	if [ "$FROM" ]; then
		for file in text helgrind.xml drd.xml; do cp "$FROM/$1.$file" $file 2>/dev/null; done
		return
	fi
	compile "$1" gcc-tsan gcc g++ -O1 -fsanitize=thread && for i in 1 2 3; do timeout 60 ./gcc-tsan >/dev/null 2>>text; done
	compile "$1" clang-tsan clang clang++ -O1 -fsanitize=thread &&
		for i in 1 2 3; do timeout 60 ./clang-tsan >/dev/null 2>>text; done
	for tool in helgrind drd; do
		timeout 120 valgrind --tool=$tool ./program >/dev/null 2>>text
		timeout 120 valgrind --tool=$tool --xml=yes --xml-file=$tool.xml ./program >/dev/null 2>&1
	done
}

head_row >"$dir/rows"
cat "$dir/rows"
for name in $names; do
	mkdir "$dir/$name"
	targets=$(realpath "$targets")
	cd "$dir/$name" || exit 1
	compile "$name" program gcc g++ -O2 || continue
	reports "$name"
	for file in text helgrind.xml drd.xml; do
		[ -s $file ] || continue
		[ "$KEEP" ] && cp $file "$KEEP/$name.$file"
		triage "$name" $file --runs "$runs" ./program
	done
	cd "$dir" || exit 1
	rm -rf "${dir:?}/$name"
done | tee -a "$dir/rows"
summary
