#!/bin/bash
# passes_builds.sh - whether two passes of the detector predict the pairs of one pass, on every target and its twin, in
# every build. Prints a row for each build, and one for each difference. Its status is 1 if there was a difference.
# usage: tests/bench/passes_builds.sh TARGETS [BUILD...]; TARGETS: the folder with the builds, as make check-full leaves
# it; BUILD: only these builds. In the environment: RFSUP (build/rfsup), SEEDS ("1 2 3 4 5").
here=$(cd "$(dirname "$0")" && pwd)
rfsup=$(realpath "${RFSUP:-$here/../../build/rfsup}")
seeds=${SEEDS:-1 2 3 4 5}
targets=$(realpath "${1:?the folder with the builds is missing}")
shift
[ $# -gt 0 ] || set -- $(ls "$targets")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 2
differ=0

# Each target and each twin, with its arguments.
programs() {
	awk '!/^#/ && NF >= 5 { words = $5 == "-" ? "" : $5; print $1, words; if ($6 != "-") print $6, words }' \
		"$here/../../targets/targets.txt" | sort -u
}

# FILE OPTIONS PROGRAM...: one predicting run; its pairs go to FILE
pairs() {
	local file=$1
	shift
	rm -rf out
	"$rfsup" --policy=random --detector=hybrid --no-confirm --runs=1 -o out "$@" >said 2>&1 </dev/null
	# a run without predictions has no pairs.txt
	if [ -e out/report.json ]; then
		cat out/pairs.txt >"$file" 2>/dev/null
	else
		echo "no report ($file): $(tail -n 1 said)" >"$file"
	fi
}

for build; do
	runs=0 lines=0 different=0
	while read -r name words; do
		for seed in $seeds; do
			# shellcheck disable=SC2086
			pairs one "--seed=$seed" --no-two-pass "$targets/$build/$name" ${words//,/ }
			# shellcheck disable=SC2086
			pairs two "--seed=$seed" "$targets/$build/$name" ${words//,/ }
			runs=$((runs + 1))
			lines=$((lines + $(grep -c '^[^#p]' two)))
			grep -q 'took another course' said || cmp -s one two && continue
			different=$((different + 1)) differ=1
			echo "$build $name seed $seed: DIFFERENT"
			diff one two | head -n 6
		done
	done < <(programs)
	printf '%-16s %5d comparisons, %6d pairs, deadlocks and violations, %d different\n' "$build" "$runs" "$lines" "$different"
done
exit "$differ"
