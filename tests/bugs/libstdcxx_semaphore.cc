/*
 * libstdcxx_semaphore.cc - three threads use a std::counting_semaphore as a lock. acquire() reads the count, tries a few
 * times to decrement it, and then sleeps if the count is what it read at first. If that was 1, and the last owner has
 * released it meanwhile, the thread sleeps although the count is 1, and nobody wakes it.
 *
 * package: g++
 * link: -std=c++20
 * options: --policy surw --detector none --runs 4000
 * expect: DEADLOCK
 */
#include <semaphore>
#include <thread>
#include <vector>

static std::counting_semaphore<8> tokens(1);
static int used;

static void worker()
{
	for (int i = 0; i < 2; i++) {
		tokens.acquire();
		used++;
		tokens.release();
	}
}

int main()
{
	std::vector<std::thread> threads;

	for (int i = 0; i < 3; i++)
		threads.emplace_back(worker);
	for (auto &thread : threads)
		thread.join();
	return used == 6 ? 0 : 1;
}
