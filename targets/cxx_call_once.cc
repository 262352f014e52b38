/*
 * cxx_call_once: two threads meet in std::call_once; the first call of its function throws, so that the other thread,
 * or the same again, makes the second, which sets what both read then.
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
