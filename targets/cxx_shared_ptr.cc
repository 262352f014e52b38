/*
 * cxx_shared_ptr: one thread copies a std::shared_ptr while another assigns to the same object. The counts of a
 * shared_ptr are atomic, the object itself is not.
 *
 * Answer: the copy with the assignment is real (the statements stand in the library's header, inlined or called from
 * the marked lines) and harmful: between reading the pointer and adding to the count, the assignment destroys what is
 * pointed to; the reader sees a destroyed object and aborts. What the reader does with the object after that, its use
 * and the drop of its reference, may be found as well. So may what both do to the block once its count is wrong: it is
 * destroyed and freed twice.
 * Plain runs: the reader has ended before the writer begins; almost never.
 * Twin: both under one std::mutex.
 */
#include "target.h"
#include <iostream>
#include <memory>
#include <mutex>
#include <thread>

static constexpr unsigned long alive = 0xa11fe;

struct Settings {
	/* volatile: the store in the destructor, to memory about to be freed, is to stay */
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
