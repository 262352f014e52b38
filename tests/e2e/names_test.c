/*
 * names_test.c - reports call C++ and Rust as the user wrote them. For each case of programs/named.cc and named.rs:
 * what the title, the sentence, the page and the SARIF result must say, and that none of them shows a line or a
 * function of a system header.
 */
#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "tests/e2e/harness.h"

TestSuite(names, .timeout = 900);

struct named {
	const char *argument;
	const char *title;     /* a line of the report begins with this */
	const char *functions; /* words of the finding's sentence, separated by '|' */
	const char *lines;     /* marks of the source whose lines the sentence has, separated by '|' */
};

/* The line of the source that ends with the mark. */
static unsigned line_of(const char *source, const char *mark)
{
	char *text = e2e_text(source), *end, wanted[3][80];
	unsigned line = 1, found = 0;

	cr_assert_not_null(text, "%s", source);
	snprintf(wanted[0], sizeof(wanted[0]), "// %s", mark);
	snprintf(wanted[1], sizeof(wanted[1]), "/* %s */", mark);
	for (char *at = text; at; at = end ? end + 1 : NULL, line++) {
		const char *comment;

		end = strchr(at, '\n');
		if (end)
			*end = '\0';
		comment = strstr(at, wanted[0]);
		if ((comment && strcmp(comment, wanted[0]) == 0) || strstr(at, wanted[1]))
			found = line;
	}
	free(text);
	cr_assert(found, "no line of %s has the mark %s", source, mark);
	return found;
}

/* Whether the text has all words, which are separated by '|'. */
static bool has_all(const char *text, const char *words)
{
	char *copy = xstrdup(words), *rest = NULL;
	bool has = true;

	for (char *word = strtok_r(copy, "|", &rest); word; word = strtok_r(NULL, "|", &rest))
		has = has && strstr(text, word);
	free(copy);
	return has;
}

/* The title and the sentence below it. Caller frees; NULL: there is no such finding. */
static char *finding_of(const char *out, const char *title)
{
	char *start = xasprintf("\n%s", title), *text = NULL;
	const char *at = strstr(out, start), *end;

	if (at) {
		end = strchr(at + 1, '\n');
		end = end ? strchr(end + 1, '\n') : NULL;
		text = xstrndup(at + 1, end ? (size_t)(end - at - 1) : strlen(at + 1));
	}
	free(start);
	return text;
}

/*
 * What the user did not write: of the C++ library, of Rust's, and machinery that starts threads. After a name, an
 * address in brackets tells objects of one name apart.
 */
static bool is_foreign(const char *text)
{
	static const char *const words[] = {"/usr/", "/rustc/", "std::__",  "_M_",  "operator new",
					    "nptl/", "near ",	" heap+0x", "::_S", "__invoke"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strstr(text, words[i]))
			return true;
	return false;
}

static void check(const char *program, const char *source, const struct named *named)
{
	char *finding, *page, *sarif, *message, *words, *rest = NULL, *own = strrchr(source, '/') + 1;
	char path[PATH_MAX];
	json_t *log, *result;
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--runs=2", "--explore=6", "--sarif", "out.sarif", program, named->argument));
	e2e_expect_status(&e2e, 1);
	finding = finding_of(e2e.said.out, named->title);
	e2e_expect(&e2e, finding, "%s: no finding begins with '%s'\n%s", named->argument, named->title, e2e.said.out);
	if (!finding) {
		e2e_end(&e2e);
		return;
	}
	e2e_expect(&e2e, !is_foreign(finding), "%s: %s", named->argument, finding);
	e2e_expect(&e2e, has_all(finding, named->functions), "%s: %s", named->argument, finding);
	words = xstrdup(named->lines);
	for (char *mark = strtok_r(words, "|", &rest); mark; mark = strtok_r(NULL, "|", &rest)) {
		char *line = xasprintf("%s:%u", own, line_of(source, mark));

		e2e_expect(&e2e, strstr(finding, line), "%s: no %s in: %s", named->argument, line, finding);
		free(line);
	}
	/* the index shows the same title and sentence */
	snprintf(path, sizeof(path), "%s/out/index.html", e2e.folder);
	page = e2e_text(path);
	e2e_expect(&e2e, page && strstr(page, "<p class=\"cause\">"), "%s: no card", named->argument);
	/* the first result of SARIF is at a line of the user */
	snprintf(path, sizeof(path), "%s/out.sarif", e2e.folder);
	sarif = e2e_text(path);
	log = sarif ? json_loads(sarif, 0, NULL) : NULL;
	result = json_array_get(json_object_get(json_array_get(json_object_get(log, "runs"), 0), "results"), 0);
	message = json_dumps(json_object_get(result, "message"), JSON_ENCODE_ANY);
	e2e_expect(&e2e, message && !is_foreign(message), "%s: %s", named->argument, message ? message : "no result");
	free(message);
	message = json_dumps(json_object_get(result, "locations"), 0);
	e2e_expect(&e2e, message && strstr(message, own), "%s: %s", named->argument, message ? message : "no place");
	free(message);
	json_decref(log);
	free(sarif);
	free(page);
	free(words);
	free(finding);
	e2e_end(&e2e);
}

