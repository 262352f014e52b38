/*
 * folder_changed: a thread works in another folder for a moment, with chdir(2). But the working folder belongs to the
 * process: another thread opens a file by a relative name meanwhile.
 *
 * Answer: race of two system calls on the working folder, harmful: chdir(2) and open(2).
 * Plain and random runs: seldom fail, because the folder is changed late.
 * Twin: openat(2) with a descriptor of the folder.
 */
#include "in_folder.h"

#define NAME "input"

static int home;

static void *work_elsewhere(void *arg)
{
	apart(3);
	if (chdir("/")) /* RACE: leave */
		fail("no root");
	if (chdir(own_folder)) /* RACE: back */
		fail("no folder");
	return arg;
}

static int open_input(void)
{
#ifdef FIXED
	return openat(home, NAME, O_RDONLY);
#else
	return open(NAME, O_RDONLY); /* RACE: open */
#endif
}

int main(void)
{
	pthread_t thread;
	int fd;

	enter_folder();
	close(open(NAME, O_CREAT | O_WRONLY, 0600));
	home = open(".", O_RDONLY | O_DIRECTORY);
	thread = start(work_elsewhere, NULL);
	fd = open_input();
	if (fd < 0) {
		leave_folder(NAME);
		fail("the input is not there");
	}
	close(fd);
	pthread_join(thread, NULL);
	leave_folder(NAME);
	return 0;
}
