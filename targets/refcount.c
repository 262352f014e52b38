/*
 * refcount: two threads drop their reference to one object with a plain decrement.
 *
 * Answer: the decrement with itself, and (where the compiler reads again) with the test, are real. Harmful: two
 * decrements that both read 2 leave the object alive for ever, and two that both see 0 destroy it twice; main aborts
 * for either. Plain runs: the first thread has dropped its reference before the second begins; almost never. Twin: an
 * atomic decrement whose own result is tested. The object's other field, read before the decrement, and the destruction
 * may be predicted, but cannot be created.
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

/* Returns whether this call destroyed the object. */
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
