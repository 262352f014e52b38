/*
 * guard_atomic: a thread counts in an object that another thread may have deleted.
 *
 * Answer: race. With --guard-heap: SIGSEGV at the increment, and the report names the block.
 * Plain runs: never fail.
 * Twin: the object is deleted after the thread has ended.
 */
#include <atomic>
#include <memory>

#include "target.h"

struct Counter {
	std::atomic<int> used{0};
	int limit = 10;
};

static Counter *counter;

static void *use(void *)
{
	counter->used.fetch_add(1); /* RACE: use */
	return nullptr;
}

static void *drop(void *)
{
#ifndef FIXED
	delete counter; /* RACE: delete */
#endif
	return nullptr;
}

int main()
{
	counter = new Counter;
	pthread_t first = start(use, nullptr), second = start_late(drop, nullptr, 2);
	join(first);
	join(second);
#ifdef FIXED
	delete counter; /* RACE: delete */
#endif
	return 0;
}
