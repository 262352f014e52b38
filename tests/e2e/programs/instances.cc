/* Lines of templates that are inlined at several places, for an object on the heap and a static one. */
#include <memory>
#include <pthread.h>

template <class T> struct cell {
	T value{};

	cell &operator+=(T by)
	{
		value = value + by;
		return *this;
	}
};

template <class T> static inline T total(const cell<T> *cells)
{
	return cells[0].value + cells[1].value + cells[2].value;
}

static cell<int> ints[3];
static std::shared_ptr<cell<long>[]> longs(new cell<long>[3]);
static long sum;

static void *reader(void *)
{
	sum = total(ints) + total(longs.get());
	return nullptr;
}

static void *writer(void *)
{
	longs[2] += 1;
	ints[2] += 1;
	return nullptr;
}

int main()
{
	pthread_t t, u;

	pthread_create(&t, nullptr, reader, nullptr);
	pthread_create(&u, nullptr, writer, nullptr);
	pthread_join(t, nullptr);
	pthread_join(u, nullptr);
	return 0;
}
