/*
 * append_after_seek: two threads append a record to a log. Each has a descriptor of its own. They seek to the end and
 * write there, so that two records may get the same place.
 *
 * Answer: race of two system calls on the end of a file, harmful: lseek(2) and write(2).
 * Plain and random runs: seldom fail, because one thread comes late.
 * Twin: O_APPEND.
 */
#include "in_folder.h"

#define NAME "log"
#ifdef FIXED
#define APPEND O_APPEND
#else
#define APPEND 0
#endif

static int appended(const char *record)
{
	int fd = open(NAME, O_WRONLY | APPEND), done;

	lseek(fd, 0, SEEK_END);		  /* RACE: seek */
	done = write(fd, record, 5) == 5; /* RACE: write */
	close(fd);
	return done;
}

static void *append(void *arg)
{
	apart(arg ? 3 : 0);
	if (!appended("four\n"))
		fail("a record is not written");
	return arg;
}

int main(void)
{
	pthread_t threads[2];
	struct stat st;

	enter_folder();
	close(open(NAME, O_CREAT | O_WRONLY, 0600));
	for (int i = 0; i < 2; i++)
		threads[i] = start(append, i ? threads : NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	stat(NAME, &st);
	leave_folder(NAME);
	if (st.st_size != 10)
		fail("a record is lost");
	return 0;
}
