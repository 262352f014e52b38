/*
 * buffers_fixed: a reader hands its buffers to the C library and to system calls, and a writer changes them under the
 * same mutex.
 */
#include "target.h"
#include <string.h>
#include <unistd.h>

char sent[16] = "to be sent";
char received[16];
char name[16] = "name";
char text[32];
int value;
char line[16] = "a=bcd";
int ends[2];
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *reader(void *arg)
{
	char found[32];

	pthread_mutex_lock(&mutex);
	if (write(ends[1], sent, 4) != 4) /* RACE: send */
		fail("write");
	if (read(ends[0], received, 15) != 4) /* RACE: receive */
		fail("read");
	snprintf(found, sizeof(found), "%s", name); /* RACE: print */
	snprintf(text, sizeof(text), "%d", 12345);  /* RACE: text */
	if (sscanf("7", "%d", &value) != 1)	    /* RACE: scan */
		fail("sscanf");
	if (!memchr(line, '=', 16)) /* RACE: find */
		fail("memchr");
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void *writer(void *arg)
{
	received[15] = line[15] = 'x';
	pthread_mutex_lock(&mutex);
	sent[0] = 'T';	   /* RACE: change-sent */
	received[0] = 'R'; /* RACE: change-received */
	name[0] = 'N';	   /* RACE: change-name */
	text[4] = 'T';	   /* RACE: change-text */
	value = 8;	   /* RACE: change-value */
	line[0] = 'A';	   /* RACE: change-line */
	pthread_mutex_unlock(&mutex);
	return arg;
}

int main(void)
{
	pthread_t first, second;

	if (pipe(ends))
		fail("pipe");
	first = start(reader, NULL);
	second = start_late(writer, NULL, 2);
	join(first);
	join(second);
	return 0;
}
