/* import_test.c - reports of other tools as data. The texts are of real runs, shortened. */
#include "supervisor/import/import.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(import, .timeout = 60);

static const char tsan[] =
	"counting\n"
	"==================\n"
	"WARNING: ThreadSanitizer: data race (pid=71)\n"
	"  Write of size 4 at 0x55eb160f7108 by thread T2 (mutexes: write M12):\n"
	"    #0 memcpy ../../../../src/libsanitizer/tsan/tsan_interceptors.cpp:1 (libtsan.so.2+0x5e686)\n"
	"    #1 ns::list<int>::push(int const&) /src/my list.cc:38:9 (prog+0x12c6) (BuildId: fe1dce005abd4a59)\n"
	"    #2 <null> <null> (libwork.so+0x1234)\n"
	"\n"
	"  Previous atomic read of size 8 at 0x55eb160f710c by main thread:\n"
	"    #0 thread1 figure1.c:24 (prog+0x1387)\n"
	"\n"
	"  Thread T2 (tid=8, running) created by main thread at:\n"
	"    #0 pthread_create <null> (libtsan.so.2+0x5e686)\n"
	"\n"
	"SUMMARY: ThreadSanitizer: data race /src/my list.cc:38 in push\n"
	"==================\n";

static const char order[] = "12: WARNING: ThreadSanitizer: lock-order-inversion (potential deadlock) (pid=9)\n"
			    "12:   Cycle in lock order graph: M0 (0x1) => M1 (0x2) => M0\n"
			    "12: \n"
			    "12:   Mutex M1 acquired here while holding mutex M0 in thread T1:\n"
			    "12:     #0 pthread_mutex_lock <null> (libtsan.so.2+0x558e1)\n"
			    "another program writes\n"
			    "12:     #1 one bank.c:20 (prog+0x1428)\n"
			    "12:   Mutex M0 previously acquired by the same thread here:\n"
			    "12:     #0 pthread_mutex_lock <null> (libtsan.so.2+0x558e1)\n"
			    "12:     #1 one bank.c:19 (prog+0x1420)\n"
			    "12:   Mutex M0 acquired here while holding mutex M1 in thread T2:\n"
			    "12:     #0 pthread_mutex_lock <null> (libtsan.so.2+0x558e1)\n"
			    "12:     #1 two bank.c:30 (prog+0x1528)\n"
			    "12: SUMMARY: ThreadSanitizer: lock-order-inversion\n"
			    "12: WARNING: ThreadSanitizer: thread leak (pid=9)\n"
			    "12:   Thread T1 created at:\n"
			    "12: SUMMARY: ThreadSanitizer: thread leak\n";

