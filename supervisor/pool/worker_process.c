/* worker_process.c - runs in a worker: makes executions with a fork server, and sends the replies. */
#include "supervisor/pool/worker-priv.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/interrupt.h"
#include "supervisor/pool/job_process.h"
#include "supervisor/pool/wire.h"
#include "supervisor/record/execution.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/server/server.h"

/*
 * A file for the target's standard output or error. fd is for the target: write-only, as in any execution. reader is a
 * second descriptor for reading the file back.
 */
struct output {
	int fd, reader;
};

/*
 * Opens a file in the output folder and removes the file's name. So the file is gone when this process ends, even if it
 * is killed.
 */
static int worker_process_open_output(const struct rfs_pool_settings *settings, const char *suffix, struct output *out,
				      char *why, size_t n)
{
	char *path = xasprintf("%s/worker-%d.%s", settings->output, (int)getpid(), suffix);
	int error = 0;

	out->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
	out->reader = open(path, O_RDONLY | O_CLOEXEC);
	if (out->fd < 0 || out->reader < 0)
		error = rfs_why(why, n, -errno, "%s: %s", path, strerror(errno));
	unlink(path);
	free(path);
	return error;
}

/* Resets the output for the next target: empty, at its start, with its first flags, and unlocked. */
static void empty_output(const struct output *out)
{
	struct stat st;

	if (fstat(out->fd, &st) == 0 && st.st_size > 0 && ftruncate(out->fd, 0))
		return;
	lseek(out->fd, 0, SEEK_SET);
	fcntl(out->fd, F_SETFL, O_APPEND);
	flock(out->fd, LOCK_UN);
}

static void rewind_input(int fd)
{
	lseek(fd, 0, SEEK_SET);
	fcntl(fd, F_SETFL, 0);
	flock(fd, LOCK_UN);
}

static size_t worker_process_size_of(const struct output *out)
{
	struct stat st;

	return fstat(out->reader, &st) == 0 && st.st_size > 0 ? (size_t)st.st_size : 0;
}

static void read_output(const struct output *out, size_t size, struct rfs_blob *to)
{
	ssize_t got;

	if (!size)
		return;
	to->data = xmalloc(size);
	got = pread(out->reader, to->data, size, 0);
	to->size = got > 0 ? (size_t)got : 0;
}

static int copy_output(const struct rfs_pool_settings *settings, const char *name, const char *suffix,
		       const struct output *out, char *why, size_t n)
{
	char *path = rfs_job_file(settings, name, suffix), buf[65536];
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), error = fd < 0 ? -errno : 0;
	off_t at = 0;
	ssize_t got;

	while (!error && (got = pread(out->reader, buf, sizeof(buf), at)) > 0) {
		at += got;
		error = rfs_wire_send(fd, (const uint8_t *)buf, (size_t)got);
	}
	if (error)
		rfs_why(why, n, error, "%s: %s", path, strerror(-error));
	if (fd >= 0)
		close(fd);
	free(path);
	return error;
}

static int take_output(const struct rfs_pool_settings *settings, const char *name, const struct output out[2],
		       struct rfs_reply *reply, char *why, size_t n)
{
	size_t size[2] = {worker_process_size_of(&out[0]), worker_process_size_of(&out[1])};
	int error;

	if (size[0] <= RFS_OUTPUT_SENT && size[1] <= RFS_OUTPUT_SENT) {
		for (int i = 0; i < 2; i++)
			read_output(&out[i], size[i], &reply->output[i]);
		return 0;
	}
	reply->filed = true;
	error = copy_output(settings, name, "out", &out[0], why, n);
	return error ? error : copy_output(settings, name, "err", &out[1], why, n);
}

