#!/bin/bash
# verdicts.sh - runs rfsup on small programs whose right report is known, and counts right and wrong reports: one line
# for each kind of fault. verdicts.tsv lists the programs.
#
#   tests/bench/verdicts.sh [SEEDS [KIND or TARGET...]]     default: seeds 1 to 5, all rows
#
# RFSUP is build/rfsup by default. BUILDS is "gcc-O0 gcc-O2 clang-O0 clang-O2"; builds whose compiler is missing are left
# out. JOBS runs at the same time, by default one for each core. Each report that is wrong is named below the table.
#
# A report is made in an empty folder. A program is right if all its reports are: each seed in each build.
here=$(realpath "$(dirname "$0")")
targets=$here/../../targets
programs=$here/programs/verdicts
rfsup=$(realpath "${RFSUP:-$here/../../build/rfsup}")
builds=${BUILDS:-gcc-O0 gcc-O2 clang-O0 clang-O2}
jobs=${JOBS:-$(nproc)}
list=$here/verdicts.tsv
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# Builds target $1 as $2 (such as gcc-O2).
build()
{
	local compiler=${2%-*} source=$targets/$1.c standard="-std=gnu11 -D_GNU_SOURCE" flags= folder

	for folder in "$here/../e2e/programs" "$programs"; do
		[ -e "$source" ] || [ -e "${source%.c}.cc" ] || source=$folder/$1.c
	done
	if [ -e "${source%.c}.cc" ]; then
		[ "$compiler" = gcc ] && compiler=g++ || compiler=clang++
		source=${source%.c}.cc standard=-std=c++20
	fi
	command -v "$compiler" >"$dir/which" || return
	grep -q '^#include "policy/rfsup.h"' "$source" && flags="-I$here/../.."
	grep -q 'omp parallel' "$source" && flags="$flags -fopenmp"
	[ "${2%-*}" = clang ] && [ "${flags%-fopenmp}" != "$flags" ] && return # rfsup knows GCC's OpenMP library
	mkdir -p "$dir/$2"
	$compiler $standard -pthread "-${2#*-}" -g $flags -o "$dir/$2/$1" "$source" 2>"$dir/said" || {
		echo "$0: $1 cannot be built as $2:" >&2
		cat "$dir/said" >&2
	}
	grep -n '/\* pair \*/' "$source" | sed "s#:.*##; s#^#$(basename "$source"):#" | paste -sd ' ' >"$dir/$2/$1.pairs"
}

# Judges one report: KIND TARGET OPTIONS STATUS MUST NEVER BUILD SEED. Prints "KIND TARGET right" or what is wrong.
judge()
{
	local kind=$1 target=$2 options=$3 status=$4 must=$5 never=$6 build=$7 seed=$8 out wrong= word arguments=()

	out=$(mktemp -d "$dir/out.XXXXXX")
	# options and arguments of the program: "OPTIONS -- ARGUMENTS"
	for word in $options; do
		[ "$word" = -- ] && break
		case $word in
		-) ;;
		@pairs) arguments+=("$dir/$build/$target.pairs") ;;
		@*) arguments+=("$programs/${word#@}") ;;
		*) arguments+=("$word") ;;
		esac
	done
	arguments+=("$dir/$build/$target")
	[ "${options#*-- }" != "$options" ] && arguments+=(${options#*-- })
	cd "$out" || exit
	timeout 600 "$rfsup" --seed "$seed" -o "$out/o" "${arguments[@]}" >"$out/report" 2>"$out/said" </dev/null
	local is=$?
	case ,$status, in *,$is,*) ;; *) wrong="status $is" ;; esac
	if [ "$must" != - ]; then
		tr '\n' ' ' <"$out/report" | grep -qE -- "$must" || wrong="${wrong:+$wrong, }not there: $must"
	fi
	if [ "$never" != - ]; then
		tr '\n' ' ' <"$out/report" | grep -qE -- "$never" && wrong="${wrong:+$wrong, }there: $never"
	fi
	cd /
	rm -rf "$out"
	printf '%s\t%s\t%s\n' "$kind" "$target" "${wrong:+wrong in $build with seed $seed: $wrong}"
}
export -f judge
export dir rfsup programs

seeds=${1:-5}
[ $# -gt 0 ] && shift
only=" $* "
while IFS=$'\t' read -r kind target status must never options; do
	case $kind in '' | \#*) continue ;; esac
	[ "$only" = "  " ] || [[ $only = *" $kind "* || $only = *" $target "* ]] || continue
	for build in $builds; do
		build "$target" "$build"
		[ -x "$dir/$build/$target" ] || continue
		for seed in $(seq "$seeds"); do
			printf '%s\0' "$kind" "$target" "${options:--}" "$status" "$must" "$never" "$build" "$seed"
		done
	done
done <"$list" >"$dir/todo"
xargs -0 -n 8 -P "$jobs" bash -c 'judge "$@"' judge <"$dir/todo" >"$dir/done"

echo "# command: tests/bench/verdicts.sh $seeds${*:+ $*}; builds: $builds"
echo "# $(gcc --version | head -1)$(command -v clang >"$dir/which" && clang --version | sed -n '1s/^/; /p')"
echo "# programs: their number, and how many have a wrong report; reports: one for each build and seed"
sort "$dir/done" | awk -F '\t' '
	!($1 in reports) { kinds[++n] = $1 }
	{ reports[$1]++ }
	!(($1, $2) in seen) { seen[$1, $2] = 1; programs[$1]++ }
	$3 != "" { bad_reports[$1]++; if (!(($1, $2) in bad)) { bad[$1, $2] = 1; bad_programs[$1]++ } }
	function row(kind, programs, wrong, reports, bad) {
		printf "%-28s %8d %6d %6d   %8d %6d\n", kind, programs, programs - wrong, wrong, reports, bad
	}
	END {
		printf "%-28s %8s %6s %6s   %8s %6s\n", "kind", "programs", "right", "wrong", "reports", "wrong"
		for (i = 1; i <= n; i++) {
			k = kinds[i]
			row(k, programs[k], bad_programs[k], reports[k], bad_reports[k])
			p += programs[k]; w += bad_programs[k]; r += reports[k]; b += bad_reports[k]
		}
		row("all", p, w, r, b)
	}'
echo
sort "$dir/done" | awk -F '\t' '$3 != "" { printf "%s, %s: %s\n", $1, $2, $3 }'
