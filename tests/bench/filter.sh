#!/bin/bash
# filter.sh - what the filter of stubs saves (docs/internals/stubs.md, "The filter in the target"). Two builds of rfsup make
# the same predicting run in turns. Prints the medians of their CPU seconds, user and system together, of rfsup and of
# the program. Also prints what an access costs that the filter drops, and one that is recorded.
# usage: tests/bench/filter.sh BASE [ROUNDS [MIB]]; BASE is the other rfsup; this one is RFSUP, by default build/rfsup.
here=$(dirname "$0")
rfsup=${RFSUP:-$here/../../build/rfsup}
base=$1 rounds=${2:-3} mib=${3:-2}
[ -x "$base" ] || { echo "usage: $0 BASE [ROUNDS [MIB]]"; exit 2; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
TIMEFORMAT='%U %S'

# The CPU seconds of a command.
seconds()
{
	{ time "$@" >/dev/null 2>&1; } 2>&1 | awk '{ printf "%.3f\n", $1 + $2 }'
}

# seconds of a run with the detector: $1 is an rfsup, $2 its options
predict()
{
	local program=$1 options=$2
	shift 2
	rm -rf "$dir/out"
	# shellcheck disable=SC2086
	seconds timeout 3600 "$program" --quiet --no-confirm --runs=1 --policy=random --detector=hybrid --timeout=3600 \
		$options -o "$dir/out" -- "$@"
}

median()
{
	sort -n | awk '{ x[NR] = $1 } END { print x[int((NR + 1) / 2)] }'
}

# a text that repeats some of its lines
while [ "$(stat -c %s "$dir/input" 2>/dev/null || echo 0)" -lt $((mib << 20)) ]; do
	cat "$here"/*.c "$here"/../../supervisor/*/*.c "$here"/../../policy/*/*.c "$rfsup"
done 2>/dev/null | head -c $((mib << 20)) >"$dir/input"

echo "# $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores; load $(cut -d' ' -f1-3 /proc/loadavg)"
echo "# medians of $rounds; input of $mib MiB; $(date -u +%Y-%m-%dT%H:%MZ)"
printf '%-10s %10s %10s %10s %7s\n' program native before after ratio
compare()
{
	local name=$1 options=$2 i
	shift 2
	: >"$dir/native"; : >"$dir/before"; : >"$dir/after"
	for ((i = 0; i < rounds; i++)); do
		seconds "$@" >>"$dir/native"
		predict "$base" "$options" "$@" >>"$dir/before"
		cp "$dir/out/pairs.txt" "$dir/pairs"
		predict "$rfsup" "$options" "$@" >>"$dir/after"
		cmp -s "$dir/out/pairs.txt" "$dir/pairs" || echo "$name: the pairs differ"
	done
	printf '%-10s %10s %10s %10s %7s\n' "$name" "$(median <"$dir/native")" "$(median <"$dir/before")" \
		"$(median <"$dir/after")" "$(echo "$(median <"$dir/after") $(median <"$dir/before")" | awk '{ printf "%.2f", $1 / $2 }')"
}
compare pigz --module=libz.so* pigz -c -p4 "$dir/input"
compare pbzip2 --module=libbz2.so* pbzip2 -c -k -p4 -b1 "$dir/input"
compare xz --module=liblzma.so* xz -c -k -T2 -1 --block-size=1MiB "$dir/input"
compare zstd '' zstd -c -q -T2 "$dir/input"

${CC:-cc} -O2 -pthread -o "$dir/accesses" "$here/filter/accesses.c" || exit
few=20000000 many=220000000
printf '%-10s %10s %10s %10s   (nanoseconds of CPU time for an access more)\n' access loop before after
# the slope between two counts, so that the start of rfsup does not count
slope()
{
	local kind=$1 i
	shift
	for ((i = 0; i < rounds; i++)); do
		echo "$("$@" "$dir/accesses" "$kind" $few) $("$@" "$dir/accesses" "$kind" $many)"
	done | awk -v n=$((many - few)) '{ printf "%.3f\n", 1e9 * ($2 - $1) / n }' | median
}
for kind in dropped recorded; do
	printf '%-10s %10s %10s %10s\n' $kind "$(slope $kind seconds)" "$(slope $kind predict "$base" '')" \
		"$(slope $kind predict "$rfsup" '')"
done
