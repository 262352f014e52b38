/* allocs: makes and destroys maps of strings, with many small allocations. SIZE: number of strings of all threads. */
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

static std::mutex lock;
static size_t total;

static void work(long n, int number)
{
	std::map<std::string, std::vector<int>> map;
	size_t sum = 0;

	for (long i = 0; i < n; i++) {
		map["a key of some length: " + std::to_string(i * 7919 % 1000 + number)].push_back((int)i);
		if (map.size() >= 500) {
			for (const auto &entry : map)
				sum += entry.second.size();
			map.clear();
		}
	}
	for (const auto &entry : map)
		sum += entry.second.size();
	const std::lock_guard<std::mutex> guard(lock);
	total += sum; /* PAIR */
}

int main(int argc, char **argv)
{
	std::vector<std::thread> team;
	long n = argc == 3 ? atol(argv[1]) : 0;
	int threads = argc == 3 ? atoi(argv[2]) : 0;

	if (n < 1 || threads < 1)
		return 2;
	for (int i = 0; i < threads; i++)
		team.emplace_back(work, n / threads, i);
	for (auto &thread : team)
		thread.join();
	printf("%zu\n", total);
	return total != (size_t)(n / threads * threads);
}
