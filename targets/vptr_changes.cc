/*
 * vptr_changes: an object is destroyed through a pointer to its base class, while another thread calls a virtual
 * function of it. Its memory is kept, so nothing else is wrong.
 *
 * Answer: a data race on the pointer to the virtual functions, which changes to that of the base class.
 * Plain runs: never fail.
 * Twin: the object is of the base class, so that its destructor stores the pointer that is there already. The same
 * thing with the destructor of the derived class: its first store changes nothing.
 */
#include "target.h"
#include <new>

#define KEPT __attribute__((noipa))
#ifdef __clang__
#undef KEPT
#define KEPT __attribute__((noinline, optnone))
#endif

struct shape;
static int ask(shape *s);
static int asked;

struct shape {
	virtual int corners()
	{
		return 1;
	}
	virtual ~shape()
	{ /* RACE: destroy */
		asked += ask(this);
	}
};

struct square : shape {
	int corners() override
	{
		return 4;
	}
	~square() override
	{
		asked += ask(this);
	}
};

KEPT static int ask(shape *s)
{
	return s->corners(); /* RACE: call */
}

static void *caller(void *arg)
{
	return ask(static_cast<shape *>(arg)) ? arg : nullptr;
}

int main()
{
	void *room = malloc(sizeof(square));
#ifdef FIXED
	shape *s = new (room) shape;
#else
	shape *s = new (room) square;
#endif
	pthread_t thread = start(caller, s);

	s->~shape();
	join(thread);
	free(room);
	printf("done, %d\n", asked);
	return 0;
}