static const char helgrind[] =
	"==7== Helgrind, a thread error detector\n"
	"==7== Command: ./prog\n"
	"==7== \n"
	"==7== ---Thread-Announcement------------------------------------------\n"
	"==7== \n"
	"==7== Thread #3 was created\n"
	"==7==    at 0x4971B3F: clone (clone.S:76)\n"
	"==7== \n"
	"==7== ----------------------------------------------------------------\n"
	"==7== \n"
	"==7== Possible data race during write of size 4 at 0x10C0C8 by thread #3\n"
	"==7== Locks held: none\n"
	"==8== Helgrind, a thread error detector\n"
	"==7==    at 0x1092E8: ns::push(list*) (list.cc:38)\n"
	"==7==    by 0x484C7D6: ??? (in /usr/libexec/valgrind/vgpreload_helgrind-amd64-linux.so)\n"
	"==7==    by 0x4971B4F: clone (clone.S:100)\n"
	"==7== \n"
	"==7== This conflicts with a previous read of size 4 by thread #2\n"
	"==7== Locks held: none\n"
	"==7==    at 0x10935C: look (in /src/prog)\n"
	"==7==  Address 0x10c0c8 is 0 bytes inside data symbol \"z\"\n"
	"==7== \n"
	"==7== ----------------------------------------------------------------\n"
	"==7== \n"
	"==7== Thread #3: lock order \"0x10C180 before 0x10C1C0\" violated\n"
	"==7== \n"
	"==7== Observed (incorrect) order is: acquisition of lock at 0x10C1C0\n"
	"==7==    at 0x1093C6: two (bank.c:30)\n"
	"==7== \n"
	"==7==  followed by a later acquisition of lock at 0x10C180\n"
	"==7==    at 0x1093CE: two (bank.c:31)\n"
	"==7== \n"
	"==7== Required order was established by acquisition of lock at 0x10C180\n"
	"==7==    at 0x10941C: one (bank.c:20)\n"
	"==7== \n"
	"==7==  followed by a later acquisition of lock at 0x10C1C0\n"
	"==7==    at 0x109424: one (bank.c:21)\n"
	"==7== \n"
	"==7==  Lock at 0x10C180 was first observed\n"
	"==7==    at 0x10941C: one (bank.c:20)\n"
	"==7== \n"
	"==7== ----------------------------------------------------------------\n"
	"==7== \n"
	"==7== Thread #3: Exiting thread still holds 1 lock\n"
	"==7==    at 0x10941C: one (bank.c:20)\n"
	"==7== \n"
	"==7== ERROR SUMMARY: 3 errors from 3 contexts (suppressed: 7 from 7)\n";

static const char drd[] = "==9== drd, a thread error detector\n"
			  "==9== \n"
			  "==9== Conflicting load by thread 3 at 0x0010c088 size 4\n"
			  "==9==    at 0x109290: add (counts.c:23)\n"
			  "==9== Allocation context: BSS section of /src/prog\n"
			  "==9== Other segment start (thread 2)\n"
			  "==9==    at 0x109200: start (counts.c:2)\n"
			  "==9== \n"
			  "==9== ERROR SUMMARY: 1 errors from 1 contexts\n";

static struct rfs_import parse(enum rfs_import_form form, const char *text, size_t n)
{
	struct rfs_import import;
	char why[512] = "";
	int error = rfs_import_parse("file", form, text, n, &import, why, sizeof(why));

	cr_assert_eq(error, 0, "%s", why);
	return import;
}

static void expect_frame(const struct rfs_import_stack *stack, size_t i, const char *function, const char *file,
			 unsigned line)
{
	const struct rfs_import_frame *frame = &stack->frames[i];

	cr_assert_gt(stack->n, i);
	cr_expect(function ? frame->function && strcmp(frame->function, function) == 0 : !frame->function, "%s: %s",
		  function ? function : "none", frame->function ? frame->function : "none");
	cr_expect(file ? frame->file && strcmp(frame->file, file) == 0 : !frame->file, "%s: %s", file ? file : "none",
		  frame->file ? frame->file : "none");
	cr_expect_eq(frame->line, line);
}