/* Reads all bytes of a request into *bytes, which the caller frees. 0, or -EPIPE if no more requests will come. */
static int worker_process_receive(int fd, uint8_t **bytes, size_t *n)
{
	size_t size = 0, have = 0, wanted = sizeof(uint64_t);
	uint64_t length;

	*bytes = NULL;
	while (have < wanted) {
		ssize_t got;

		if (size < wanted)
			*bytes = xrealloc(*bytes, size = wanted);
		got = read(fd, *bytes + have, wanted - have);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return -EPIPE;
		have += (size_t)got;
		if (have == sizeof(length) && wanted == sizeof(length)) {
			memcpy(&length, *bytes, sizeof(length));
			wanted += length;
		}
	}
	*n = have;
	return 0;
}

static int worker_process_open_files(const struct rfs_pool_settings *settings, struct rfs_run_spec *spec,
				     struct output out[2], char *why, size_t n)
{
	const char *in = spec->job.stdin_path ? spec->job.stdin_path : "/dev/null";
	int error;

	spec->process.fd_in = open(in, O_RDONLY | O_CLOEXEC);
	if (spec->process.fd_in < 0)
		return rfs_why(why, n, -errno, "%s: %s", in, strerror(errno));
	error = worker_process_open_output(settings, "out", &out[0], why, n);
	if (!error)
		error = worker_process_open_output(settings, "err", &out[1], why, n);
	spec->process.fd_out = out[0].fd;
	spec->process.fd_err = out[1].fd;
	return error;
}

void rfs_worker_process(const struct rfs_pool_settings *settings, struct rfs_execution *execution, pid_t parent, int fd)
{
	struct rfs_server *server = NULL;
	struct output output[2] = {{.fd = -1, .reader = -1}, {.fd = -1, .reader = -1}};
	char why[1024] = "";
	uint8_t *bytes;
	int error;
	size_t n;

	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (getppid() != parent)
		_exit(1);
	rfs_interrupt_reset();
	/*
	 * the worker leaves the terminal's process group: only the campaign's process gets Ctrl-C, and it ends the
	 * workers
	 */
	setpgid(0, 0);
	error = worker_process_open_files(settings, &execution->spec, output, why, sizeof(why));
	if (!error)
		error = settings->server->start(&execution->spec, &server, why, sizeof(why));
	while (worker_process_receive(fd, &bytes, &n) == 0) {
		struct rfs_reply reply = {.error = error, .served = true};
		struct rfs_run_spec spec = execution->spec;
		struct rfs_request request;
		struct rfs_site_ref sites[2];
		const struct rfs_statement_pair pair = {{{&sites[0], 1}, {&sites[1], 1}}};

		if (rfs_wire_decode_request(bytes, n, &request))
			_exit(2);
		spec.seed = request.seed;
		spec.policy = (const struct rfs_policy_ops *)(uintptr_t)request.policy;
		spec.policy_options = request.policy_options;
		spec.policy_blob = request.has_blob ? &request.blob : NULL;
		spec.wanted.stood = request.stood;
		spec.wanted.stood_thread = request.stood_thread;
		if (spec.from_main) {
			spec.detector = (const struct rfs_detector_ops *)(uintptr_t)request.detector;
			spec.plan.pair = request.pair[0].module ? &pair : NULL;
			for (int i = 0; i < 2; i++)
				sites[i] = (struct rfs_site_ref){request.pair[i].module, request.pair[i].offset};
		}
		if (!reply.error) {
			rewind_input(spec.process.fd_in);
			empty_output(&output[0]);
			empty_output(&output[1]);
			reply.error = settings->server->run(server, &spec, &reply.result, why, sizeof(why));
		}
		if (!reply.error)
			reply.error = take_output(settings, request.name, output, &reply, why, sizeof(why));
		if (reply.error)
			reply.why = xstrdup(why);
		free(bytes);
		rfs_wire_encode(&reply, &bytes, &n);
		if (rfs_wire_send(fd, bytes, n))
			_exit(3);
		free(bytes);
		rfs_request_release(&request);
		rfs_reply_release(&reply);
	}
	settings->server->end(server);
	_exit(0);
}
