/*
 * forgotten_waiter.cc - two threads wait until a flag is set, and only one of them is woken. To read the flag before it
 * is set is right: a thread that waits must do that.
 */
#include <condition_variable>
#include <mutex>
#include <thread>

struct gate {
	std::mutex mutex;
	std::condition_variable opened;
	bool open = false;
	int passed = 0;

	void pass()
	{
		std::unique_lock<std::mutex> lock(mutex);

		opened.wait(lock, [this] { return open; });
		passed++;
	}
};

int main()
{
	gate *g = new gate;
	std::thread one([g] { g->pass(); }), other([g] { g->pass(); });

	{
		std::lock_guard<std::mutex> lock(g->mutex);
		g->open = true;
		g->opened.notify_one();
	}
	one.join();
	other.join();
	int passed = g->passed;
	delete g;
	return passed != 2;
}
