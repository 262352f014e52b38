/*
 * cxx_atomic: a std::atomic counter, and data handed over by a std::atomic flag with release and acquire.
 *
 * Answer: predicted only. Write and read of the data are predicted and cannot be created. The flag's store and load are
 * plain moves of the machine: no race with debug information (frames of std::atomic), at most unclear without.
 * Plain runs: the writer has ended before the reader begins, so that both statements are reached.
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
	flag.exchange(0); /* a locked instruction, so that the flag is seen to be atomic without its type */
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
