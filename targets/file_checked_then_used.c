/*
 * file_checked_then_used: a server looks whether there is a file with its settings, and then opens it. Another thread
 * removes the file. It was there a moment ago, so the server does not expect that the open fails.
 *
 * Answer: race of two system calls on a name, harmful: open(2) of a file that unlink(2) has removed.
 * Plain and random runs: seldom fail, because the file is removed late.
 * Twin: the server opens the file at once, and goes on without it if there is none.
 */
#include "in_folder.h"

#define NAME "settings"

static void *clean_up(void *arg)
{
	apart(3);
	unlink(NAME); /* RACE: remove */
	return arg;
}

int main(void)
{
	pthread_t thread;
	struct stat st;
	int fd;

	enter_folder();
	close(open(NAME, O_CREAT | O_WRONLY, 0600));
	thread = start(clean_up, NULL);
#ifndef FIXED
	if (stat(NAME, &st) == 0) { /* RACE: check */
#endif
		fd = open(NAME, O_RDONLY); /* RACE: use */
#ifdef FIXED
		if (fd >= 0 && fstat(fd, &st) == 0) {
#endif
			if (fd < 0) {
				leave_folder(NAME);
				fail("the settings cannot be read");
			}
			close(fd);
		}
		pthread_join(thread, NULL);
		leave_folder(NAME);
		return 0;
	}
