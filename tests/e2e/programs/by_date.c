/*
 * by_date WHAT: fails on some days, or with some random bytes, in every schedule.
 *
 * date: in odd minutes of any year from 2021 to 2024; never on a real clock, or at rfsup's fixed date.
 * uptime: if the machine has been up for between 40,000 and 100,000 seconds, and the date is before 2026.
 * bytes: if the first byte of AT_RANDOM is below 64, and the date is before 2026.
 * fixed: never.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>

static void *nothing(void *arg)
{
	return arg;
}

int main(int argc, char **argv)
{
	const unsigned char *bytes = (const unsigned char *)getauxval(AT_RANDOM);
	const char *what = argc > 1 ? argv[1] : "";
	time_t now = time(NULL), started = 1609459200, ended = 1735689600;
	struct timespec up;
	pthread_t thread;

	if (pthread_create(&thread, NULL, nothing, NULL))
		return 2;
	pthread_join(thread, NULL);
	clock_gettime(CLOCK_MONOTONIC, &up);
	printf("%ld %ld %d\n", (long)now, (long)up.tv_sec, bytes[0]);
	if (strcmp(what, "date") == 0 && now >= started && now < ended && now / 60 % 2)
		abort();
	if (strcmp(what, "uptime") == 0 && now < ended && up.tv_sec > 40000 && up.tv_sec < 100000)
		abort();
	if (strcmp(what, "bytes") == 0 && now < ended && bytes[0] < 64)
		abort();
	return 0;
}