/* make check has the first three. */
static const struct named cxx[] = {
	{"map", "HARMFUL ATOMICITY VIOLATION R-w-R on map_case::c.data", "Cache::has(...)|Cache::get(...)", "has|get"},
	{"lambda", "HARMFUL race on lambda_case::counter", "lambda_case::operator()", "counter"},
	{"template", "HARMFUL race on bytes.value", "Counter<long>::add(long)", "value"},
	{"coroutine", "HARMFUL race on produced", "produce at", "produced"},
	{"deadlock", "DEADLOCK of 2 threads", "transfer at|lock of alice.m|lock of bob.m", "second"},
	{"vector", "HARMFUL race on items", "vector_case::operator()", "items"},
	{"unordered_map", "HARMFUL race on table of Registry, allocated by thread 0 at named.cc:", "Registry::put(int)",
	 "table"},
	{"shared_ptr", "HARMFUL race on std::shared_ptr<int>, allocated by thread 0 at named.cc:",
	 "shared_ptr_case::operator()", "replace|copy"},
	{"unique_ptr", "HARMFUL race on Config, allocated by thread 0 at named.cc:", "unique_ptr_case::operator()",
	 "reset|use"},
	{"this", "HARMFUL race on this_case::button.clicks", "Button::handler()", "clicks"},
	{"static_member", "HARMFUL race on Pool<Config>::live", "Pool<Config>::take()", "live"},
	{"string", "HARMFUL race on text", "string_case::operator()", "append|append2"},
	{"list", "HARMFUL race on numbers", "list_case::operator()", "clear|walk"},
	{"condition", "REAL race on open_now", "condition_case::operator()", "open|test_open"},
	{"shared_mutex", "HARMFUL race on setting", "shared_mutex_case::operator()", "setting"},
	{"function", "HARMFUL race on callback", "function_case::operator()", "unset"},
	{"optional", "REAL race on slot", "optional_case::operator()", "empty_slot"},
	{"array", "HARMFUL race on stats.hits", "Stats::hit(unsigned long)", "hits"},
	{"virtual", "HARMFUL race on sides of Square, allocated by thread 0 at named.cc:", "Shape::grow()", "sides"},
	{"set", "HARMFUL race on words", "set_case::operator()", "insert"},
};

Test(names, are_those_of_cxx)
{
	char *program;
	struct e2e e2e;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "named.cc", "-g -O1 -std=c++20");
	for (size_t i = 0; i < e2e_rows(2, sizeof(cxx) / sizeof(*cxx)); i++)
		check(program, "tests/e2e/programs/named.cc", &cxx[i]);
	free(program);
	e2e_end(&e2e);
}

static const struct named rust[] = {
	{"method", "HARMFUL race on named::HITS.count", "named::Hits::bump at", "hits"},
	{"generic", "HARMFUL race on named::LARGEST", "named::note at", "compare|largest"},
	{"global", "HARMFUL race on named::TOTAL", "named::add at", "total"},
	{"deadlock", "DEADLOCK of 2 threads", "named::transfer at|money.inner", "second"},
	/* the variable is named::pointer::value, but rustc 1.63 does not say where it is in memory */
	{"pointer", "HARMFUL race on ", "named::pointer::{{closure}}", "bump"},
};

Test(names, are_those_of_rust)
{
	char program[PATH_MAX], *command;
	struct e2e e2e;

	if (!e2e_full() || system("command -v rustc >/dev/null")) // NOLINT(cert-env33-c): no foreign input
		cr_skip_test("rustc is for make check-full");
	e2e_begin(&e2e);
	snprintf(program, sizeof(program), "%s/named", e2e.folder);
	command = xasprintf("rustc -g -O -A warnings -o '%s' \"$OLDPWD/tests/e2e/programs/named.rs\"", program);
	e2e_expect_command(&e2e, command);
	for (size_t i = 0; i < sizeof(rust) / sizeof(*rust); i++)
		check(program, "tests/e2e/programs/named.rs", &rust[i]);
	free(command);
	e2e_end(&e2e);
}
