/*
 * counters WAY...: prints the time stamp counter as two threads of the program read it. Each WAY also reads it
 * elsewhere: in a child process (fork); in the program, executed again (exec, spawn); in code made at run time, in
 * memory that is writable (mixed) or was writable before (sealed); in a thread that existed before such code (thread);
 * in a file that the program maps itself (mapped); or in a library, if WAY is a path. With -DLIBRARY, this file is that
 * library. It has no symbols and no frames that tell where its instructions are.
 */
#ifdef LIBRARY
__asm__(".text; .globl count; count: rdtsc; shl $32,%rdx; or %rdx,%rax; ret");
#else
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <x86intrin.h>

typedef unsigned long long counter(void);

static pthread_barrier_t made;
static counter *shared;

static void show(const char *where, unsigned long long value)
{
	char line[100];

	(void)!write(1, line, (size_t)snprintf(line, sizeof(line), "%s %llu\n", where, value));
}

static void *look(void *where)
{
	unsigned who;

	show(where, __rdtsc());
	show(where, __rdtscp(&who));
	return NULL;
}

static counter *make(int prot, int sealed)
{
	static const unsigned char code[] = {0x0f, 0x31, 0x48, 0xc1, 0xe2, 0x20, 0x48, 0x09, 0xd0, 0xc3};
	void *memory = mmap(NULL, 4096, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	counter *made_code;

	memcpy(memory, code, sizeof(code));
	if (sealed)
		mprotect(memory, 4096, PROT_READ | PROT_EXEC);
	memcpy(&made_code, &memory, sizeof(made_code));
	return made_code;
}

static void in_file(void)
{
	int file = memfd_create("code", 0);
	counter *made_code;
	void *memory;

	if (write(file, (const void *)make(PROT_READ | PROT_WRITE, 0), 16) != 16)
		exit(9);
	memory = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
	memcpy(&made_code, &memory, sizeof(made_code));
	show("mapped", made_code());
}

static void *wait_for_code(void *arg)
{
	pthread_barrier_wait(&made);
	show("other thread", shared());
	return arg;
}

static void in_thread(void)
{
	pthread_t thread;

	pthread_barrier_init(&made, NULL, 2);
	pthread_create(&thread, NULL, wait_for_code, NULL);
	shared = make(PROT_READ | PROT_WRITE, 1);
	pthread_barrier_wait(&made);
	pthread_join(thread, NULL);
}

static void in_child(const char *program)
{
	pid_t child = fork();

	if (child == 0) {
		if (program)
			execl(program, program, (char *)NULL);
		show("child", __rdtsc());
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static void in_library(const char *path)
{
	void *library = dlopen(path, RTLD_NOW), *symbol = library ? dlsym(library, "count") : NULL;
	counter *count;

	if (!symbol)
		exit(9);
	memcpy(&count, &symbol, sizeof(count));
	show("library", count());
}

int main(int argc, char **argv)
{
	static char names[2][9] = {"thread a", "thread b"};
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, look, names[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "fork") == 0)
			in_child(NULL);
		else if (strcmp(argv[i], "spawn") == 0)
			in_child(argv[0]);
		else if (strcmp(argv[i], "mixed") == 0)
			show("mixed", make(PROT_READ | PROT_WRITE | PROT_EXEC, 0)());
		else if (strcmp(argv[i], "sealed") == 0)
			show("sealed", make(PROT_READ | PROT_WRITE, 1)());
		else if (strcmp(argv[i], "mapped") == 0)
			in_file();
		else if (strcmp(argv[i], "thread") == 0)
			in_thread();
		else if (strcmp(argv[i], "exec") == 0)
			execl(argv[0], argv[0], (char *)NULL);
		else
			in_library(argv[i]);
	}
	look("end");
	return 0;
}
#endif