Test(import, form)
{
	static const struct {
		const char *text;
		enum rfs_import_form form;
	} rows[] = {
		{tsan, RFS_FORM_TEXT},
		{helgrind, RFS_FORM_TEXT},
		{drd, RFS_FORM_TEXT},
		{" \n<?xml version=\"1.0\"?>\n<valgrindoutput>", RFS_FORM_XML},
		{"\xef\xbb\xbf{\"schema\": 1}", RFS_FORM_JSON},
		{"\xff\xfe=\0=\0", RFS_FORM_UTF16},
		{"WARNING: DATA RACE\nRead at 0x00c0000b4010 by goroutine 7:\n", RFS_FORM_GO},
		{"figure1.c:14 figure1.c:23\n", RFS_FORM_PAIRS},
		{"# from WARNING: ThreadSanitizer: data race\na.c:1 a.c:2\n", RFS_FORM_PAIRS},
		{"", RFS_FORM_PAIRS},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		cr_expect_eq(rfs_import_form_of(rows[i].text, strlen(rows[i].text)), rows[i].form, "row %zu", i);
	cr_expect_not_null(rfs_import_refused(RFS_FORM_GO));
	cr_expect_not_null(rfs_import_refused(RFS_FORM_UTF16));
	cr_expect_null(rfs_import_refused(RFS_FORM_TEXT));
}

Test(import, tsan_race)
{
	struct rfs_import import = parse(RFS_FORM_TEXT, tsan, sizeof(tsan) - 1);
	const struct rfs_import_report *report = import.reports[0];
	const struct rfs_import_frame *push;

	cr_assert_eq(import.n, 1);
	cr_expect_eq(report->tool, RFS_IMPORT_TSAN);
	cr_expect_eq(report->kind, RFS_IMPORT_RACE);
	cr_expect_str_eq(report->title, "data race");
	cr_expect_eq(report->line, 3);
	cr_expect_eq(report->process, 71);
	cr_expect_not(report->cut);
	cr_assert_eq(report->n_accesses, 2);
	cr_expect(report->access[0].writes && !report->access[0].atomic && report->access[0].size == 4);
	cr_expect(!report->access[1].writes && report->access[1].atomic && report->access[1].size == 8);
	cr_expect_eq(report->access[1].address, 0x55eb160f710c);
	cr_assert_eq(report->access[0].stack.n, 3);
	cr_expect_eq(rfs_import_first_own(&report->access[0].stack), 1, "memcpy() is of the tool");
	expect_frame(&report->access[0].stack, 1, "ns::list<int>::push(int const&)", "/src/my list.cc", 38);
	expect_frame(&report->access[0].stack, 2, NULL, NULL, 0);
	push = &report->access[0].stack.frames[1];
	cr_expect_str_eq(push->module, "prog");
	cr_expect_str_eq(push->build_id, "fe1dce005abd4a59");
	cr_expect(push->has_offset && push->offset == 0x12c6);
	cr_expect_str_eq(report->access[0].stack.frames[2].module, "libwork.so");
	cr_assert_eq(report->access[1].stack.n, 1, "where a thread was created is not read");
	expect_frame(&report->access[1].stack, 0, "thread1", "figure1.c", 24);
	rfs_import_release(&import);
}

/* A comment of a pairs file may be long, and may name a tool as often as it likes. */
Test(import, long_comment)
{
	enum { MARKS = 200000 };
	static const char mark[] = "WARNING: ThreadSanitizer: ";
	const size_t n = MARKS * (sizeof(mark) - 1) + 1;
	char *text = malloc(n);

	cr_assert_not_null(text);
	text[0] = '#';
	for (size_t i = 0; i < MARKS; i++)
		memcpy(text + 1 + i * (sizeof(mark) - 1), mark, sizeof(mark) - 1);
	cr_expect_eq(rfs_import_form_of(text, n), RFS_FORM_PAIRS);
	text[0] = ' ';
	cr_expect_eq(rfs_import_form_of(text, n), RFS_FORM_TEXT);
	free(text);
}

/* The access whose stack is lost does not count. */
Test(import, tsan_lost_stack)
{
	static const char lost[] = "WARNING: ThreadSanitizer: data race (pid=71)\n"
				   "  Read of size 8 at 0x10 by thread T2:\n"
				   "    #0 look list.c:3 (prog+0x12c6)\n"
				   "  Previous write of size 8 at 0x10 by thread T1:\n"
				   "    [failed to restore the stack]\n"
				   "SUMMARY: ThreadSanitizer: data race list.c:3 in look\n";
	struct rfs_import import = parse(RFS_FORM_TEXT, lost, sizeof(lost) - 1);

	cr_expect_eq(import.reports[0]->n_accesses, 1);
	rfs_import_release(&import);
}

Test(import, tsan_lock_order)
{
	struct rfs_import import = parse(RFS_FORM_TEXT, order, sizeof(order) - 1);
	const struct rfs_import_report *report = import.reports[0];

	cr_assert_eq(import.n, 2);
	cr_expect_eq(report->kind, RFS_IMPORT_DEADLOCK);
	cr_assert_eq(report->n_parts, 2);
	cr_expect_eq(rfs_import_first_own(&report->parts[0].wanted), 1);
	expect_frame(&report->parts[0].wanted, 1, "one", "bank.c", 20);
	expect_frame(&report->parts[0].held, 1, "one", "bank.c", 19);
	expect_frame(&report->parts[1].wanted, 1, "two", "bank.c", 30);
	cr_expect_eq(report->parts[1].held.n, 0);
	cr_expect_eq(import.reports[1]->kind, RFS_IMPORT_OTHER);
	cr_expect_str_eq(import.reports[1]->title, "thread leak");
	rfs_import_release(&import);
}

Test(import, helgrind)
{
	struct rfs_import import = parse(RFS_FORM_TEXT, helgrind, sizeof(helgrind) - 1);
	const struct rfs_import_report *race = import.reports[0], *deadlock = import.reports[1];

	cr_assert_eq(import.n, 3);
	cr_expect_eq(race->tool, RFS_IMPORT_HELGRIND);
	cr_assert_eq(race->n_accesses, 2);
	cr_expect(race->access[0].writes && !race->access[1].writes && race->access[1].size == 4);
	cr_assert_eq(race->access[0].stack.n, 3, "lines of another process are in between");
	expect_frame(&race->access[0].stack, 0, "ns::push(list*)", "list.cc", 38);
	cr_expect_eq(race->access[0].stack.frames[0].address, 0x1092E8);
	cr_expect(rfs_import_is_tool(&race->access[0].stack.frames[1]));
	expect_frame(&race->access[1].stack, 0, "look", NULL, 0);
	cr_expect_str_eq(race->access[1].stack.frames[0].module, "/src/prog");
	cr_assert_eq(deadlock->kind, RFS_IMPORT_DEADLOCK);
	cr_assert_eq(deadlock->n_parts, 2);
	expect_frame(&deadlock->parts[0].held, 0, "two", "bank.c", 30);
	expect_frame(&deadlock->parts[0].wanted, 0, "two", "bank.c", 31);
	expect_frame(&deadlock->parts[1].held, 0, "one", "bank.c", 20);
	expect_frame(&deadlock->parts[1].wanted, 0, "one", "bank.c", 21);
	cr_expect_eq(deadlock->parts[1].wanted.n, 1, "where a lock was first observed is not read");
	cr_expect_eq(import.reports[2]->kind, RFS_IMPORT_OTHER);
	cr_expect_str_eq(import.reports[2]->title, "Thread #3: Exiting thread still holds 1 lock");
	rfs_import_release(&import);
}

Test(import, drd)
{
	struct rfs_import import = parse(RFS_FORM_TEXT, drd, sizeof(drd) - 1);
	const struct rfs_import_report *report = import.reports[0];

	cr_assert_eq(import.n, 1);
	cr_expect_eq(report->tool, RFS_IMPORT_DRD);
	cr_assert_eq(report->n_accesses, 1);
	cr_expect(!report->access[0].writes && report->access[0].size == 4 && report->access[0].address == 0x10c088);
	cr_assert_eq(report->access[0].stack.n, 1, "the segments of the other thread are not read");
	rfs_import_release(&import);
}

Test(import, mixed_and_doubled)
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);
	struct rfs_import import;

	cr_assert_not_null(out);
	for (int i = 0; i < 3; i++)
		fprintf(out, "%s%s%s", tsan, helgrind, drd);
	fclose(out);
	import = parse(RFS_FORM_TEXT, text, n);
	cr_expect_eq(import.n_all, 15);
	cr_expect_eq(import.n, 5, "%zu", import.n);
	cr_expect_eq(import.reports[0]->count, 3);
	rfs_import_release(&import);
	free(text);
}

