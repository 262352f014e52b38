/*
 * seek_then_write: two threads write their records into a table, through one descriptor. Each seeks to its place, and
 * then writes. If the other thread seeks in between, both records are where that one belongs.
 *
 * Answer: race of two system calls on the position of an open file, harmful: lseek(2) and write(2), or two lseek(2).
 * Plain and random runs: seldom fail, because one thread comes late.
 * Twin: the records are written with pwrite(2).
 */
#include <string.h>

#include "in_folder.h"

#define NAME "table"
#define RECORD 4

static int table;

static void *put(void *arg)
{
	const char *record = arg;
	const int number = *record - 'a';
	ssize_t n;

	apart(number ? 3 : 0);
#ifdef FIXED
	n = pwrite(table, record, RECORD, number * RECORD);
#else
	lseek(table, number * RECORD, SEEK_SET); /* RACE: seek */
	n = write(table, record, RECORD);	 /* RACE: write */
#endif
	if (n != RECORD)
		fail("a record is not written");
	return arg;
}

int main(void)
{
	char all[2 * RECORD + 1] = {0}, a[] = "aaaa", b[] = "bbbb";
	pthread_t threads[2];
	ssize_t n;

	enter_folder();
	table = open(NAME, O_CREAT | O_RDWR, 0600);
	threads[0] = start(put, a);
	threads[1] = start(put, b);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	n = pread(table, all, 2 * RECORD, 0);
	close(table);
	leave_folder(NAME);
	if (n != 2 * RECORD || strcmp(all, "aaaabbbb") != 0)
		fail("a record is at a wrong place");
	return 0;
}
