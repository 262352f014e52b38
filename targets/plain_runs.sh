#!/bin/bash
# Runs every target and twin of targets.txt without rfsup, and writes to plain_runs.txt how often each fails.
#
#   targets/plain_runs.sh [BUILD [RUNS]]        default: build 100
#
# A failure is an exit status other than 0, a fatal signal, or no end within 5 seconds (a hang). All variants that exist
# below BUILD/targets are run.
# On a busy machine threads start late, so targets fail more often. `chrt -f 1 targets/plain_runs.sh` (as root) gives the
# runs priority over all other work. plain_runs.txt names the scheduling policy of the kernel that was used.
set -u
ulimit -c 0
build=${1:-build}
runs=${2:-100}
here=$(dirname "$0")
variants=()
for variant in O0g O0 O2g O2; do
	test -d "$build/targets/$variant" && variants+=("$variant")
done
test ${#variants[@]} -gt 0 || { echo "$0: nothing is built below $build/targets; run 'make targets'" >&2; exit 2; }

# Prints the number of failures of a command.
failures() {
	local failed=0 run
	for ((run = 0; run < runs; run++)); do
		timeout -s KILL 5 "$@" </dev/null >/dev/null 2>&1 || failed=$((failed + 1))
	done
	echo "$failed"
}

row() { # NAME ARGUMENTS
	local counts=() variant arguments=()
	test "$2" = - || IFS=, read -ra arguments <<<"$2"
	for variant in "${variants[@]}"; do
		if test -x "$build/targets/$variant/$1"; then
			counts+=("$(failures "$build/targets/$variant/$1" "${arguments[@]}" 2>/dev/null)")
		else
			counts+=(-)
		fi
	done
	printf '%-28s' "$1"
	printf ' %5s' "${counts[@]}"
	echo
}

{
	echo "# Failures in $runs plain runs of each target and its twin; written by targets/plain_runs.sh."
	echo "# $(nproc) processors, $(chrt -p $$ | sed -n "s/.*policy: //p"), $(uname -sr), $(getconf GNU_LIBC_VERSION)"
	printf '%-28s' '# name'
	printf ' %5s' "${variants[@]}"
	echo
	while read -r name _ _ _ arguments twin _; do
		case $name in '' | '#'*) continue ;; esac
		row "$name" "$arguments"
		test "$twin" = - || row "$twin" "$arguments"
	done <"$here/targets.txt"
} >"$here/plain_runs.txt.new" && mv "$here/plain_runs.txt.new" "$here/plain_runs.txt"
