/*
 * alone.cc - fills a map while it has one thread. Some of the short instructions that walk the tree have no stub. With the
 * argument "two", two threads then race on it.
 */
#include <cstdio>
#include <map>
#include <thread>

static std::map<int, int> numbers;

static void change()
{
	numbers[7]++;
}

int main(int argc, char **)
{
	for (int i = 0; i < 2000; i++)
		numbers[i * 7919 % 2000] = i;
	if (argc > 1) {
		std::thread first(change), second(change);

		first.join();
		second.join();
	}
	printf("%zu\n", numbers.size());
}
