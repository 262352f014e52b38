/*
 * cxx_atomic: a std::atomic counter, and data that is handed over by a std::atomic flag with release and acquire.
 *
 * Answer: predicted-only. The pair on the data is predicted and cannot be created. The flag's store and load are plain
 * `mov` instructions. With debug information (frames of std::atomic) they are no race; without it, unclear at worst.
 * Plain runs: the writer ends before the reader begins, so both statements are reached.
 */
#include "target.h"
#include <atomic>
#include <iostream>
#include <thread>

int data_;
std::atomic<int> flag{1};
std::atomic<long> counter;

static void write_data()
{
	counter++;
	data_ = 42;				  /* RACE: write */
	flag.store(1, std::memory_order_release); /* RACE: flag-store */
}

static void read_data()
{
	counter++;
	if (flag.load(std::memory_order_acquire)) { /* RACE: flag-load */
		if (data_ != 42)		    /* RACE: read */
			fail("read too early");
	}
}

int main()
{
	flag.exchange(0); /* the lock prefix shows that the flag is atomic, even without its type */
	std::thread first(write_data);
	std::thread second([] {
		apart(2);
		read_data();
	});

	first.join();
	second.join();
	if (counter != 2)
		fail("lost update");
	std::cout << counter << '\n';
	return 0;
}
