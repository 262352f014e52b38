/*
 * names [STATUS]: looks itself up in /proc by the ids that it sees, and by /proc/self. Prints what it finds. Exit
 * status STATUS (0 by default), or 2 if a name does not lead to this process.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int wrong;

static void expect(int condition, const char *what)
{
	printf("%s: %s\n", what, condition ? "yes" : strerror(errno));
	wrong |= !condition;
}

static const char *name_of(const char *format, int id, int other)
{
	static char name[128];

	snprintf(name, sizeof(name), format, id, other);
	return name;
}

/* The first bytes of a file, or "" if it cannot be read. */
static const char *text_of(int fd)
{
	static char text[2][64];
	static int turn;
	char *to = text[turn++ % 2];
	ssize_t n = fd < 0 ? 0 : read(fd, to, sizeof(text[0]) - 1);

	to[n > 0 ? n : 0] = '\0';
	if (fd >= 0)
		close(fd);
	return to;
}

static void list(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	printf("%s:", folder);
	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			printf(" %s (%d)", entry->d_name, entry->d_ino != 0);
	printf("\n");
	if (dir)
		closedir(dir);
}

static void *look(void *arg)
{
	int pid = getpid(), tid = gettid(), proc = open("/proc", O_RDONLY | O_DIRECTORY), task;
	char link[256], other[256], at[64];
	struct stat one, two;
	ssize_t n, m;

	(void)arg;
	expect(strcmp(text_of(open(name_of("/proc/%d/comm", pid, 0), O_RDONLY)), "names\n") == 0, "open");
	expect(strcmp(text_of(open(name_of("/proc/%d/task/%d/comm", pid, tid), O_RDONLY)), "names\n") == 0,
	       "of a task");
	expect(strcmp(text_of(open(name_of("/proc/self/task/%d/comm", tid, 0), O_RDONLY)), "names\n") == 0,
	       "of my task");
	expect(strcmp(text_of(openat(proc, name_of("%d/comm", pid, 0), O_RDONLY)), "names\n") == 0, "openat");
	task = openat(proc, name_of("%d/task", pid, 0), O_RDONLY | O_DIRECTORY);
	expect(strcmp(text_of(openat(task, name_of("%d/comm", tid, 0), O_RDONLY)), "names\n") == 0, "openat of a task");
	close(task);
	expect(access(name_of("/proc//%d//maps", pid, 0), R_OK) == 0, "another way to write it");
	expect(stat(name_of("/proc/%d/exe", pid, 0), &one) == 0 && stat("/proc/self/exe", &two) == 0 &&
		       one.st_ino == two.st_ino,
	       "stat");
	expect(fstatat(proc, name_of("%d/exe", pid, 0), &one, 0) == 0 && one.st_ino == two.st_ino, "fstatat");
	expect(lstat(name_of("/proc/%d/exe", pid, 0), &one) == 0 && S_ISLNK(one.st_mode), "lstat");
	expect(access(name_of("/proc/%d/maps", pid, 0), R_OK) == 0, "access");
	n = readlink("/proc/self/exe", link, sizeof(link));
	m = readlink(name_of("/proc/%d/exe", pid, 0), other, sizeof(other));
	expect(n > 0 && n == m && memcmp(link, other, (size_t)n) == 0, "readlink");
	m = readlinkat(proc, name_of("%d/exe", pid, 0), other, sizeof(other));
	expect(n == m && memcmp(link, other, (size_t)n) == 0, "readlinkat");
	n = readlink("/proc/self", link, sizeof(link) - 1);
	link[n > 0 ? n : 0] = '\0';
	expect(strcmp(link, name_of("%d", pid, 0)) == 0, "self");
	n = readlink("/proc/self", link, 3);
	expect(n == 3 && memcmp(link, name_of("%d", pid, 0), 3) == 0, "a part of it");
	n = readlink("/proc/thread-self", link, sizeof(link) - 1);
	link[n > 0 ? n : 0] = '\0';
	expect(strcmp(link, name_of("%d/task/%d", pid, tid)) == 0, "thread-self");
	snprintf(at, sizeof(at), "/proc/%d", pid);
	expect(chdir(at) == 0 && strcmp(text_of(open("comm", O_RDONLY)), "names\n") == 0, "chdir");
	expect(strcmp(text_of(open(name_of("task/%d/comm", tid, 0), O_RDONLY)), "names\n") == 0, "below it");
	/* the string that the program passed was not changed */
	expect(atoi(at + 6) == pid, "unchanged");
	expect(access("/proc/5000999/maps", R_OK) != 0 && errno == ENOENT, "nobody");
	expect(getppid() > 0 && access(name_of("/proc/%d", getppid(), 0), F_OK) == 0, "parent");
	list("/proc/self/task");
	list(name_of("/proc/%d/task", pid, 0));
	close(proc);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, look, NULL) != 0)
		return 1;
	pthread_join(thread, NULL);
	return wrong ? 2 : argc > 1 ? atoi(argv[1]) : 0;
}
