// A parallel reduction, and a vector that all threads fill, with Threading Building Blocks.
#include <cstdio>
#include <tbb/blocked_range.h>
#include <tbb/concurrent_vector.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

int main()
{
	tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 3);
	tbb::concurrent_vector<int> seen;
	int total = tbb::parallel_reduce(
		tbb::blocked_range<int>(0, 200, 20), 0,
		[](const tbb::blocked_range<int> &range, int sum) {
			for (int i = range.begin(); i < range.end(); i++)
				sum += i;
			return sum;
		},
		[](int a, int b) { return a + b; });
	tbb::parallel_for(0, 30, [&](int i) { seen.push_back(i); });
	std::printf("total %d seen %zu\n", total, seen.size());
	return 0;
}
