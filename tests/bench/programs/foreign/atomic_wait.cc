// Threads count under a mutex that is made of std::atomic::wait. With RACY, they also change a variable without it.
#include <atomic>
#include <thread>

struct mutex {
	std::atomic<int> word{0};

	void lock()
	{
		int free = 0;

		if (word.compare_exchange_strong(free, 1))
			return;
		while (word.exchange(2) != 0)
			word.wait(2);
	}
	void unlock()
	{
		if (word.exchange(0) == 2)
			word.notify_one();
	}
};

static mutex guard;
static int counter;
static std::atomic<int> start{0};
#ifdef RACY
static int unlocked;
#endif

static void work()
{
	start.wait(0);
	for (int i = 0; i < 5; i++) {
		guard.lock();
		counter++;
		guard.unlock();
#ifdef RACY
		unlocked = unlocked * 3 + 1;
#endif
	}
}

int main()
{
	std::thread a(work), b(work), c(work);

	start.store(1);
	start.notify_all();
	a.join();
	b.join();
	c.join();
	return counter != 15;
}
