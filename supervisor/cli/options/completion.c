/* completion.c - writes scripts for bash and zsh from the tables of options. */
#include "supervisor/cli/options/completion.h"

#include <stdbool.h>
#include <string.h>

#include "supervisor/record/run_options.h"

/* What completes an option's argument. */
enum completes { NOTHING, FILES, FOLDERS, WORDS, POLICIES };

static enum completes completes(const struct rfs_option *option)
{
	if (option->words)
		return WORDS;
	if (!option->argument)
		return NOTHING;
	if (strcmp(option->argument, "FILE") == 0)
		return FILES;
	if (strcmp(option->argument, "DIR") == 0)
		return FOLDERS;
	return strcmp(option->name, "policy") == 0 || strcmp(option->name, "explore-with") == 0 ? POLICIES : NOTHING;
}

/* The first part of the help, as far as it can be in a single-quoted word with brackets. */
static void put_help(const struct rfs_option *option, FILE *out)
{
	for (const char *s = option->help; *s && *s != ';' && *s != '('; s++)
		if (!strchr("'[]:\\`\"", *s))
			fputc(*s, out);
}

static void put_words(const struct rfs_option *option, FILE *out)
{
	for (size_t i = 0; option->words[i]; i++)
		fprintf(out, "%s%s", i ? " " : "", option->words[i]);
}

/* ---- bash ---- */

static const char bash_head[] = "# bash completion for rfsup(1), made by rfsup --completion=bash\n"
				"_rfsup() {\n"
				"\tlocal cur=${COMP_WORDS[COMP_CWORD]} option= i\n"
				"\tCOMPREPLY=()\n"
				"\t# bash splits --name=value into three words\n"
				"\tif [[ $cur == = ]]; then\n"
				"\t\toption=${COMP_WORDS[COMP_CWORD-1]} cur=\n"
				"\telif [[ ${COMP_WORDS[COMP_CWORD-1]} == = ]]; then\n"
				"\t\toption=${COMP_WORDS[COMP_CWORD-2]}\n"
				"\telse\n"
				"\t\toption=${COMP_WORDS[COMP_CWORD-1]}\n"
				"\tfi\n"
				"\tcase $option in\n";

static const char bash_tail[] =
	"\t# after the program, its arguments are completed as without rfsup\n"
	"\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
	"\t\tcase ${COMP_WORDS[i]} in\n"
	"\t\t--) ((i++)); break ;;\n"
	"\t\t=) ((i++)) ;;\n"
	"\t\t-*) [[ \" $with_value \" == *\" ${COMP_WORDS[i]} \"* && ${COMP_WORDS[i+1]} != = ]] && ((i++)) ;;\n"
	"\t\t*) break ;;\n"
	"\t\tesac\n"
	"\tdone\n"
	"\tif ((i < COMP_CWORD)); then\n"
	"\t\tif declare -F _command_offset >/dev/null; then _command_offset $i; else COMPREPLY=($(compgen -f -- "
	"\"$cur\")); fi\n"
	"\telif [[ $cur == -* ]]; then\n"
	"\t\tCOMPREPLY=($(compgen -W \"$all\" -- \"$cur\"))\n"
	"\t\t# an option is no file name, in which bash would quote the =\n"
	"\t\tcompopt +o filenames 2>/dev/null\n"
	"\t\t[[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null\n"
	"\telse\n"
	"\t\tCOMPREPLY=($(compgen -c -- \"$cur\") $(compgen -f -- \"$cur\"))\n"
	"\tfi\n"
	"\treturn 0\n"
	"}\n"
	"complete -o filenames -F _rfsup rfsup\n";

static void put_bash_case(const struct rfs_completed_option *completed, FILE *out)
{
	const struct rfs_option *option = completed->option;
	enum completes what = completes(option);

	if (!option->argument)
		return;
	fputs("\t", out);
	if (completed->letter)
		fprintf(out, "-%c|", completed->letter);
	fprintf(out, "--%s) ", option->name);
	switch (what) {
	case FILES:
		fputs("COMPREPLY=($(compgen -f -- \"$cur\"))", out);
		break;
	case FOLDERS:
		fputs("COMPREPLY=($(compgen -d -- \"$cur\"))", out);
		break;
	case WORDS:
		fputs("COMPREPLY=($(compgen -W '", out);
		put_words(option, out);
		fputs("' -- \"$cur\"))", out);
		break;
	case POLICIES:
		fputs("COMPREPLY=($(compgen -W \"$(rfsup --list-policies 2>/dev/null | cut -d' ' -f1)\" -- \"$cur\"))",
		      out);
		break;
	case NOTHING:
		fputs(":", out);
		break;
	}
	fputs("; return 0 ;;\n", out);
}

static void put_names(const struct rfs_completed_option *options, size_t n, bool with_value, const char *after,
		      FILE *out)
{
	for (size_t i = 0; i < n; i++) {
		if (with_value && !options[i].option->argument)
			continue;
		fprintf(out, " --%s%s", options[i].option->name, options[i].option->argument ? after : "");
		if (with_value && options[i].letter)
			fprintf(out, " -%c", options[i].letter);
	}
}

static void write_bash(const struct rfs_completed_option *options, size_t n, FILE *out)
{
	fputs(bash_head, out);
	for (size_t i = 0; i < n; i++)
		put_bash_case(&options[i], out);
	fputs("\tesac\n\tlocal with_value='", out);
	put_names(options, n, true, "", out);
	fputs("'\n\tlocal all='--generate=", out);
	put_names(options, n, false, "=", out);
	fputs("'\n", out);
	fputs(bash_tail, out);
}

/* ---- zsh ---- */

static void put_zsh_argument(const struct rfs_option *option, FILE *out)
{
	if (!option->argument)
		return;
	fprintf(out, ":%s:", option->argument);
	switch (completes(option)) {
	case FILES:
		fputs("_files", out);
		break;
	case FOLDERS:
		fputs("_files -/", out);
		break;
	case WORDS:
		fputs("(", out);
		put_words(option, out);
		fputs(")", out);
		break;
	case POLICIES:
		fputs("_values -s , policy ${(f)\"$(rfsup --list-policies 2>/dev/null | cut -d\" \" -f1)\"}", out);
		break;
	case NOTHING:
		fputs(" ", out);
		break;
	}
}

static void write_zsh(const struct rfs_completed_option *options, size_t n, FILE *out)
{
	fputs("#compdef rfsup\n# zsh completion for rfsup(1), made by rfsup --completion=zsh\n_arguments -S \\\n", out);
	for (size_t i = 0; i < n; i++) {
		const struct rfs_option *option = options[i].option;

		if (options[i].letter) {
			fprintf(out, "\t'*-%c+[", options[i].letter);
			put_help(option, out);
			fputs("]", out);
			put_zsh_argument(option, out);
			fputs("' \\\n", out);
		}
		fprintf(out, "\t'*--%s%s[", option->name, option->argument ? "=" : "");
		put_help(option, out);
		fputs("]", out);
		put_zsh_argument(option, out);
		fputs("' \\\n", out);
	}
	fputs("\t'(-)1:program:_command_names -e' \\\n\t'*::argument:_normal'\n", out);
}

void rfs_completion_write(enum rfs_shell shell, const struct rfs_completed_option *options, size_t n, FILE *out)
{
	if (shell == RFS_SHELL_ZSH)
		write_zsh(options, n, out);
	else
		write_bash(options, n, out);
}
