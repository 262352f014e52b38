/*
 * atomicity_lazy: the first user makes the device in one section and gives it its handler in another. A user that comes
 * between finds the device without a handler.
 *
 * Answer: failure, no race: an atomicity violation W-r-W on the handler.
 * Plain and random runs: never fail, because the device is complete long before the second user comes.
 * Twin: one section.
 */
#include "late.h"
#include "target.h"

struct device {
	int id;
	int (*handler)(int);
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct device *device;

static int handle(int x)
{
	return x + 1;
}

static void *open_device(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	device = malloc(sizeof(*device));
	device->id = 3;
	device->handler = NULL;
#ifndef FIXED
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	device->handler = handle;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *use_device(void *arg)
{
	(void)arg;
	come_late();
	pthread_mutex_lock(&lock);
	if (device)
		device->id = device->handler(device->id);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, open_device, NULL);
	pthread_create(&threads[1], NULL, use_device, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
