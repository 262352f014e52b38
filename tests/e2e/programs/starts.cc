/*
 * starts c|cxx: two threads that lock one mutex from their first function on, made by pthread_create() or as
 * std::thread: the same operations.
 */
#include <cstring>
#include <mutex>
#include <pthread.h>
#include <thread>

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

int main(int argc, char **argv)
{
	if (argc > 1 && std::strcmp(argv[1], "cxx") == 0) {
		std::thread first(body, 1), second(body, 2);

		first.join();
		second.join();
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
