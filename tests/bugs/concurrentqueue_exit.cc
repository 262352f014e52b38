/*
 * concurrentqueue_exit.cc - a thread puts an item into a queue, and the owner deletes the queue before that thread ends.
 * With thread-local storage, the queue leaves an entry in the thread's list of what it must call at its end. The queue's
 * destructor looks for the entry in the list of the thread that deletes it, so the thread reads memory that was freed.
 *
 * package: libconcurrentqueue-dev
 * link: -DMOODYCAMEL_CPP11_THREAD_LOCAL_SUPPORTED -latomic
 * expect: HARMFUL race on .*
 */
#include <concurrentqueue/concurrentqueue.h>
#include <memory>
#include <semaphore.h>
#include <thread>

int main()
{
	auto queue = std::make_unique<moodycamel::ConcurrentQueue<int>>();
	sem_t filled;
	int item = 0;

	sem_init(&filled, 0, 0);
	std::thread producer([&] {
		queue->enqueue(1);
		sem_post(&filled);
	});
	sem_wait(&filled);
	queue->try_dequeue(item);
	queue.reset();
	producer.join();
	return item == 1 ? 0 : 1;
}
