/*
 * Threads use one SQLite database in a file. Each has its own connection, and all share one more. They add rows in
 * transactions, which wait for each other, and count rows in between. Links with the system's libsqlite3. Exit status
 * 0: no row is lost.
 */
#include <pthread.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define THREADS 2
#define ROWS 2
#define FILE_NAME "threads.db"

static sqlite3 *shared;

static sqlite3 *connect_to_it(void)
{
	sqlite3 *db;

	if (sqlite3_open(FILE_NAME, &db) != SQLITE_OK)
		exit(2);
	sqlite3_busy_timeout(db, 60000);
	return db;
}

static void execute(sqlite3 *db, const char *sql)
{
	char *error = NULL;

	if (sqlite3_exec(db, sql, NULL, NULL, &error) != SQLITE_OK) {
		fprintf(stderr, "%s: %s\n", sql, error);
		exit(3);
	}
}

static int ask(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *statement;
	int answer;

	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
		exit(4);
	answer = sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int(statement, 0) : -1;
	sqlite3_finalize(statement);
	return answer;
}

static void *work(void *arg)
{
	sqlite3 *db = connect_to_it();
	char sql[128];

	for (int i = 0; i < ROWS; i++) {
		snprintf(sql, sizeof(sql), "BEGIN IMMEDIATE; INSERT INTO t VALUES (%d, abs(random()) %% 100); COMMIT",
			 (int)(intptr_t)arg);
		execute(db, sql);
		printf("thread %d sees %d\n", (int)(intptr_t)arg, ask(shared, "SELECT count(*) FROM t"));
	}
	sqlite3_close(db);
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	int rows;

	unlink(FILE_NAME);
	shared = connect_to_it();
	execute(shared, "CREATE TABLE t (who INTEGER, what INTEGER)");
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	rows = ask(shared, "SELECT count(*) FROM t");
	printf("%d rows, sum %d\n", rows, ask(shared, "SELECT sum(what) FROM t"));
	sqlite3_close(shared);
	return rows != THREADS * ROWS;
}
