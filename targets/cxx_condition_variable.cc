/*
 * cxx_condition_variable: three items go through a std::queue with std::mutex and std::condition_variable. At the end,
 * the consumer calls notify_all of a std::condition_variable_any, for which the producer waits.
 *
 * Answer: silent.
 */
#include "target.h"
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <queue>
#include <thread>

std::queue<int> items;
std::mutex lock;
std::condition_variable not_empty;
std::condition_variable_any ended;
bool end;

static void produce()
{
	for (int i = 1; i <= 3; i++) {
		std::lock_guard<std::mutex> hold(lock);
		items.push(i);
		not_empty.notify_one();
	}
	std::unique_lock<std::mutex> hold(lock);
	ended.wait(hold, [] { return end; });
}

static void consume(int *sum)
{
	for (int i = 0; i < 3; i++) {
		std::unique_lock<std::mutex> hold(lock);
		not_empty.wait(hold, [] { return !items.empty(); });
		*sum += items.front();
		items.pop();
	}
	std::lock_guard<std::mutex> hold(lock);
	end = true;
	ended.notify_all();
}

int main()
{
	int sum = 0;
	std::thread consumer(consume, &sum), producer(produce);

	producer.join();
	consumer.join();
	std::cout << sum << '\n';
	return 0;
}
