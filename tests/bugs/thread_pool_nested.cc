/*
 * thread_pool_nested.cc - a task of a pool with two workers submits a second task and waits for its result. The other
 * worker has nothing to do, but it sleeps at its own queue: if it was the one that took the first task from its
 * neighbour, the second task goes to the queue of the worker that waits for it.
 *
 * package: libthread-pool-dev
 * link: -std=c++17
 * expect: DEADLOCK of 3 threads
 */
#include <thread_pool/thread_pool.hpp>

int main()
{
	thread_pool::ThreadPool pool(2);
	auto outer = pool.Submit([&pool] {
		auto inner = pool.Submit([] { return 1; });
		return inner.get();
	});

	return outer.get() == 1 ? 0 : 1;
}
