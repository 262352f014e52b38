// Builtins and std::atomic on globals, on the heap and through macros with a pointer: no plain access.
#include <atomic>
#include <cstdlib>
#include <memory>
#include <thread>

#define LOAD(p) __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define STORE(type, p, v) __atomic_store_n((type *)(p), (v), __ATOMIC_RELEASE)

struct Node {
	int ready;
	int value;
	std::atomic<int> users;
};

static Node global;

static void run(Node *node)
{
	std::thread writer([node] {
		__atomic_store_n(&node->value, 7, __ATOMIC_RELAXED);
		STORE(int, &node->ready, 1);
		node->users.fetch_add(1);
	});

	if (LOAD(&node->ready) && __atomic_load_n(&node->value, __ATOMIC_RELAXED) != 7)
		std::abort();
	node->users++;
	writer.join();
	if (node->users != 2)
		std::abort();
}

int main()
{
	auto heap = std::make_unique<Node>();

	run(&global);
	run(heap.get());
}
