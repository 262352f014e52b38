/*
 * atomicity_map: a request looks up its session in one section and uses it in another. A log-out between the two erases
 * it, and at() throws.
 *
 * Answer: failure, no race: an atomicity violation on the map.
 * Plain and random runs: never fail, because the request is over long before the log-out.
 * Twin: one section.
 */
#include <map>
#include <mutex>
#include <thread>

#include "late.h"

static std::mutex lock;
static std::map<int, int> sessions;
static int served;

static void request()
{
	std::unique_lock<std::mutex> guard(lock);
	bool known = sessions.count(7) > 0;
#ifndef FIXED
	guard.unlock();
	guard.lock();
#endif
	if (known)
		served += sessions.at(7);
}

static void log_out()
{
	come_late();
	std::lock_guard<std::mutex> guard(lock);
	sessions.erase(7);
}

int main()
{
	sessions[7] = 1;
	std::thread a(request), b(log_out);
	a.join();
	b.join();
	return 0;
}
