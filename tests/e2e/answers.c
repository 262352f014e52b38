#include "tests/e2e/answers.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/e2e/harness.h"

static const char *const kinds[ANSWER_KINDS] = {"race",		  "deadlock", "hang",	  "failure",
						"predicted-only", "silent",   "diverges", "bench"};

/* Answers are read before any test runs. Criterion would wait for ever at an assertion that fails there. */
static void require(bool holds, const char *format, ...)
{
	va_list args;

	if (holds)
		return;
	fputs("targets/targets.txt: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	_exit(2);
}

/* Copies a word into a field of ANSWER_NAME bytes. */
static void keep(char *field, const char *word)
{
	require(strlen(word) < ANSWER_NAME, "'%s' is too long", word);
	strcpy(field, word);
}

static enum answer_kind kind_of(const char *word)
{
	for (int i = 0; i < ANSWER_KINDS; i++)
		if (strcmp(word, kinds[i]) == 0)
			return (enum answer_kind)i;
	require(false, "'%s' is no kind of target", word);
	return ANSWER_KINDS;
}

static enum answer_want want_of(char sign)
{
	switch (sign) {
	case '!':
		return ANSWER_HARMFUL;
	case '=':
		return ANSWER_BENIGN;
	case '^':
		return ANSWER_LIBRARY;
	case '?':
		return ANSWER_MAY;
	case '~':
		return ANSWER_NEVER;
	default:
		return ANSWER_REAL;
	}
}

static void read_pair(char *word, struct answer_pair *out)
{
	char *second = strchr(word, ':');

	require(second != NULL, "'%s' is no pair", word);
	*second++ = '\0';
	out->want = want_of(*word);
	keep(out->mark[0], out->want == ANSWER_REAL ? word : word + 1);
	keep(out->mark[1], second);
}

static void read_line(char *line, struct answer *out)
{
	char *rest, *name = strtok_r(line, " \t\n", &rest), *kind = strtok_r(NULL, " \t\n", &rest);
	char *status = strtok_r(NULL, " \t\n", &rest), *pairs = strtok_r(NULL, " \t\n", &rest);
	char *words = strtok_r(NULL, " \t\n", &rest), *twin = strtok_r(NULL, " \t\n", &rest);
	char *rule = strtok_r(NULL, " \t\n", &rest);

	require(rule != NULL, "%s has too few columns", name);
	*out = (struct answer){.kind = kind_of(kind), .status = atoi(status)};
	keep(out->name, name);
	if (strcmp(twin, "-") != 0)
		keep(out->twin, twin);
	out->in_short_check = *rule == '+';
	keep(out->rule, rule + out->in_short_check);
	if (strcmp(pairs, "-") != 0)
		for (char *word = strtok_r(pairs, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
			if (strcmp(word, "*") == 0) {
				out->others = true;
				continue;
			}
			require(out->n_pairs < ANSWER_PAIRS, "%s has too many pairs", out->name);
			read_pair(word, &out->pairs[out->n_pairs++]);
		}
	if (strcmp(words, "-") != 0)
		for (char *word = strtok_r(words, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
			require(out->n_words < ANSWER_WORDS, "%s has too many words", out->name);
			keep(out->words[out->n_words++], word);
		}
}

static void require_one_of_the_rule(const struct answer *answers, size_t n, const char *rule)
{
	size_t marked = 0;

	for (size_t i = 0; i < n; i++)
		marked += answers[i].in_short_check && strcmp(answers[i].rule, rule) == 0;
	require(marked == 1, "of rule %s, %zu targets have a +, not 1", rule, marked);
}

size_t answers_read(struct answer *answers, size_t max)
{
	FILE *file = fopen("targets/targets.txt", "r");
	char line[1024];
	size_t n = 0;

	require(file != NULL, "is not there");
	while (fgets(line, sizeof(line), file)) {
		if (line[strspn(line, " \t\n")] == '\0' || line[0] == '#')
			continue;
		require(n < max, "has more than %zu lines; make ANSWERS_MAX larger", max);
		read_line(line, &answers[n++]);
	}
	fclose(file);
	for (size_t i = 0; i < n; i++)
		require_one_of_the_rule(answers, n, answers[i].rule);
	return n;
}

size_t answers_of_check(struct answer *answers, size_t max)
{
	const size_t n = answers_read(answers, max);
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (e2e_full() || answers[i].in_short_check)
			answers[kept++] = answers[i];
	return kept;
}

/* Whether the line has this mark. Its comment "RACE: NAME" may have several marks, separated by blanks or commas. */
static bool bears(const char *line, const char *mark)
{
	const char *word = strstr(line, "RACE:");
	size_t n = strlen(mark);

	for (word = word ? word + strlen("RACE:") : NULL; word && *word; word += strcspn(word, " ,\t\n")) {
		word += strspn(word, " ,\t\n");
		if (strncmp(word, mark, n) == 0 && strchr(" ,\t\n", word[n]))
			return true;
	}
	return false;
}

/* Finds the lines with the mark. included: the name of the last target that the file includes, "" if there is none. */
static void search(const char *path, const char *mark, struct answer_mark *out, char included[ANSWER_NAME])
{
	FILE *file = fopen(path, "r");
	char line[1024];

	included[0] = '\0';
	for (unsigned number = 1; file && fgets(line, sizeof(line), file); number++) {
		if (bears(line, mark) && out->n_lines < ANSWER_LINES)
			out->lines[out->n_lines++] = number;
		(void)sscanf(line, "#include \"%47[a-z0-9_].c\"", included);
	}
	if (file)
		fclose(file);
}

void answers_mark(const char *target, const char *mark, struct answer_mark *out)
{
	static const char *const places[][2] = {{"", ".c"}, {"", ".cc"}, {"lib/", ".c"}};
	char path[256], included[ANSWER_NAME], next[ANSWER_NAME] = "";

	*out = (struct answer_mark){0};
	for (size_t i = 0; i < sizeof(places) / sizeof(*places) && !out->n_lines; i++) {
		snprintf(path, sizeof(path), "targets/%s%s%s", places[i][0], target, places[i][1]);
		search(path, mark, out, included);
		if (included[0])
			strcpy(next, included);
	}
	/* a variant of another target includes it */
	if (!out->n_lines && next[0]) {
		answers_mark(next, mark, out);
		return;
	}
	cr_assert(out->n_lines, "%s: nothing is marked RACE: %s", target, mark);
	keep(out->file, path);
}

/* Whether tail is the whole path or its last components. */
static bool ends_with(const char *path, const char *tail)
{
	size_t n = strlen(path), n_tail = strlen(tail);

	return n >= n_tail && strcmp(path + n - n_tail, tail) == 0 && (n == n_tail || path[n - n_tail - 1] == '/');
}

bool answers_mark_has(const struct answer_mark *mark, const char *file, unsigned line)
{
	if (!file || !ends_with(file, mark->file))
		return false;
	for (size_t i = 0; i < mark->n_lines; i++)
		if (mark->lines[i] == line)
			return true;
	return false;
}
