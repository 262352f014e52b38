// Tasks of libtbb add up under a spin_mutex and push to a concurrent_queue. With RACY, they also use no lock.
#include <tbb/concurrent_queue.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/spin_mutex.h>
#include <vector>

static tbb::spin_mutex mutex;
static long total;
#ifdef RACY
static long unlocked;
#endif

int main()
{
	tbb::global_control threads(tbb::global_control::max_allowed_parallelism, 3);
	std::vector<int> values(64, 1);
	tbb::concurrent_queue<int> queue;
	long sum = 0;
	int part;

	tbb::parallel_for(
		tbb::blocked_range<int>(0, 64, 8),
		[&](const tbb::blocked_range<int> &range) {
			long here = 0;

			for (int i = range.begin(); i < range.end(); i++) {
				values[i] += i;
				here += values[i];
			}
			{
				tbb::spin_mutex::scoped_lock lock(mutex);
				total += here;
			}
			queue.push((int)here);
#ifdef RACY
			unlocked = unlocked * 3 + here;
#endif
		},
		tbb::simple_partitioner());
	while (queue.try_pop(part))
		sum += part;
	return total != 64 + 63 * 32 || sum != total;
}
