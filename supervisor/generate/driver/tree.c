/*
 * tree.c - most tests are the test before with one more call, or with another last call.
 *
 * The last process, the leaf, has executed a whole test. If the next test begins with the same text, the leaf goes on.
 * Otherwise it ends. Then a process is made that executes only the calls that both tests have. It is copied for this
 * test, and for the next ones that begin with these calls. Such processes are kept in the order of their texts: each
 * text begins with the one before. The first one has executed nothing.
 */
#include "supervisor/generate/driver/tree.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/generate/driver/contain.h"
#include "supervisor/generate/driver/files.h"
#include "supervisor/generate/driver/process.h"
#include "supervisor/generate/driver/shared.h"
#include "supervisor/generate/driver/watch.h"

#define KEPT_MAX 8

/* A process that has stopped. */
struct node {
	pid_t pid;   /* 0: there is none */
	size_t size; /* of the text that it has executed */
	struct rfs_driver_done done;
	struct rfs_driver_shared shared; /* of those that are kept */
};

static struct node kept[KEPT_MAX], leaf;
static size_t n_kept;
static struct rfs_driver_progress *progress;
static bool has_network; /* a private one */
static int file_rules;
/* the last test */
static char last[RFS_DRIVER_TEST_BYTES];
static size_t last_size;

/* ---- ending processes ---- */

/* Ends what the process has started. It has ended. */
static void end_rest(struct node *node)
{
	pid_t spared[KEPT_MAX + 1];
	size_t n = 0;

	kill(-node->pid, SIGKILL);
	node->pid = 0;
	for (size_t i = 0; i < n_kept; i++)
		spared[n++] = kept[i].pid;
	spared[n++] = leaf.pid;
	rfs_driver_end_orphans(spared, n);
}

static void tree_end(struct node *node, struct rusage *usage)
{
	int status;

	if (!node->pid)
		return;
	kill(node->pid, SIGKILL);
	wait4(node->pid, &status, 0, usage);
	end_rest(node);
}

/* The number of the process stays in the array until it has ended, so that it is known. */
static void end_top(void)
{
	tree_end(&kept[n_kept - 1], NULL);
	n_kept--;
}

/* Whether others have changed the files of the process. If it has none, theirs are removed. */
static bool is_changed(const struct node *node)
{
	return node->shared.text[0] && !rfs_driver_shared_is_same(node->pid, &node->shared);
}

/* Ends the processes whose text is longer, and those whose files were changed by others. Removes other files. */
static void return_to(size_t size)
{
	while (n_kept > 1 && (kept[n_kept - 1].size > size || is_changed(&kept[n_kept - 1])))
		end_top();
	if (!n_kept || !kept[n_kept - 1].shared.text[0])
		rfs_driver_clean();
}

/* ---- running them ---- */

/* Waits for the process. True: it has stopped after its last call, and can go on. */
static bool tree_wait_for(struct node *node, struct rfs_driver_ending *out)
{
	struct rusage usage = {0};
	bool goes_on = false;

	*out = (struct rfs_driver_ending){.in_time = rfs_driver_watch(node->pid)};
	if (out->in_time) {
		wait4(node->pid, &out->status, WUNTRACED, &usage);
		goes_on = WIFSTOPPED(out->status) && progress->done.is_finished;
		/* a call may have stopped the process */
		out->in_time = goes_on || !WIFSTOPPED(out->status);
	}
	if (goes_on) {
		node->size = progress->size;
		node->done = progress->done;
	} else if (out->in_time) {
		end_rest(node);
	} else {
		tree_end(node, &usage);
	}
	out->memory_peak = usage.ru_maxrss;
	return goes_on;
}

/* What the next process finds. */
static void tree_prepare(const struct rfs_driver_done *done, const char *text, size_t size)
{
	progress->done = *done;
	progress->done.is_finished = false;
	strcpy(progress->done.why, "out of memory");
	progress->is_copied = false;
	memcpy(progress->text, text, size);
	progress->size = size;
}

