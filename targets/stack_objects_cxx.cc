/*
 * The same as stack_objects.c, in C++: temporaries, exceptions, classes whose destructors do not destroy, lambdas, and
 * the classes of the standard library, which call no initialiser.
 */
#include <condition_variable>
#include <future>
#include <mutex>
#include <pthread.h>
#include <semaphore.h>
#include <shared_mutex>
#include <stdexcept>
#include <thread>

struct Semaphore {
	sem_t semaphore;

	explicit Semaphore(unsigned n)
	{
		sem_init(&semaphore, 0, n);
	}
	void down()
	{
		sem_wait(&semaphore);
	}
	void up()
	{
		sem_post(&semaphore);
	}
};

struct Mutex {
	pthread_mutex_t mutex;

	Mutex()
	{
		pthread_mutex_init(&mutex, nullptr);
	}
	~Mutex()
	{
		pthread_mutex_destroy(&mutex);
	}
};

static int value(const Semaphore &semaphore)
{
	int n = 0;

	sem_getvalue(const_cast<sem_t *>(&semaphore.semaphore), &n);
	return n;
}

static __attribute__((noinline)) void throws(unsigned n)
{
	Semaphore semaphore(n);
	Mutex mutex;

	semaphore.up();
	if (n)
		throw std::runtime_error("n");
}

static void standard_classes()
{
	std::mutex mutex;
	std::condition_variable changed;
	std::shared_mutex shared;
	bool ready = false;
	std::thread thread([&] {
		std::lock_guard<std::mutex> guard(mutex);
		ready = true;
		changed.notify_all();
	});
	{
		std::unique_lock<std::mutex> lock(mutex);
		changed.wait(lock, [&] { return ready; });
	}
	{
		std::shared_lock<std::shared_mutex> lock(shared);
	}
	thread.join();
}

int main()
{
	auto lambda = [](unsigned n) {
		Semaphore semaphore(n);
		semaphore.up();
		semaphore.down();
	};
	int sum = 0;

	for (unsigned i = 0; i < 4; i++) {
		Semaphore semaphore(1);
		Mutex mutex;
		semaphore.down();
		sum += value(Semaphore(2));
		sum += value(Semaphore(3));
	}
	for (unsigned i = 0; i < 4; i++)
		try {
			throws(i % 2);
		} catch (const std::runtime_error &) {
		}
	for (int i = 0; i < 4; i++)
		try {
			Semaphore semaphore(2);
			if (i)
				throw 1;
		} catch (int) {
			Semaphore another(1);
			another.down();
		}
	for (int i = 0; i < 3; i++)
		standard_classes();
	sum += std::async(std::launch::async, [] { return value(Semaphore(1)); }).get();
	lambda(1);
	lambda(2);
	return sum != 21;
}
