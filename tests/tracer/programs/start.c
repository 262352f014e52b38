/* Prints how it was started. Each line has a key and a value. */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

static void show_status(const char *key)
{
	char line[256];
	FILE *f = fopen("/proc/self/status", "r");

	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, key, strlen(key)))
			printf("%s", line);
	fclose(f);
}

int main(int argc, char **argv, char **envp)
{
	const unsigned char *random = (const unsigned char *)getauxval(AT_RANDOM);
	struct rlimit stack;
	struct dirent *entry;
	char cwd[4096], line[64] = "";
	cpu_set_t cores;
	DIR *dir;

	for (int i = 0; i < argc; i++)
		printf("argv %s\n", argv[i]);
	for (int i = 0; envp[i]; i++)
		printf("env %s\n", envp[i]);
	printf("cwd %s\n", getcwd(cwd, sizeof(cwd)));
	if (fgets(line, sizeof(line), stdin))
		printf("stdin %s", line);
	dir = opendir("/proc/self/fd");
	while ((entry = readdir(dir)))
		if (isdigit(entry->d_name[0]) && atoi(entry->d_name) != dirfd(dir))
			printf("fd %s\n", entry->d_name);
	closedir(dir);
	printf("leads %d\n", getpgrp() == getpid());
	show_status("SigBlk");
	show_status("SigIgn");
	show_status("NoNewPrivs");
	printf("vdso %lx\n", getauxval(AT_SYSINFO_EHDR));
	printf("random ");
	for (int i = 0; i < 16; i++)
		printf("%02x", random[i]);
	getrlimit(RLIMIT_STACK, &stack);
	printf("\nstack %lu\n", (unsigned long)stack.rlim_cur);
	sched_getaffinity(0, sizeof(cores), &cores);
	printf("cores %d first %d\n", CPU_COUNT(&cores), CPU_ISSET(0, &cores));
	printf("randomize %d\n", !(personality(0xffffffff) & ADDR_NO_RANDOMIZE));
	fprintf(stderr, "error stream\n");
	return 7;
}
