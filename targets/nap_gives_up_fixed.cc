/* nap_gives_up_fixed: nap_gives_up, but the thread waits until the value is set. */
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
	while (!published(*s))
		std::this_thread::sleep_for(std::chrono::microseconds(1));
	publisher.join();
	return 0;
}
