/*
 * order_capture: a thread starts another one that adds numbers to its local variable, detaches it, does something else
 * and ends. The lambda has captured the variable by reference.
 *
 * Answer: failure, no race: the detached thread accesses the stack of the thread that has started it, and has ended.
 * Plain and random runs: never fail, because the other work takes longer.
 * Twin: the sum is shared by both threads.
 */
#include <memory>
#include <thread>

#include "late.h"
#include "target.h"

#ifdef FIXED
static void add(const std::shared_ptr<int> &sum)
#else
static void add(int *sum)
#endif
{
	for (int i = 1; i <= 3; i++)
		*sum += i;
}

static void count()
{
#ifdef FIXED
	auto sum = std::make_shared<int>(0);

	std::thread([sum] { add(sum); }).detach();
#else
	int sum = 0;

	std::thread([&sum] { add(&sum); }).detach();
#endif
	come_late();
}

int main()
{
	std::thread counter(count);

	counter.join();
	come_late();
	return 0;
}
