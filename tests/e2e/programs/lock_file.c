/*
 * lock_file fork|exec|code FILE: creates FILE, which must not exist, and removes it at its end. In between it starts a
 * child, executes itself, or maps memory for code. Exit status: 0, or 1 if the file exists at the start.
 */
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void *works(void *arg)
{
	return arg;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "", *file = argc > 2 ? argv[2] : "";
	int fd, status = 0;
	pthread_t thread;
	pid_t child;

	pthread_create(&thread, NULL, works, NULL);
	pthread_join(thread, NULL);
	if (strcmp(how, "again") == 0)
		return unlink(file) != 0;
	fd = open(file, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (fd < 0)
		return 1;
	close(fd);
	if (strcmp(how, "fork") == 0) {
		child = fork();
		if (child == 0)
			_exit(0);
		if (waitpid(child, &status, 0) != child)
			return 2;
	}
	if (strcmp(how, "exec") == 0) {
		execl(argv[0], argv[0], "again", file, NULL);
		return 2;
	}
	if (strcmp(how, "code") == 0 &&
	    mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
		return 2;
	return status || unlink(file) != 0;
}
