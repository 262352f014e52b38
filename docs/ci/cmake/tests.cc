/* tests.cc - GoogleTest tests, one of which fails in rare schedules only. */
#include <gtest/gtest.h>
#include <mutex>
#include <thread>

struct Counter {
	int get()
	{
		std::lock_guard<std::mutex> guard(lock);
		return value;
	}
	void set(int to)
	{
		std::lock_guard<std::mutex> guard(lock);
		value = to;
	}
	std::mutex lock;
	int value = 0;
};

TEST(Counter, TwoIncrements)
{
	Counter counter;
	std::thread other([&] { counter.set(counter.get() + 1); });

	counter.set(counter.get() + 1);
	other.join();
	EXPECT_EQ(counter.get(), 2);
}

TEST(Counter, StartsAtZero)
{
	EXPECT_EQ(Counter().get(), 0);
}
