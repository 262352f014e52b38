#!/bin/sh
# A suite of CTest: 70 tests without threads, 25 with threads and no fault, 5 with a rare failure. rfsup --suite has a budget of
# two minutes for all of them, and a second one takes what has not changed from the cache. The result is in
# results/vm-suite.txt.
# Usage: suite.sh [BUDGET] [FOLDER]
set -eu

rfsup=$(realpath "${RFSUP:-build/rfsup}")
budget=${1:-120}
here=${2:-$(mktemp -d)}
mkdir -p "$here"
cd "$here"

cat >one.c <<'END'
#include <stdio.h>
int main(int n, char **words)
{
	printf("%d %s\n", n, words[0]);
	return 0;
}
END

# KIND: what the threads share, and how
cat >threads.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t change = PTHREAD_COND_INITIALIZER;
static int value, ready, *box;

#if KIND == 0 /* a counter with a lock */
static void work(int me)
{
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&lock);
		value += me + 1;
		pthread_mutex_unlock(&lock);
	}
}
static void check(void) { assert(value == 9); }
#elif KIND == 1 /* a condition variable */
static void work(int me)
{
	pthread_mutex_lock(&lock);
	if (me) {
		while (!ready)
			pthread_cond_wait(&change, &lock);
		value++;
	} else {
		ready = 1;
		pthread_cond_broadcast(&change);
	}
	pthread_mutex_unlock(&lock);
}
static void check(void) { assert(value == 1); }
#elif KIND == 2 /* atomics */
static void work(int me)
{
	for (int i = 0; i < 3; i++)
		__atomic_fetch_add(&value, me + 1, __ATOMIC_SEQ_CST);
}
static void check(void) { assert(value == 9); }
#elif KIND == 3 /* two locks in one order */
static void work(int me)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_lock(&other);
	value += me + 1;
	pthread_mutex_unlock(&other);
	pthread_mutex_unlock(&lock);
}
static void check(void) { assert(value == 3); }
#elif KIND == 4 /* each has memory of its own */
static void work(int me)
{
	int *mine = malloc(sizeof(*mine));

	*mine = me;
	__atomic_fetch_add(&value, *mine + 1, __ATOMIC_RELAXED);
	free(mine);
}
static void check(void) { assert(value == 3); }
#elif KIND == 5 /* fault: a lost update */
static void work(int me)
{
	value = value + me + 1;
}
static void check(void) { assert(value == 3); }
#elif KIND == 6 /* fault: check, then use */
static void work(int me)
{
	if (me) {
		pthread_mutex_lock(&lock);
		int there = box != NULL;
		pthread_mutex_unlock(&lock);
		if (there) {
			pthread_mutex_lock(&lock);
			value += *box;
			pthread_mutex_unlock(&lock);
		}
	} else {
		pthread_mutex_lock(&lock);
		box = &ready;
		pthread_mutex_unlock(&lock);
		pthread_mutex_lock(&lock);
		box = NULL;
		pthread_mutex_unlock(&lock);
	}
}
static void check(void) { }
#elif KIND == 7 /* fault: two locks in two orders */
static void work(int me)
{
	pthread_mutex_lock(me ? &lock : &other);
	pthread_mutex_lock(me ? &other : &lock);
	value++;
	pthread_mutex_unlock(&other);
	pthread_mutex_unlock(&lock);
}
static void check(void) { assert(value == 2); }
#elif KIND == 8 /* fault: a flag is set before the value */
static void work(int me)
{
	if (me) {
		if (__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
			assert(__atomic_load_n(&value, __ATOMIC_ACQUIRE) == 1);
	} else {
		__atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
		__atomic_store_n(&value, 1, __ATOMIC_RELEASE);
	}
}
static void check(void) { }
#else /* fault: a wakeup that is lost */
static void work(int me)
{
	if (me) {
		if (!__atomic_load_n(&ready, __ATOMIC_SEQ_CST)) {
			pthread_mutex_lock(&lock);
			pthread_cond_wait(&change, &lock);
			pthread_mutex_unlock(&lock);
		}
	} else {
		__atomic_store_n(&ready, 1, __ATOMIC_SEQ_CST);
		pthread_mutex_lock(&lock);
		pthread_cond_signal(&change);
		pthread_mutex_unlock(&lock);
	}
}
static void check(void) { }
#endif

static void *thread(void *arg)
{
	work(1);
	return arg;
}

int main(void)
{
	pthread_t id;

	pthread_create(&id, NULL, thread, NULL);
	work(0);
	pthread_join(id, NULL);
	check();
	return 0;
}
END

cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.14)
project(suite C)
enable_testing()
find_package(Threads REQUIRED)
set(CMAKE_C_FLAGS "-g -O1")
add_executable(one one.c)
foreach(i RANGE 1 70)
  add_test(NAME plain${i} COMMAND one ${i})
endforeach()
foreach(kind RANGE 0 9)
  add_executable(kind${kind} threads.c)
  target_compile_definitions(kind${kind} PRIVATE KIND=${kind})
  target_link_libraries(kind${kind} Threads::Threads)
endforeach()
foreach(i RANGE 1 25)
  math(EXPR kind "${i} % 5")
  add_test(NAME clean${i} COMMAND kind${kind} ${i})
endforeach()
foreach(kind RANGE 5 9)
  add_test(NAME flaky${kind} COMMAND kind${kind})
endforeach()
END
[ -d build ] || { cmake -S . -B build && cmake --build build; } >cmake.log

rm -rf cache
for pass in first second; do
	rm -rf $pass
	start=$(date +%s.%N)
	status=0
	"$rfsup" --quiet --suite build --budget "$budget" --cache cache -o $pass --sarif $pass.sarif --junit $pass.xml >$pass.txt ||
		status=$?
	seconds=$(echo "$(date +%s.%N) - $start" | bc)
	found=$(jq -r '[.tests[] | select(.outcome == "FOUND") | .name] | join(" ")' $pass/report.json)
	printf '%-7s %6.1f s  status %d  %s\n' $pass "$seconds" $status "$(sed -n 's/^100 tests, //p' $pass.txt)"
	printf '        found: %s\n' "$found"
	printf '        SARIF runs: %s, results: %s\n' "$(jq '.runs | length' $pass.sarif)" "$(jq '.runs[0].results | length' $pass.sarif)"
done
