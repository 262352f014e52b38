/*
 * cxx_call_once: two threads call std::call_once. The first call of the function throws, so one of the threads calls it
 * a second time. That call sets the value that both threads then read.
 *
 * Answer: silent.
 */
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <thread>

static std::once_flag once;
static int calls, made;

static void make()
{
	if (++calls == 1)
		throw std::runtime_error("not yet");
	made = 7;
}

static void use(int *seen)
{
	for (bool done = false; !done;) {
		try {
			std::call_once(once, make);
			done = true;
		} catch (const std::runtime_error &) {
		}
	}
	*seen = made;
}

int main()
{
	int seen[2] = {};
	std::thread first(use, &seen[0]), second(use, &seen[1]);

	first.join();
	second.join();
	std::printf("%d calls, %d %d\n", calls, seen[0], seen[1]);
	return calls != 2 || seen[0] != 7 || seen[1] != 7;
}
