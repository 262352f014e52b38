/*
 * shared_mutex: two writers and two readers with std::shared_mutex. Each writer also calls try_lock_for of a
 * std::shared_timed_mutex.
 *
 * Answer: silent.
 */
#include "target.h"
#include <chrono>
#include <iostream>
#include <mutex>
#include <shared_mutex>
#include <thread>

int left_ = 5, right_ = 5, attempts;
std::shared_mutex lock;
std::shared_timed_mutex timed;

static void write_both()
{
	{
		std::unique_lock<std::shared_mutex> hold(lock);
		left_--;  /* RACE: left */
		right_++; /* RACE: right */
	}
	if (timed.try_lock_for(std::chrono::seconds(100))) {
		attempts++; /* RACE: attempts */
		timed.unlock();
	}
}

static void read_both()
{
	std::shared_lock<std::shared_mutex> hold(lock);

	if (left_ + right_ != 10) /* RACE: sum */
		fail("saw half a change");
}

int main()
{
	std::thread threads[] = {std::thread(read_both), std::thread(write_both), std::thread(read_both),
				 std::thread(write_both)};

	for (std::thread &thread : threads)
		thread.join();
	std::cout << left_ << ' ' << right_ << '\n';
	return 0;
}
