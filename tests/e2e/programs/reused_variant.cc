// reused_variant.cc - a condition variable begins where a mutex has ended, which no call shows.
#include <condition_variable>
#include <mutex>
#include <thread>
#include <variant>

struct idle {
	std::mutex mutex;
	int n = 0;
};

struct busy {
	std::condition_variable changed;
	std::mutex mutex;
	bool done = false;
};

static std::variant<idle, busy> state;

int main()
{
	{
		std::lock_guard<std::mutex> guard(std::get<idle>(state).mutex);
		std::get<idle>(state).n++;
	}
	busy &now = state.emplace<busy>();
	std::thread thread([&] {
		std::lock_guard<std::mutex> guard(now.mutex);
		now.done = true;
		now.changed.notify_one();
	});
	{
		std::unique_lock<std::mutex> lock(now.mutex);
		now.changed.wait(lock, [&] { return now.done; });
	}
	thread.join();
}
