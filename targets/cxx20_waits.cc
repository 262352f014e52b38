/*
 * cxx20_waits: the waits of C++20, which call futex(2) without any pthread function: wait and notify of std::atomic,
 * std::latch, std::barrier, std::counting_semaphore.
 *
 * Answer: silent. Races on the data that the waits order may be predicted, but cannot be created.
 */
#include "target.h"
#include <atomic>
#include <barrier>
#include <iostream>
#include <latch>
#include <semaphore>
#include <thread>

std::atomic<int> ready;
std::latch latch(2);
std::barrier barrier(2);
std::counting_semaphore<4> semaphore(0);
int by_atomic, by_latch, by_barrier, by_semaphore;

static void give()
{
	by_atomic = 1; /* RACE: by-atomic-write */
	ready.store(1);
	ready.notify_one();
	by_latch = 2; /* RACE: by-latch-write */
	latch.count_down();
	by_barrier = 3; /* RACE: by-barrier-write */
	barrier.arrive_and_wait();
	by_semaphore = 4; /* RACE: by-semaphore-write */
	semaphore.release();
}

static void take(int *sum)
{
	ready.wait(0);
	*sum += by_atomic; /* RACE: by-atomic-read */
	latch.arrive_and_wait();
	*sum += by_latch; /* RACE: by-latch-read */
	barrier.arrive_and_wait();
	*sum += by_barrier; /* RACE: by-barrier-read */
	semaphore.acquire();
	*sum += by_semaphore; /* RACE: by-semaphore-read */
}

int main()
{
	int sum = 0;
	std::thread taker(take, &sum), giver(give);

	giver.join();
	taker.join();
	if (sum != 10)
		fail("took too early");
	std::cout << sum << '\n';
	return 0;
}
