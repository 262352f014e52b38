/*
 * starts c|c11|cxx: two threads lock one mutex, as soon as they start. They are made by pthread_create(), thrd_create()
 * or std::thread. The operations are the same in all three.
 */
#include <cstring>
#include <mutex>
#include <pthread.h>
#include <thread>
#include <threads.h>

static std::mutex lock;
static int sum;

static void body(int n)
{
	for (int i = 0; i < 2; i++) {
		std::lock_guard<std::mutex> guard(lock);
		sum += n;
	}
}

static void *routine(void *arg)
{
	body(arg ? 1 : 2);
	return nullptr;
}

static int routine_c11(void *arg)
{
	return routine(arg) != nullptr;
}

int main(int argc, char **argv)
{
	if (argc > 1 && std::strcmp(argv[1], "cxx") == 0) {
		std::thread first(body, 1), second(body, 2);

		first.join();
		second.join();
	} else if (argc > 1 && std::strcmp(argv[1], "c11") == 0) {
		thrd_t threads[2];

		for (auto &thread : threads)
			if (thrd_create(&thread, routine_c11, &thread) != thrd_success)
				return 2;
		for (auto thread : threads)
			thrd_join(thread, nullptr);
	} else {
		pthread_t threads[2];

		for (auto &thread : threads)
			if (pthread_create(&thread, nullptr, routine, &thread))
				return 2;
		for (auto thread : threads)
			pthread_join(thread, nullptr);
	}
	return 0;
}
