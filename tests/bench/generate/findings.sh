#!/bin/bash
# findings.sh - checks the C programs of findings of rfsup --generate, and prints a row for each.
#
#   tests/bench/generate/findings.sh DIR...     DIR: output folders of sessions
#
# In the environment: RFSUP, the program (build/rfsup); REPLAYS, how often each failure is replayed (20).
#
# gcc, clang: whether the program compiles with -Wall -Werror. replays: how many replays of the recorded failure are the
# same run. The record is of the program that gcc has compiled. For clang, the failure is searched again, with the command
# that the program's comment names, and its record is replayed. orders: how many sequential orders of the threads' calls
# pass. For this, a copy of the program marks the ends of calls as the driver of generated tests does (policy turns).
#
# Status 0: no check of any finding failed. A compiler that is not installed is not counted as a failure.
set -u
rfsup=$(realpath "${RFSUP:-$(dirname "$0")/../../../build/rfsup}")
replays=${REPLAYS:-20}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export LC_ALL=C
bad=0

# Prints the command that compiles the program, for another compiler.
command_for() { # COMMAND COMPILER SOURCE PROGRAM
	local words=${1#* }
	case $3 in *.cc) set -- "$1" "$([ "$2" = gcc ] && echo g++ || echo clang++)" "$3" "$4" "$5" ;; esac
	words=${words/PROGRAM/$4}
	echo "$2 ${words/"$5"/$3}"
}

compile() { # COMMAND COMPILER SOURCE PROGRAM OLD-SOURCE: prints yes, no or absent
	command -v "$2" >/dev/null || { echo absent; return; }
	if sh -c "$(command_for "$@")" >"$scratch/said" 2>&1; then
		echo yes
	else
		echo no
		sed 's/^/    /; 5q' "$scratch/said" >&2
	fi
}

# The source with a mark at the end of each call of the threads. A line that keeps what a call has stored is of this call.
marked() { # SOURCE
	awk '
	function mark() { if (called) print "\tsem_post(&end_of_call);"; called = 0 }
	/^#include <pthread.h>/ { print "#include <semaphore.h>" }
	/^static void \*(first|second)\(void \*/ {
		if (!declared++) print "static sem_t end_of_call;\n"
		inside = 1
	}
	inside && /^\treturn / { mark(); inside = 0 }
	inside && /^\t/ && !/^\tput_[a-z]+\([0-9]+, (\*\([^)]*\))?([vm][0-9]+|\(\(char \*\)&m[0-9_]+ \+ [0-9]+\))\);$/ { mark(); called = 1 }
	/^\tpthread_create\(&threads\[0\]/ { print "\tsem_post(&end_of_call);" }
	{ print }' "$1"
}

# All orders of A calls of the first thread and B of the second one.
orders() { # A B PREFIX
	if [ "$1" = 0 ] && [ "$2" = 0 ]; then
		echo "$3"
	else
		[ "$1" = 0 ] || orders $(($1 - 1)) "$2" "${3}1"
		[ "$2" = 0 ] || orders "$1" $(($2 - 1)) "${3}2"
	fi
}

replay_all() { # RECORD: prints how many replays are the same run
	local same=0
	for ((i = 0; i < replays; i++)); do
		timeout 120 "$rfsup" --replay "$1" >"$scratch/replay" 2>&1
		[ $? = 1 ] && grep -q 'replay: same as the recorded run' "$scratch/replay" && same=$((same + 1))
	done
	echo "$same/$replays"
}

# Runs rfsup with the guard heap and these options on a program of the scratch folder.
run() { # DIR, OPTIONS...
	local dir=$1 library
	shift
	library=$(basename "$(jq -r .library "$dir/report.json")")
	rm -rf "$scratch/out"
	(cd "$scratch" && timeout 300 "$rfsup" --env "LD_PRELOAD=$dir/rfsup-guard.so" --env G_SLICE=always-malloc --quiet \
		--points memory --module "${library%%.so*}.so*" -o out "$@" >"$scratch/said" 2>&1)
}

check() { # DIR, and lines of the finding: type, kind, source, command, record, calls of the first and of the second thread
	local dir=$1 type=$2 kind=$3 source=$4 command=$5 record=$6 a=$7 b=$8
	local gcc clang same other=- passed=0 all=0 words name=$scratch/program extension=${4##*.}
	gcc=$(compile "$command" gcc "$source" "$name-gcc" "$source")
	clang=$(compile "$command" clang "$source" "$name-clang" "$source")
	same=$(replay_all "$record")
	words=$(sed -n 's/^ \* Find the failure: rfsup \(.*\) \.\/PROGRAM$/\1/p' "$source")
	if [ "$clang" = yes ]; then
		rm -rf "$scratch/out"
		(cd "$scratch" && eval "timeout 300 $rfsup --quiet -o out $words ./program-clang" >"$scratch/said" 2>&1)
		other=$(ls "$scratch"/out/records/*.json 2>/dev/null | head -n 1)
		if [ -n "$other" ]; then other=$(replay_all "$other"); else other="0/$replays"; fi
	fi
	marked "$source" >"$name.$extension"
	if [ "$(compile "$command" gcc "$name.$extension" "$name-turns" "$source")" = yes ]; then
		for order in $(orders "$a" "$b" ""); do
			all=$((all + 1))
			# the status may say that runs without control fail
			run "$dir" --policy "turns:order=$order" --runs 1 ./program-turns
			[ "$(jq '.sampling | [.runs, .failures] == [1, 0]' "$scratch/out/report.json")" = true ] &&
				passed=$((passed + 1))
		done
	fi
	printf '%-24s %-13s %6s %6s %9s %9s %7s\n' "$type" "$kind" "$gcc" "$clang" "$same" "$other" "$passed/$all"
	[ "$gcc" != no ] && [ "$clang" != no ] && [ "$same" = "$replays/$replays" ] && [ "$all" -gt 0 ] &&
		[ "$passed" = "$all" ] && { [ "$other" = - ] || [ "$other" = "$replays/$replays" ]; } || bad=1
}

printf '%-24s %-13s %6s %6s %9s %9s %7s\n' type failure gcc clang 'gcc runs' 'clang' orders
for dir; do
	dir=$(realpath "$dir")
	while IFS=$'\t' read -r type kind source command record a b; do
		check "$dir" "$type" "$kind" "$source" "$command" "$record" "$a" "$b"
	done < <(jq -r '.types[] | .name as $name | (.finding, .other_findings[]?) | select(.confirmed) |
		[$name, .kind, .program, .command, .record, (.first | length), (.second | length)] | @tsv' "$dir/report.json")
done
exit $bad
