// Two threads throw through frames with watched accesses. Every destructor on the way must run.
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

static std::mutex lock;
static int unwound, caught;

struct Guard {
	~Guard()
	{
		std::lock_guard<std::mutex> guard(lock);
		unwound++;
	}
};

__attribute__((noinline)) static int deep(int *depth)
{
	Guard guard;

	if (--*depth == 0)
		throw std::runtime_error("bottom");
	return deep(depth) + *depth;
}

static void thrower()
{
	int depth = 5;

	try {
		deep(&depth);
	} catch (const std::runtime_error &error) {
		std::lock_guard<std::mutex> guard(lock);
		caught += std::string(error.what()) == "bottom";
	}
}

int main()
{
	std::thread first(thrower), second(thrower);

	first.join();
	second.join();
	return !(unwound == 10 && caught == 2);
}
