/*
 * asks_processor.c - asks for one feature of the processor in three ways: here, as the C library did when the loader
 * started the program, and as libgcc did before main. Says it, and fails.
 */
#include <cpuid.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/platform/x86.h>

static void *nothing(void *unused)
{
	return unused;
}

int main(void)
{
	unsigned eax, ebx, ecx, edx;
	pthread_t thread;

	pthread_create(&thread, NULL, nothing, NULL);
	pthread_join(thread, NULL);
	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx))
		return 0;
	fprintf(stderr, "pclmul: here %d, C library %d, libgcc %d\n", (ecx & bit_PCLMUL) != 0,
		CPU_FEATURE_PRESENT(PCLMULQDQ) != 0, __builtin_cpu_supports("pclmul") != 0);
	abort();
}
