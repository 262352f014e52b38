/* A condition variable in a block that the waiter frees after it has returned; the signal came with the mutex. */
#include <pthread.h>
#include <stdlib.h>

struct request {
	pthread_mutex_t lock;
	pthread_cond_t done;
	int is_done;
};

static void *serves(void *arg)
{
	struct request *request = arg;

	pthread_mutex_lock(&request->lock);
	request->is_done = 1;
	pthread_cond_signal(&request->done);
	pthread_mutex_unlock(&request->lock);
	return NULL;
}

int main(void)
{
	for (int i = 0; i < 2; i++) {
		struct request *request = calloc(1, sizeof(*request));
		pthread_t thread;

		pthread_mutex_init(&request->lock, NULL);
		pthread_cond_init(&request->done, NULL);
		pthread_create(&thread, NULL, serves, request);
		pthread_mutex_lock(&request->lock);
		while (!request->is_done)
			pthread_cond_wait(&request->done, &request->lock);
		pthread_mutex_unlock(&request->lock);
		pthread_join(thread, NULL);
		pthread_cond_destroy(&request->done);
		pthread_mutex_destroy(&request->lock);
		free(request);
	}
	return 0;
}
