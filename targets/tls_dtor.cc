/*
 * tls_dtor: destructors of thread_local objects and of pthread keys, and atexit handlers, which run when threads and
 * the program end. All of them count under one mutex.
 *
 * Answer: silent. Two threads and main print "thread_local 3, key 2, atexit 1". The key's destructor does not run for
 * main, because main returns.
 */
#include "target.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_key_t key;
int objects, keys, handlers;

static void count(int *which)
{
	pthread_mutex_lock(&lock);
	(*which)++; /* RACE: count */
	pthread_mutex_unlock(&lock);
}

struct Object {
	int used = 0;
	~Object();
};

__attribute__((noinline)) Object::~Object()
{
	count(&objects);
}

static thread_local Object object;

static void key_destructor(void *)
{
	count(&keys);
}

static void at_exit()
{
	count(&handlers);
	printf("thread_local %d, key %d, atexit %d\n", objects, keys, handlers);
	if (objects != 3 || keys != 2 || handlers != 1)
		fail("a destructor did not run exactly once");
}

static void *body(void *)
{
	object.used = 1;
	pthread_setspecific(key, &key);
	return nullptr;
}

int main()
{
	pthread_t first, second;

	atexit(at_exit);
	pthread_key_create(&key, key_destructor);
	first = start(body, nullptr);
	second = start(body, nullptr);
	join(first);
	join(second);
	body(nullptr);
	return 0;
}
