/*
 * double_cache: a cache of one entry. A look-up compares the key in one section, and reads the value in another one.
 *
 * Answer: failure, no race. If another entry comes between the two sections, the value is not that of the key.
 * Plain runs: almost never fail, because the look-up has ended before the entry changes.
 * Twin: the look-up is one section.
 */
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>

#include "target.h"

class Cache {
public:
	bool has(int key)
	{
		std::lock_guard<std::mutex> guard(mutex);
		return this->key == key;
	}

	int get()
	{
		std::lock_guard<std::mutex> guard(mutex);
		return value;
	}

	int find(int key)
	{
		std::lock_guard<std::mutex> guard(mutex);
		return this->key == key ? value : -1;
	}

	void put(int key, int value)
	{
		std::lock_guard<std::mutex> guard(mutex);
		this->key = key;
		this->value = value;
	}

private:
	std::mutex mutex;
	int key = 1;
	int value = 100;
};

static std::unique_ptr<Cache> cache;

static void *look_up(void *)
{
#ifdef FIXED
	int value = cache->find(1);
#else
	int value = cache->has(1) ? cache->get() : -1;
#endif
	if (value != 100 && value != -1)
		fail("the value of another key");
	return nullptr;
}

static void *replace(void *)
{
	cache->put(2, 200);
	return nullptr;
}

int main()
{
	cache = std::make_unique<Cache>();
	pthread_t first = start(look_up, nullptr), second = start_late(replace, nullptr, 2);
	join(first);
	join(second);
	return 0;
}
