/* trust.c - prints the program, its words and commands, and variables that make programs run other code. */
#include "supervisor/cli/recorded/trust.h"

#include <stdbool.h>
#include <string.h>

#include "supervisor/record/record.h"

static void trust_put(const char *text, FILE *out)
{
	for (; *text; text++)
		fputc((unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text, out);
}

static void trust_put_line(const char *name, const char *text, FILE *out)
{
	if (!text)
		return;
	fprintf(out, "    %-9s ", name);
	trust_put(text, out);
	fputc('\n', out);
}

/* Whether the variable makes the dynamic linker, a shell or an interpreter run other code. */
static bool runs_code(const char *variable)
{
	static const char *const names[] = {"LD_",   "PATH=", "BASH_ENV=", "ENV=", "PYTHON",
					    "PERL5", "RUBY",  "NODE_",	   "JAVA_"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strncmp(variable, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

void rfs_trust_show(const struct rfs_record *record, FILE *out)
{
	const struct rfs_run_spec *spec = &record->execution.spec;

	fputs("the record runs\n", out);
	trust_put_line("program", spec->process.path, out);
	fputs("    words    ", out);
	for (char *const *word = spec->process.argv; *word; word++) {
		fputc(' ', out);
		trust_put(*word, out);
	}
	fputc('\n', out);
	trust_put_line("in", spec->process.cwd, out);
	trust_put_line("setup", spec->job.setup, out);
	trust_put_line("drive", spec->job.drive, out);
	trust_put_line("policy", record->execution.policy_path, out);
	trust_put_line("input", spec->job.stdin_path, out);
	trust_put_line("copy of", spec->job.fresh_dir, out);
	for (char *const *variable = spec->process.envp; variable && *variable; variable++)
		if (runs_code(*variable))
			trust_put_line("with", *variable, out);
}
