/*
 * worker.c - the side of the pool: starts workers, sends executions and compares specs. worker_process.c has the
 * other side.
 */
#include "supervisor/pool/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/pool/job_process.h"
#include "supervisor/pool/wire.h"
#include "supervisor/pool/worker-priv.h"
#include "supervisor/record/execution.h"
#include "supervisor/record/lessons.h"
#include "supervisor/record/run_options.h"
#include "supervisor/record/run_spec.h"

struct rfs_worker {
	pid_t pid;
	int fd; /* our end of the socket pair */
	struct rfs_execution first;
	struct rfs_lessons lessons; /* of the first execution */
};

/*
 * The executions of a worker share one descriptor for standard input, which is rewound for each execution. If the input
 * is a regular file, or if there is no input, rewinding has the same effect as opening the input again.
 */
static bool can_rewind(const char *path)
{
	struct stat st;

	return !path || (stat(path, &st) == 0 && S_ISREG(st.st_mode));
}

/* True if the spec asks for something that needs a run from the start of the program. */
static bool wants_all(const struct rfs_run_spec *spec)
{
	return (spec->detector && !spec->from_main) || spec->trace.in || spec->trace.out || spec->wanted.schedule ||
	       spec->wanted.block_stacks || spec->gdb;
}

bool rfs_worker_possible(const struct rfs_pool_settings *settings, const struct rfs_execution *execution)
{
	const struct rfs_run_spec *spec = &execution->spec;

	return settings->server && settings->output && !settings->records && !spec->job.setup && !spec->job.drive &&
	       !spec->job.fresh_dir && can_rewind(spec->job.stdin_path) && spec->policy && !wants_all(spec) &&
	       !spec->input.in && !spec->follow && !spec->clock_real && !execution->any_core;
}

/* True if both runs prepare the same for their policy before main. */
static bool same_kind(const struct rfs_run_spec *a, const struct rfs_run_spec *b)
{
	const unsigned differ = a->policy->flags ^ b->policy->flags;

	return (differ & (RFS_POLICY_NEEDS_HEAP | RFS_POLICY_NEEDS_CYCLE | RFS_POLICY_NEEDS_CALLS)) == 0 &&
	       (a->from_main || (differ & RFS_POLICY_NEEDS_PAIR) == 0);
}

/*
 * A new member of struct rfs_run_spec must be compared here, unless wants_all(), struct rfs_request or the table of the
 * run's options takes care of it.
 */
bool rfs_worker_serves(const struct rfs_worker *worker, const struct rfs_execution *execution)
{
	const struct rfs_run_spec *a = &worker->first.spec, *b = &execution->spec;
	const struct rfs_site_set spin = {.sites = (struct rfs_site_ref *)b->lessons.spin, .n = b->lessons.n_spin};
	const struct rfs_lessons lessons = {.spin = spin, .traps_rdtsc = b->lessons.traps_rdtsc};

	return a->process.path == b->process.path && a->process.argv == b->process.argv &&
	       a->process.envp == b->process.envp && a->process.cwd == b->process.cwd && a->core == b->core &&
	       same_kind(a, b) && a->from_main == b->from_main && (a->from_main || a->plan.pair == b->plan.pair) &&
	       a->plan.cycle == b->plan.cycle && a->plan.order == b->plan.order &&
	       a->plan.addresses == b->plan.addresses && a->plan.n_addresses == b->plan.n_addresses &&
	       a->sites.visible == b->sites.visible && a->sites.n_visible == b->sites.n_visible &&
	       a->sites.object_kinds == b->sites.object_kinds && a->sites.moves == b->sites.moves &&
	       a->sites.n_moves == b->sites.n_moves && a->wanted.orders == b->wanted.orders &&
	       a->cancel_fd == b->cancel_fd && rfs_run_options_equal(a, b) && !wants_all(b) &&
	       rfs_lessons_equal(&worker->lessons, &lessons);
}

