/* tls_user LIBRARY: two threads change their own copies of a thread-local variable in the library and of one here. */
#include <dlfcn.h>
#include <pthread.h>

static void (*touch)(int);
static __thread int in_program = 10;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *body(void *by)
{
	pthread_mutex_lock(&lock);
	in_program += *(int *)by;
	touch(*(int *)by);
	pthread_mutex_unlock(&lock);
	return in_program == 10 + *(int *)by ? NULL : by;
}

int main(int argc, char **argv)
{
	void *library = dlopen(argc > 1 ? argv[1] : "", RTLD_NOW), *bad[2];
	int by[2] = {1, 2};
	pthread_t threads[2];

	if (!library)
		return 2;
	touch = (void (*)(int))dlsym(library, "touch");
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, body, &by[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], &bad[i]);
	return bad[0] || bad[1];
}