/* The log of many tests, each of which wrote its reports at the same time as its neighbours. */
Test(import, many_processes)
{
	enum { PROCESSES = 3000 };
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);
	struct rfs_import import;

	cr_assert_not_null(out);
	for (int i = 1; i <= PROCESSES; i++)
		fprintf(out, "==%d== Conflicting load by thread 3 at 0x0010c088 size 4\n", i);
	for (int i = 1; i <= PROCESSES; i++)
		fprintf(out, "==%d==    at 0x10930C: add%d (x.c:38)\n==%d== \n", i, i, i);
	fclose(out);
	import = parse(RFS_FORM_TEXT, text, n);
	cr_expect_eq(import.n_all, PROCESSES);
	cr_expect_eq(import.n, PROCESSES);
	for (size_t i = 0; i < import.n; i++)
		cr_expect(import.reports[i]->access[0].stack.n == 1 && !import.reports[i]->cut);
	rfs_import_release(&import);
	free(text);
}

/* A line end of another system, and a file that ends anywhere. */
Test(import, damaged)
{
	static const struct {
		const char *text;
		size_t n;
		enum rfs_import_form form;
	} files[] = {
		{tsan, sizeof(tsan) - 1, RFS_FORM_TEXT},
		{order, sizeof(order) - 1, RFS_FORM_TEXT},
		{helgrind, sizeof(helgrind) - 1, RFS_FORM_TEXT},
		{drd, sizeof(drd) - 1, RFS_FORM_TEXT},
	};
	struct rfs_import import;
	char why[512];

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		for (size_t n = 0; n <= files[i].n; n++) {
			char *copy = malloc(n ? n : 1);

			cr_assert_not_null(copy);
			memcpy(copy, files[i].text, n);
			if (rfs_import_parse("file", files[i].form, copy, n, &import, why, sizeof(why)) == 0)
				rfs_import_release(&import);
			else
				cr_expect_null(strchr(why, '\n'));
			free(copy);
		}
	import = parse(RFS_FORM_TEXT, tsan, (size_t)(strstr(tsan, "  Previous") - tsan));
	cr_expect(import.reports[0]->cut);
	cr_expect_eq(import.reports[0]->n_accesses, 1);
	rfs_import_release(&import);
	cr_expect_eq(rfs_import_parse("file", RFS_FORM_TEXT, "==7== Helgrind, a thread error detector\n", 40, &import,
				      why, sizeof(why)),
		     -EINVAL);
	cr_expect_str_eq(why, "file: there is no report of a race or a deadlock in this file");
}