int rfs_worker_start(const struct rfs_pool_settings *settings, const struct rfs_execution *execution,
		     struct rfs_worker **out)
{
	struct rfs_worker *worker = xcalloc(1, sizeof(*worker));
	pid_t parent = getpid();
	int ends[2], error = 0;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) {
		error = -errno;
		goto out;
	}
	worker->first = *execution;
	if (execution->spec.from_main) {
		/* requests have those of the copies */
		worker->first.spec.detector = NULL;
		worker->first.spec.plan.pair = NULL;
	}
	rfs_lessons_take(&worker->lessons, &execution->spec.lessons);
	/* without this, both processes would write what is still in the buffers of stdio */
	fflush(NULL);
	worker->pid = fork();
	if (worker->pid == 0) {
		close(ends[0]);
		rfs_lessons_give(&worker->lessons, &worker->first.spec.lessons);
		rfs_worker_process(settings, &worker->first, parent, ends[1]);
	}
	if (worker->pid < 0) {
		error = -errno;
		goto out_ends;
	}
	close(ends[1]);
	worker->fd = ends[0];
	*out = worker;
	return 0;
out_ends:
	close(ends[0]);
	close(ends[1]);
out:
	rfs_lessons_release(&worker->lessons);
	free(worker);
	return error;
}

int rfs_worker_ask(struct rfs_worker *worker, const struct rfs_execution *execution)
{
	const struct rfs_run_spec *spec = &execution->spec;
	const struct rfs_blob *blob = spec->policy_blob;
	struct rfs_request request = {
		.name = (char *)execution->name,
		.seed = spec->seed,
		.policy = (uintptr_t)spec->policy,
		.policy_options = (char *)spec->policy_options,
		.has_blob = blob != NULL,
		.blob = blob ? *blob : (struct rfs_blob){0},
		.stood = spec->wanted.stood,
		.stood_thread = spec->wanted.stood_thread,
		.detector = (uintptr_t)spec->detector,
	};
	const struct rfs_site_ref *site;
	uint8_t *bytes;
	int error;
	size_t n;

	for (int i = 0; spec->from_main && spec->plan.pair && i < 2; i++) {
		site = spec->plan.pair->statement[i].sites;
		request.pair[i] = (struct rfs_place){(char *)site->module, site->offset};
	}
	rfs_wire_encode_request(&request, &bytes, &n);
	error = rfs_wire_send(worker->fd, bytes, n);
	free(bytes);
	return error;
}

pid_t rfs_worker_pid(const struct rfs_worker *worker)
{
	return worker->pid;
}

int rfs_worker_fd(const struct rfs_worker *worker)
{
	return worker->fd;
}

void rfs_worker_end(struct rfs_worker *worker)
{
	if (!worker)
		return;
	/* the worker traces its targets, so they die with it (PTRACE_O_EXITKILL) */
	kill(worker->pid, SIGKILL);
	while (waitpid(worker->pid, NULL, 0) < 0 && errno == EINTR)
		;
	close(worker->fd);
	rfs_lessons_release(&worker->lessons);
	free(worker);
}

static int worker_write_file(const struct rfs_pool_settings *settings, const struct rfs_execution *execution,
			     const char *suffix, const struct rfs_blob *data, char *why, size_t n)
{
	char *path = rfs_job_file(settings, execution->name, suffix);
	FILE *file = fopen(path, "wbe");
	int error = 0;

	if (!file || (data->size && fwrite(data->data, data->size, 1, file) != 1))
		error = rfs_why(why, n, -errno, "%s: %s", path, strerror(errno));
	if (file && fclose(file) && !error)
		error = rfs_why(why, n, -errno, "%s: %s", path, strerror(errno));
	free(path);
	return error;
}

int rfs_worker_file(const struct rfs_pool_settings *settings, const struct rfs_execution *execution,
		    const struct rfs_reply *reply, char *why, size_t n)
{
	int error = worker_write_file(settings, execution, "out", &reply->output[0], why, n);

	return error ? error : worker_write_file(settings, execution, "err", &reply->output[1], why, n);
}
