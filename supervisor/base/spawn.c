/* spawn.c - posix_spawnp(3) with /dev/null as standard input. */
#include "supervisor/base/spawn.h"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

int rfs_spawn(char *const *words, char *const *environment, int out, bool quiet, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	int error;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	if (quiet)
		posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	error = -posix_spawnp(pid, words[0], &actions, NULL, words, environment);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}