static const char xml[] =
	"<?xml version=\"1.0\"?>\n<valgrindoutput>\n<pid>30</pid>\n<tool>helgrind</tool>\n"
	"<error><kind>Race</kind>\n"
	"<xwhat><text>Possible data race during write of size 4 at 0x10C0C8 by thread #3</text></xwhat>\n"
	"<stack><frame><ip>0x1092E8</ip><obj>/src/prog</obj><fn>ns::push(list&lt;int&gt;*)</fn><dir>/src</dir>"
	"<file>list.cc</file><line>38</line></frame></stack>\n"
	"<xauxwhat><text>This conflicts with a previous read of size 4 by thread #2</text></xauxwhat>\n"
	"<stack><frame><ip>0x10935C</ip></frame></stack>\n"
	"<auxwhat>Address 0x10c0c8 is 0 bytes inside data symbol z</auxwhat>\n"
	"<stack><frame><ip>0x1</ip></frame></stack></error>\n"
	"<error><kind>LockOrder</kind><xwhat><text>Thread #3: lock order \"0x1 before 0x2\" violated</text></xwhat>\n"
	"<stack><frame><ip>0x10</ip><fn>two</fn></frame></stack>\n"
	"<auxwhat>Required order was established by acquisition of lock at 0x1</auxwhat>\n"
	"<stack><frame><ip>0x20</ip><fn>one</fn></frame></stack>\n"
	"<auxwhat>followed by a later acquisition of lock at 0x2</auxwhat>\n"
	"<stack><frame><ip>0x28</ip><fn>one</fn></frame></stack></error>\n"
	"</valgrindoutput>\n";

