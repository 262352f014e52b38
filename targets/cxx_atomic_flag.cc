/*
 * cxx_atomic_flag: data handed over by a std::atomic flag, and a counter with one writer. All atomics are plain `mov`
 * instructions, and no instruction has a lock prefix.
 *
 * Answer: predicted-only. With debug information, the frames of std::atomic show what the accesses are, and the data is
 * ordered by them. Without it, nothing tells; the pairs are unclear at worst.
 * Plain runs: the writer ends before the reader begins.
 */
#include "target.h"
#include <atomic>
#include <thread>

int data_;
std::atomic<int> flag;
std::atomic<long> *progress;

static void write_data()
{
	for (int i = 0; i < 3; i++)
		progress->store(progress->load(std::memory_order_relaxed) + 1,
				std::memory_order_release); /* RACE: count */
	data_ = 42;					    /* RACE: write */
	flag.store(1, std::memory_order_release);	    /* RACE: flag-store */
}

static void read_data()
{
	if (progress->load(std::memory_order_acquire) > 3) /* RACE: look */
		fail("too many");
	if (flag.load(std::memory_order_acquire)) { /* RACE: flag-load */
		if (data_ != 42)		    /* RACE: read */
			fail("read too early");
	}
}

int main()
{
	progress = new std::atomic<long>(0);
	std::thread first(write_data);
	std::thread second([] {
		apart(2);
		read_data();
	});

	first.join();
	second.join();
	delete progress;
	return 0;
}
