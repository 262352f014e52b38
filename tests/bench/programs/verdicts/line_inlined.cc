/*
 * line_inlined.cc - a pair of lines whose accesses are in functions that are inlined into them: a method, a template, and
 * a function inside another one.
 */
#include <cstdlib>
#include <pthread.h>

#define INLINED [[gnu::always_inline]] inline

namespace
{
class Level {
	volatile long now = 1, top = 9;

	INLINED long get() const { return now; }

    public:
	INLINED void set(long to) { now = to; }
	INLINED long left() const { return top - get(); }
};

template <class T> INLINED void put(volatile T &to, T value)
{
	to = value;
}

Level level;
volatile int unrelated;

void *sets(void *)
{
	put(unrelated, 1);
	level.set(7); /* pair */
	return nullptr;
}

void *reads(void *)
{
	if (level.left() < 0) /* pair */
		std::abort();
	return nullptr;
}
}

int main()
{
	pthread_t threads[2];

	pthread_create(&threads[0], nullptr, sets, nullptr);
	pthread_create(&threads[1], nullptr, reads, nullptr);
	for (pthread_t thread : threads)
		pthread_join(thread, nullptr);
	return 0;
}
