/*
 * nap_gives_up: a thread looks four times whether another one has published, with a nap between the looks, and gives
 * up then. Nothing is racy: the value has a mutex.
 *
 * Answer: the program fails (abort) if all naps are over before the publisher has run.
 * Twin: the thread waits until the value is set.
 */
#include <chrono>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>

struct shared {
	std::mutex m;
	int value = 0;
};

static bool published(shared &s)
{
	std::lock_guard<std::mutex> guard(s.m);
	return s.value != 0;
}

int main()
{
	auto s = std::make_unique<shared>();
	std::thread publisher([&s] {
		std::lock_guard<std::mutex> guard(s->m);
		s->value = 1;
	});
	int looks = 0;

	while (!published(*s)) {
		if (++looks == 4)
			abort();
		std::this_thread::sleep_for(std::chrono::microseconds(1));
	}
	publisher.join();
	return 0;
}
