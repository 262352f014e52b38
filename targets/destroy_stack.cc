/*
 * destroy_stack.cc - a std::condition_variable on the stack ends its life right after notify_all(), while the thread
 * that it woke has not returned from wait(). C++ allows that: each waiter has been notified.
 */
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex lock;

struct gate {
	std::condition_variable open, here;
	bool waits = false, done = false;
};

static void wait_for(gate *g)
{
	std::unique_lock<std::mutex> hold(lock);

	g->waits = true;
	g->here.notify_one();
	g->open.wait(hold); /* nothing of the gate is used after this */
}

static std::thread begin()
{
	gate g;
	std::thread t(wait_for, &g);
	std::unique_lock<std::mutex> hold(lock);

	g.here.wait(hold, [&] { return g.waits; });
	g.open.notify_all();
	return t;
}

int main()
{
	for (int i = 0; i < 2; i++)
		begin().join();
}
