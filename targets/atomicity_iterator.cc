/*
 * atomicity_iterator: a thread looks for a job in one section and runs it in another, through an iterator. A thread
 * that cancels the job between the two makes the iterator invalid.
 *
 * Answer: failure, no race: an atomicity violation with a free.
 * Plain and random runs: never fail, because the job has run long before it is cancelled.
 * Twin: one section.
 */
#include <cstdlib>
#include <list>
#include <mutex>
#include <thread>

#include "late.h"

struct job {
	volatile int id;
	~job()
	{
		id = -1;
	}
};

static std::mutex lock;
static std::list<job> jobs;

static void run()
{
	std::unique_lock<std::mutex> guard(lock);
	auto it = jobs.begin();
	while (it != jobs.end() && it->id != 5)
		++it;
	bool found = it != jobs.end();
#ifndef FIXED
	guard.unlock();
	guard.lock();
#endif
	if (found && it->id != 5)
		std::abort();
}

static void cancel()
{
	come_late();
	std::lock_guard<std::mutex> guard(lock);
	jobs.clear();
}

int main()
{
	jobs.emplace_back(job{4});
	jobs.emplace_back(job{5});
	std::thread a(run), b(cancel);
	a.join();
	b.join();
	return 0;
}
