#!/bin/sh
# What a first campaign costs: a test without threads, a clean one, and one with a race (docs/tutorial/tickets.cc). Prints the
# median of ROUNDS (5) wall times, without rfsup and under it.
#
#   tests/bench/first_campaign.sh BUILD
set -eu
rfsup=$(realpath "$1/rfsup")
tickets=$(realpath "$(dirname "$0")/../../docs/tutorial/tickets.cc")
rounds=${ROUNDS:-5}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

cat >map.cc <<'END'
#include <cstdio>
#include <map>
int main()
{
	std::map<int, int> numbers;

	for (int i = 0; i < 100000; i++)
		numbers[i] = i;
	printf("%zu\n", numbers.size());
}
END
sed 's/#include <thread>/#include <mutex>\n#include <thread>\nstd::mutex lock;/; s/^void sell() {/&\n\tstd::lock_guard guard(lock);/' "$tickets" >clean.cc
cp "$tickets" race.cc
for name in map clean race; do
	g++ -g -pthread -o $name $name.cc
done

# the median wall time of a command, in seconds
median() {
	for _ in $(seq "$rounds"); do
		begin=$(date +%s%N)
		"$@" >/dev/null 2>&1 || :
		end=$(date +%s%N)
		echo $(((end - begin) / 1000000))
		rm -rf rfsup.out.*
	done | sort -n | awk '{ all[NR] = $1 } END { printf "%.3f", all[int((NR + 1) / 2)] / 1000 }'
}

echo "# median of $rounds, wall seconds"
printf '%-8s %12s %12s   %s\n' program "without" "campaign" "result"
for name in map clean race; do
	result=$("$rfsup" -o out ./$name 2>/dev/null | sed -n 's/^result *//p')
	rm -rf out
	printf '%-8s %12s %12s   %s\n' $name "$(median ./$name)" "$(median "$rfsup" ./$name)" "$result"
done