/* Makes the process that has executed nothing. */
static bool start_first(void)
{
	static const struct rfs_driver_done nothing;
	const pid_t driver = getpid();
	struct rfs_driver_ending ending;

	tree_prepare(&nothing, "", 0);
	kept[0] = (struct node){.pid = fork()};
	if (kept[0].pid == 0)
		rfs_driver_process_main(progress, driver, has_network, file_rules);
	if (kept[0].pid < 0 || !tree_wait_for(&kept[0], &ending))
		return false;
	rfs_driver_shared_first(kept[0].pid);
	n_kept = 1;
	return true;
}

/* Whether it is a child that is not in the tree. A test may have written the number. */
static bool is_new_child(pid_t pid)
{
	siginfo_t info;

	for (size_t i = 0; i < n_kept; i++)
		if (kept[i].pid == pid)
			return false;
	return pid > 0 && waitid(P_PID, (id_t)pid, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) == 0;
}

/* The leaf becomes a copy of the last process that is kept, and executes the text. False: that process has gone. */
static bool start_copy(const char *text, size_t size)
{
	const struct node *top = &kept[n_kept - 1];
	int status;

	tree_prepare(&top->done, text, size);
	progress->is_copied = true;
	progress->copy = 0;
	kill(top->pid, SIGCONT);
	if (!rfs_driver_watch(top->pid) || waitpid(top->pid, &status, WUNTRACED) != top->pid || !WIFSTOPPED(status) ||
	    !is_new_child(progress->copy))
		return false;
	leaf = (struct node){.pid = progress->copy};
	return true;
}

/* The leaf goes on. */
static void tree_resume(const char *text, size_t size)
{
	tree_prepare(&leaf.done, text, size);
	kill(leaf.pid, SIGCONT);
}

/* The bytes of the lines that the test has in common with the last one, without its own last line. */
static size_t common_lines(const char *text, size_t size)
{
	size_t n = 0, lines = 0;

	for (; n < size && n < last_size && text[n] == last[n]; n++)
		if (text[n] == '\n' && n + 1 < size)
			lines = n + 1;
	return lines;
}

/* Makes a leaf that has executed the first n bytes. If it can be copied, it is kept, and the leaf is a copy of it. */
static bool start_leaf(const char *text, size_t size, size_t n)
{
	struct rfs_driver_ending ending;

	if (n > kept[n_kept - 1].size && n_kept < KEPT_MAX) {
		if (!start_copy(text, n))
			return false;
		if (!tree_wait_for(&leaf, &ending)) {
			return_to(n);
		} else if (rfs_driver_shared_read(leaf.pid, &leaf.shared)) {
			kept[n_kept++] = leaf;
			leaf.pid = 0;
		} else {
			tree_resume(text, size);
			return true;
		}
	}
	return start_copy(text, size);
}

/* Starts the test in a process that has executed as much as possible. */
static bool tree_start(const char *text, size_t size)
{
	const size_t common = common_lines(text, size);

	if (leaf.pid && leaf.size <= common) {
		tree_resume(text, size);
		return true;
	}
	tree_end(&leaf, NULL);
	return_to(common);
	return (n_kept || start_first()) && start_leaf(text, size, common);
}

bool rfs_driver_tree_execute(const char *text, size_t size, struct rfs_driver_ending *out)
{
	if (!tree_start(text, size)) {
		/* something has killed a process that waits */
		rfs_driver_tree_end();
		if (!tree_start(text, size))
			return false;
	}
	memcpy(last, text, size);
	last_size = size;
	(void)tree_wait_for(&leaf, out);
	return true;
}

void rfs_driver_tree_end(void)
{
	tree_end(&leaf, NULL);
	while (n_kept)
		end_top();
	last_size = 0;
	rfs_driver_clean();
}

struct rfs_driver_progress *rfs_driver_tree_init(bool private_network)
{
	sigset_t ended;

	has_network = private_network;
	file_rules = rfs_driver_files_rules(".");
	rfs_driver_process_prepare();
	progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (progress == MAP_FAILED)
		return NULL;
	sigemptyset(&ended);
	sigaddset(&ended, SIGCHLD);
	sigprocmask(SIG_BLOCK, &ended, NULL);
	return progress;
}
