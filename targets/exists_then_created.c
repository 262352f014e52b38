/*
 * exists_then_created: two threads add a note to a journal. If there is no journal, a thread creates an empty one. Both
 * may see that there is none, and the one that creates it last removes the note of the other.
 *
 * Answer: race of two system calls on a name, harmful: access(2) and openat(2). Atomicity violation of these two calls
 * of one thread, harmful.
 * Plain and random runs: seldom fail, because one thread comes late.
 * Twin: the journal is created if it does not exist, in one call.
 */
#include "in_folder.h"

#define NAME "journal"

static int journal(void)
{
#ifdef FIXED
	return open(NAME, O_CREAT | O_WRONLY | O_APPEND, 0600);
#else
	if (access(NAME, F_OK) != 0)						  /* RACE: check */
		return open(NAME, O_CREAT | O_TRUNC | O_WRONLY | O_APPEND, 0600); /* RACE: create */
	return open(NAME, O_WRONLY | O_APPEND);
#endif
}

static void *note(void *arg)
{
	ssize_t n;
	int fd;

	apart(arg ? 3 : 0);
	fd = journal();
	n = write(fd, "note\n", 5);
	close(fd);
	if (n != 5)
		fail("a note is not written");
	return arg;
}

int main(void)
{
	pthread_t threads[2];
	struct stat st;

	enter_folder();
	for (int i = 0; i < 2; i++)
		threads[i] = start(note, i ? threads : NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	stat(NAME, &st);
	leave_folder(NAME);
	if (st.st_size != 10)
		fail("a note is lost");
	return 0;
}
