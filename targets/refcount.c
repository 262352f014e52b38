/*
 * refcount: two threads drop their reference to one object with a plain decrement.
 *
 * Answer: the pair decrement:decrement is real, and if the compiler reads again, decrement:test. Harmful: if both
 * decrements read 2, the object is never destroyed; if both tests see 0, it is destroyed twice. main aborts in both
 * cases.
 * Plain runs: almost never fail, because the first thread drops its reference before the second begins. Twin: tests the
 * result of an atomic decrement. The pair payload:clear may be predicted, but cannot be created.
 */
#include "target.h"

struct object {
	int references;
	int payload;
};

__attribute__((noinline)) static void destroy(struct object *object)
{
	object->payload = 0; /* RACE: clear */
}

/* Whether this call destroyed the object. */
__attribute__((noinline)) static int drop(struct object *object)
{
#ifdef FIXED
	if (__atomic_sub_fetch(&object->references, 1, __ATOMIC_ACQ_REL) != 0) /* RACE: decrement */
		return 0;
#else
	object->references--;	     /* RACE: decrement */
	if (object->references != 0) /* RACE: test */
		return 0;
#endif
	destroy(object);
	return 1;
}

static void *user(void *arg)
{
	struct object *object = arg;

	if (object->payload != 7) /* RACE: payload */
		fail("used after it was destroyed");
	return (void *)(long)drop(object);
}

int main(void)
{
	struct object *object = malloc(sizeof(*object));
	pthread_t first, second;
	long destroyed;

	object->references = 2;
	object->payload = 7;
	first = start(user, object);
	second = start_late(user, object, 2);
	destroyed = (long)join(first);
	destroyed += (long)join(second);
	free(object);
	if (destroyed != 1)
		fail("not destroyed exactly once");
	puts("destroyed once");
	return 0;
}
