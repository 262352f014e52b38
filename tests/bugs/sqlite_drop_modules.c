/*
 * sqlite_drop_modules.c - one thread drops all modules of a connection, and another one registers a module again. The
 * connection is serialised, so threads may share it. sqlite3_drop_modules() walks through the list of modules without
 * the lock of the connection, while sqlite3_create_module() frees an element of it.
 *
 * package: libsqlite3-dev
 * link: -lsqlite3
 * options: --guard-heap
 * expect: FAILURE: SIGSEGV
 */
#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>

static sqlite3 *db;
static const sqlite3_module module;

static void *drop(void *unused)
{
	sqlite3_drop_modules(db, NULL);
	return unused;
}

static void *replace(void *unused)
{
	sqlite3_create_module(db, "one", NULL, NULL);
	sqlite3_create_module(db, "two", NULL, NULL);
	return unused;
}

int main(void)
{
	pthread_t a, b;

	if (!sqlite3_threadsafe() ||
	    sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX, NULL))
		return 2;
	sqlite3_create_module(db, "one", &module, NULL);
	sqlite3_create_module(db, "two", &module, NULL);
	pthread_create(&a, NULL, drop, NULL);
	pthread_create(&b, NULL, replace, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	sqlite3_close(db);
	return 0;
}
