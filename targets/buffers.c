/*
 * buffers: a reader hands its buffers to the C library and to system calls, while a writer changes them.
 *
 * Answer: race. The accesses are in the C library and in the kernel. They count as accesses of the calling statements.
 * memchr() and read() access no more than they need: the last byte of each buffer is the writer's own.
 * Plain runs: the writer starts late, when the reader is done.
 * Twin: the reader and the writer hold a mutex.
 */
#include "target.h"
#include "twin_lock.h"
#include <string.h>
#include <unistd.h>

char sent[16] = "to be sent";
char received[16];
char name[16] = "name";
char text[32];
int value;
char line[16] = "a=bcd";
char word[16];
FILE *words;
int ends[2];

static void *reader(void *arg)
{
	char found[32];

	lock();
	if (write(ends[1], sent, 4) != 4) /* RACE: send */
		fail("write");
	if (read(ends[0], received, 15) != 4) /* RACE: receive */
		fail("read");
	snprintf(found, sizeof(found), "%s", name); /* RACE: print */
	snprintf(text, sizeof(text), "%d", 12345);  /* RACE: text */
	if (sscanf("7", "%d", &value) != 1)	    /* RACE: scan */
		fail("sscanf");
	if (fscanf(words, "%15s", word) != 1) /* RACE: word */
		fail("fscanf");
	if (!memchr(line, '=', 16)) /* RACE: find */
		fail("memchr");
	unlock();
	return arg;
}

static void *writer(void *arg)
{
	received[15] = line[15] = 'x';
	lock();
	sent[0] = 'T';	   /* RACE: change-sent */
	received[0] = 'R'; /* RACE: change-received */
	name[0] = 'N';	   /* RACE: change-name */
	text[4] = 'T';	   /* RACE: change-text */
	value = 8;	   /* RACE: change-value */
	word[5] = 'W';	   /* RACE: change-word */
	line[0] = 'A';	   /* RACE: change-line */
	unlock();
	return arg;
}

int main(void)
{
	pthread_t first, second;

	if (pipe(ends))
		fail("pipe");
	words = fmemopen((char[]){"sixteen letters"}, 15, "r");
	if (!words)
		fail("fmemopen");
	first = start(reader, NULL);
	second = start_late(writer, NULL, 2);
	join(first);
	join(second);
	fclose(words);
	return 0;
}