Test(import, valgrind_xml)
{
	struct rfs_import import = parse(RFS_FORM_XML, xml, sizeof(xml) - 1);
	const struct rfs_import_report *race = import.reports[0], *deadlock = import.reports[1];

	cr_assert_eq(import.n, 2);
	cr_expect_null(import.note);
	cr_expect_eq(race->tool, RFS_IMPORT_HELGRIND);
	cr_expect_eq(race->process, 30);
	cr_expect_eq(race->line, 5);
	cr_assert_eq(race->n_accesses, 2);
	expect_frame(&race->access[0].stack, 0, "ns::push(list<int>*)", "/src/list.cc", 38);
	cr_expect_str_eq(race->access[0].stack.frames[0].module, "/src/prog");
	cr_assert_eq(race->access[1].stack.n, 1);
	cr_expect_eq(race->access[1].stack.frames[0].address, 0x10935C);
	cr_assert_eq(deadlock->n_parts, 2);
	cr_expect_eq(deadlock->parts[0].held.n, 0, "the XML does not have it");
	expect_frame(&deadlock->parts[0].wanted, 0, "two", NULL, 0);
	expect_frame(&deadlock->parts[1].wanted, 0, "one", NULL, 0);
	rfs_import_release(&import);
}

/* The outputs of several processes in one file, which may also have text. None of them is lost, or read twice. */
Test(import, several_documents)
{
	static const struct {
		const char *before, *between, *after;
		enum rfs_import_form form;
		uint64_t all;
		size_t different;
	} rows[] = {
		{"", "", "", RFS_FORM_XML, 4, 2},
		{"\n", "\n\n", "the end\n", RFS_FORM_XML, 4, 2},
		{"", tsan, "", RFS_FORM_XML, 4 + 1, 2 + 1},
		{tsan, "", drd, RFS_FORM_TEXT, 4 + 1 + 1, 2 + 1 + 1},
		{"", "<?xml version=\"1.0\"?>\n<html></html>\n", "", RFS_FORM_XML, 4, 2},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct rfs_import import;
		char *text = NULL;

		cr_assert_gt(asprintf(&text, "%s%s%s%s%s", rows[i].before, xml, rows[i].between, xml, rows[i].after),
			     0);
		cr_expect_eq(rfs_import_form_of(text, strlen(text)), rows[i].form, "row %zu", i);
		import = parse(rows[i].form, text, strlen(text));
		cr_expect_eq(import.n_all, rows[i].all, "row %zu: %d", i, (int)import.n_all);
		cr_expect_eq(import.n, rows[i].different, "row %zu: %zu", i, import.n);
		cr_expect_eq(import.note != NULL, i == 4, "row %zu: %s", i, import.note);
		rfs_import_release(&import);
		free(text);
	}
}

/* A document that was cut, because its process was killed, does not hide the next one. */
Test(import, a_cut_document_and_another)
{
	const int n = (int)(strstr(xml, "<auxwhat>followed") - xml);
	struct rfs_import import;
	char *text = NULL;

	cr_assert_gt(asprintf(&text, "%.*s\n%s", n, xml, xml), 0);
	import = parse(RFS_FORM_XML, text, strlen(text));
	cr_expect_eq(import.n_all, 3);
	cr_expect_eq(import.n, 2);
	cr_assert_not_null(import.note);
	cr_expect(strstr(import.note, "the XML ends or is damaged here"), "%s", import.note);
	rfs_import_release(&import);
	free(text);
}

