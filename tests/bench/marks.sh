#!/bin/bash
# marks.sh - what the marks of rfsup.h cost a program that runs without rfsup: the same loop with and without them.
#
#   tests/bench/marks.sh [ROUNDS]      default: 200000000
#
# The loops take turns, seven times each; the median of the CPU times counts. The loop updates an array, as a program
# might do at such a place; an empty loop would only measure how many instructions a processor starts at once.
here=$(realpath "$(dirname "$0")/../..")
rounds=${1:-200000000}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cat >"$dir/loop.c" <<'END'
#include <stdint.h>

#include "policy/rfsup.h"

static uint64_t table[1024];

int main(int argc, char **argv)
{
	const uint64_t rounds = strtoull(argv[argc - 1], NULL, 10);
	uint64_t x = 1;

	for (uint64_t i = 0; i < rounds; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		table[x & 1023] += x;
#ifdef BARRIER
		__asm__ volatile("" : : : "memory");
#endif
#ifdef POINT
		RFSUP_POINT();
#endif
#ifdef ASSERT
		RFSUP_ASSERT(table[x & 1023] != i);
#endif
#ifdef PLAIN
		if (table[x & 1023] == i)
			abort();
#endif
	}
	return (int)(table[5] & 1);
}
END
kinds="NONE BARRIER POINT ASSERT PLAIN"
for kind in $kinds; do gcc -O2 -I"$here" -D$kind -o "$dir/$kind" "$dir/loop.c" || exit 1; done
for ((i = 0; i < 7; i++)); do
	for kind in $kinds; do
		{ TIMEFORMAT='%U %S'; time "$dir/$kind" "$rounds"; } 2>&1 | tail -1 | awk '{ print $1 + $2 }' >>"$dir/$kind.times"
	done
done
median() { sort -n "$dir/$1.times" | sed -n 4p; }
none=$(median NONE)
echo "# command: tests/bench/marks.sh $rounds; $(gcc --version | head -1)"
echo "# median CPU time of 7 runs, as a multiple of the loop without marks ($none s)"
says=(BARRIER "a barrier for the compiler alone" POINT "RFSUP_POINT()" ASSERT "RFSUP_ASSERT(condition)" PLAIN "the same condition, checked")
for ((i = 0; i < ${#says[@]}; i += 2)); do
	printf '%-34s %.3f\n' "${says[i + 1]}" "$(echo "$(median "${says[i]}") / $none" | bc -l)"
done
