/*
 * cxx_shared_ptr: one thread copies a std::shared_ptr while another assigns to the same shared_ptr. The reference
 * counts of a shared_ptr are atomic, but the shared_ptr itself is not.
 *
 * Answer: the pair of the copy and the assignment is real. Its statements are in the library's header, inlined or
 * called from the marked lines. It is harmful: between the reader's load of the pointer and its increment of the count,
 * the assignment can destroy the object. The reader then sees a destroyed object and aborts. The reader's later
 * statements, its use of the object and the drop of its reference, may also be found. So may what both threads do to the
 * block once its count is wrong: it is destroyed and freed twice.
 * Plain runs: almost never fail, because the reader has ended before the writer begins.
 * Twin: both threads hold one std::mutex.
 */
#include "target.h"
#include <iostream>
#include <memory>
#include <mutex>
#include <thread>

static constexpr unsigned long alive = 0xa11fe;

struct Settings {
	/* volatile: otherwise the compiler drops the destructor's store to memory that is about to be freed */
	volatile unsigned long state = alive;
	~Settings()
	{
		state = 0;
	}
};

std::shared_ptr<Settings> current = std::make_shared<Settings>();
std::mutex current_lock;

__attribute__((noinline)) static void read_settings()
{
#ifdef FIXED
	current_lock.lock();
#endif
	std::shared_ptr<Settings> mine = current; /* RACE: copy */
#ifdef FIXED
	current_lock.unlock();
#endif
	if (mine->state != alive) /* RACE: use */
		fail("the object is destroyed");
} /* RACE: drop */

__attribute__((noinline)) static void replace_settings()
{
	std::shared_ptr<Settings> fresh = std::make_shared<Settings>(); /* RACE: fresh */

#ifdef FIXED
	std::lock_guard<std::mutex> guard(current_lock);
#endif
	current = fresh; /* RACE: assign */
}

int main()
{
	std::thread first(read_settings);
	std::thread second([] {
		apart(2);
		replace_settings();
	});

	first.join();
	second.join();
	std::cout << "alive\n";
	return 0;
}
