/*
 * atomicity_vector: a reader asks for the size of a vector in one section and takes the last element in another. A
 * thread that removes it between the two makes at() throw.
 *
 * Answer: failure, no race: an atomicity violation R-w-R on the vector.
 * Plain and random runs: never fail, because the reader is done long before the element is removed.
 * Twin: one section.
 */
#include <mutex>
#include <thread>
#include <vector>

#include "late.h"

static std::mutex lock;
static std::vector<int> values{1, 2, 3};
static int last;

static void read_last()
{
	std::unique_lock<std::mutex> guard(lock);
	size_t n = values.size();
#ifndef FIXED
	guard.unlock();
	guard.lock();
#endif
	if (n)
		last = values.at(n - 1);
}

static void remove_last()
{
	come_late();
	std::lock_guard<std::mutex> guard(lock);
	values.pop_back();
}

int main()
{
	std::thread a(read_last), b(remove_last);
	a.join();
	b.join();
	return 0;
}
