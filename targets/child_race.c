/*
 * child_race.c - a child process kills a child of its own, and asks at once whether that process has ended. The
 * answer depends on which of the two runs first, and the program prints all answers. With rfsup child processes take
 * turns, so the answers are the same in each run.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define TIMES 40

static char ask(void)
{
	int status, in[2];
	char byte, answer;
	pid_t pid;

	if (pipe(in))
		return '?';
	pid = fork();
	if (pid == 0) {
		(void)!write(in[1], "", 1);
		pause();
		_exit(0);
	}
	(void)!read(in[0], &byte, 1);
	kill(pid, SIGTERM);
	answer = waitpid(pid, &status, WNOHANG) == 0 ? 'r' : 'e';
	if (answer == 'r')
		waitpid(pid, &status, 0);
	close(in[0]);
	close(in[1]);
	return answer;
}

int main(void)
{
	char answers[TIMES + 1] = {0};
	int to_program[2];

	if (pipe(to_program))
		return 1;
	if (fork() == 0) {
		for (int i = 0; i < TIMES; i++)
			answers[i] = ask();
		(void)!write(to_program[1], answers, TIMES);
		_exit(0);
	}
	if (read(to_program[0], answers, TIMES) != TIMES)
		return 1;
	wait(NULL);
	puts(answers);
	return 0;
}
