/*
 * sqlite_threads: four threads use one SQLite database in memory. Each has its own connection to the shared cache. They
 * insert, count and roll back, and read statistics that are not protected.
 */
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 4
#define ROUNDS 2

static int done, last_count;

static int count_row(void *arg, int n, char **values, char **names)
{
	(void)arg;
	(void)names;
	if (n > 0)
		last_count = atoi(values[0]);
	return 0;
}

static void *body(void *arg)
{
	sqlite3 *db;

	if (sqlite3_open_v2("file:shared?mode=memory&cache=shared", &db,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI, NULL))
		exit(2);
	sqlite3_busy_timeout(db, 1000);
	for (int i = 0; i < ROUNDS; i++) {
		sqlite3_exec(db, "insert into t values (1)", NULL, NULL, NULL);
		sqlite3_exec(db, "select count(*) from t", count_row, NULL, NULL);
	}
	sqlite3_close(db);
	done++;
	return arg;
}

int main(void)
{
	pthread_t threads[THREADS];
	sqlite3 *db;

	if (sqlite3_open_v2("file:shared?mode=memory&cache=shared", &db,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI, NULL) ||
	    sqlite3_exec(db, "create table t (x)", NULL, NULL, NULL))
		return 2;
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, body, NULL))
			return 2;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	sqlite3_close(db);
	printf("%d\n", last_count > 0 && done > 0);
	return 0;
}