/* The program was killed: what is complete counts. */
Test(import, xml_after_empty_lines)
{
	char *text = NULL;
	struct rfs_import import;

	cr_assert_gt(asprintf(&text, "\n \n%s", xml), 0);
	import = parse(RFS_FORM_XML, text, strlen(text));
	cr_assert_eq(import.n, 2);
	cr_expect_eq(import.reports[0]->line, 7);
	rfs_import_release(&import);
	free(text);
}

Test(import, cut_xml)
{
	size_t n = (size_t)(strstr(xml, "<auxwhat>followed") - xml);
	struct rfs_import import = parse(RFS_FORM_XML, xml, n);
	char why[512];

	cr_expect_eq(import.n, 1);
	cr_assert_not_null(import.note);
	cr_expect(strstr(import.note, "the XML ends or is damaged here"), "%s", import.note);
	rfs_import_release(&import);
	cr_expect_eq(rfs_import_parse("file", RFS_FORM_XML, "<html></html>", 13, &import, why, sizeof(why)), -EINVAL);
	cr_expect_str_eq(why, "file: the XML is not the output of Valgrind");
}

Test(import, rfsup_json)
{
	static const char json[] =
		"{\"schema\": 1, \"modules\": [{\"name\": \"/src/prog\", \"build_id\": \"37c7aaaabf58f4b6\"}],"
		"\"pairs\": [{\"statements\": ["
		"{\"module\": \"/src/prog\", \"offset\": 4840, \"file\": \"/src/a.c\", \"line\": 38, \"function\": "
		"\"f\","
		" \"access\": \"write\", \"size\": 4},"
		"{\"module\": \"/src/prog\", \"offset\": 4956, \"access\": \"atomic read\", \"size\": 4}]}],"
		"\"predicted_deadlocks\": [{\"threads\": ["
		"{\"holds\": {\"module\": \"/src/prog\", \"offset\": 1}, \"wants\": {\"module\": \"/src/prog\", "
		"\"offset\": 2}},"
		"{\"holds\": null, \"wants\": {\"module\": \"/src/prog\", \"offset\": 4}}]},"
		"{\"one_thread\": true, \"threads\": []}]}";
	static const char marked[] = "\xef\xbb\xbf{\"schema\": 1, \"pairs\": [{}]}";
	struct rfs_import import = parse(RFS_FORM_JSON, json, sizeof(json) - 1);
	const struct rfs_import_report *race = import.reports[0], *deadlock = import.reports[1];
	char why[512];

	cr_assert_eq(import.n, 2);
	cr_expect(race->access[0].writes && !race->access[1].writes && race->access[1].atomic);
	expect_frame(&race->access[0].stack, 0, "f", "/src/a.c", 38);
	cr_expect_str_eq(race->access[0].stack.frames[0].build_id, "37c7aaaabf58f4b6");
	cr_expect_eq(race->access[0].stack.frames[0].offset, 4840);
	cr_assert_eq(deadlock->n_parts, 2);
	cr_expect_eq(deadlock->parts[0].held.frames[0].offset, 1);
	cr_expect_eq(deadlock->parts[1].held.n, 0);
	rfs_import_release(&import);
	cr_expect_eq(rfs_import_parse("file", RFS_FORM_JSON, marked, strlen(marked), &import, why, sizeof(why)), 0,
		     "%s", why);
	cr_expect_eq(import.n, 1);
	rfs_import_release(&import);
	cr_expect_eq(rfs_import_parse("file", RFS_FORM_JSON, json, 100, &import, why, sizeof(why)), -EINVAL);
	cr_expect(strstr(why, "the JSON is damaged"), "%s", why);
	cr_expect_eq(rfs_import_parse("file", RFS_FORM_JSON, "{\"a\": 1}", 8, &import, why, sizeof(why)), -EINVAL);
	cr_expect_str_eq(why, "file: the JSON is not a report of rfsup");
}
