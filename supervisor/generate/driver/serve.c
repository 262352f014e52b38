/* serve.c - reads tests and writes answers. The process of a test is another one, because calls may do anything. */
#include "supervisor/generate/driver/serve.h"

#include <stdio.h>
#include <sys/wait.h>

#include "supervisor/generate/driver/contain.h"
#include "supervisor/generate/driver/progress.h"
#include "supervisor/generate/driver/script.h"
#include "supervisor/generate/driver/tree.h"

#define STATUS_NO_SERVER 2

static FILE *answers;

static void serve_answer(const struct rfs_driver_done *done, const struct rfs_driver_ending *ending)
{
	if (done->why[0])
		fprintf(answers, "bad %.*s", (int)sizeof(done->why) - 1, done->why);
	else if (!ending->in_time)
		fprintf(answers, "late");
	else if (WIFSIGNALED(ending->status))
		fprintf(answers, "signal %d", WTERMSIG(ending->status));
	else if (WIFEXITED(ending->status))
		fprintf(answers, "exit %d", WEXITSTATUS(ending->status));
	else
		fprintf(answers, "ok");
	for (size_t i = 0; i < done->n && i < sizeof(done->calls) / sizeof(*done->calls); i++)
		fprintf(answers, " %llx:%u", (unsigned long long)done->calls[i].result, done->calls[i].effects);
	if (done->refused[RFS_DRIVER_PROCESS])
		fprintf(answers, " +process");
	if (done->refused[RFS_DRIVER_NETWORK])
		fprintf(answers, " +network");
	if ((unsigned long)ending->memory_peak * 1024 >= RFS_DRIVER_MEMORY / 8 * 7)
		fprintf(answers, " +memory");
	fprintf(answers, "\n");
	fflush(answers);
}

/* Reads over a test of n bytes. */
static void refuse_long(FILE *tests, size_t n)
{
	while (n && getc(tests) != EOF)
		n--;
	fprintf(answers, "bad too long\n");
	fflush(answers);
}

static void rest(void)
{
	rfs_driver_tree_end();
	fprintf(answers, "ok\n");
	fflush(answers);
}

int rfs_driver_serve(bool private_network)
{
	static char text[RFS_DRIVER_TEST_BYTES];
	const struct rfs_driver_progress *progress = rfs_driver_tree_init(private_network);
	FILE *tests = fdopen(RFS_DRIVER_TESTS, "r");
	struct rfs_driver_ending ending;
	size_t n;

	answers = fdopen(RFS_DRIVER_ANSWERS, "w");
	if (!progress || !tests || !answers)
		return STATUS_NO_SERVER;
	while (fscanf(tests, "%zu", &n) == 1 && getc(tests) == '\n') {
		if (n > sizeof(text)) {
			refuse_long(tests, n);
		} else if (fread(text, 1, n, tests) != n) {
			return STATUS_NO_SERVER;
		} else if (!n) {
			rest();
		} else {
			if (!rfs_driver_tree_execute(text, n, &ending))
				return STATUS_NO_SERVER;
			serve_answer(&progress->done, &ending);
		}
	}
	rfs_driver_tree_end();
	return 0;
}
