/* html_lanes_test.c - the bars in the table of a run: which locks each thread holds at each operation. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "policy/policy.h"
#include "supervisor/record/record.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/trace_file.h"
#include "supervisor/report/html/html-priv.h"
#include "supervisor/report/html/html.h"

TestSuite(html_lanes, .timeout = 20);

#define OP(t, k, o)                                                                                                    \
	{                                                                                                              \
		.thread = (t), .kind = RFS_OP_##k, .name = RFS_NAME_HEAP, .offset = (o)                                \
	}

static const char *no_module(const void *run, size_t number)
{
	(void)run, (void)number;
	return NULL;
}

/* For each row of the table, how many locks each thread holds there: "10 11", with the first thread first. */
static void bars(const struct rfs_trace_entry *entries, size_t n, char *out)
{
	static const struct rfs_run_result result;
	static const struct rfs_record record;
	const struct rfs_page page = {.record = &record, .result = &result};
	struct rfs_html_names names = {.page = &page, .operations = {NULL, no_module, NULL, entries, NULL}};
	char *text, *row, *rest = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	rfs_html_locks_free(rfs_html_write_lanes(&names, entries, n, file));
	fclose(file);
	*out = '\0';
	for (row = strtok_r(text, "\n", &rest); row; row = strtok_r(NULL, "\n", &rest)) {
		if (!strstr(row, "<td class=\"lane"))
			continue;
		if (*out)
			strcat(out, " ");
		for (const char *lane = row; (lane = strstr(lane, "<td class=\"lane"));) {
			const char *end = strstr(lane, "</td>");
			char digit[2] = "0";

			while ((lane = strstr(lane, "title=\"holds ")) && lane < end) {
				digit[0]++;
				lane++;
			}
			strcat(out, digit);
			lane = end;
		}
	}
	free(text);
	rfs_html_names_release(&names);
}

/* A trylock that failed takes nothing. The trace says so only by what the thread does next. */
Test(html_lanes, bars_of_locks)
{
	static const struct {
		struct rfs_trace_entry entries[6];
		const char *bars;
	} cases[] = {
		{{OP(0, LOCK, 1), OP(0, LOCK, 2), OP(0, UNLOCK, 1), OP(0, UNLOCK, 2), OP(1, YIELD, 0)},
		 "10 20 20 10 00"},
		{{OP(0, TRYLOCK, 1), OP(1, TRYLOCK, 1), OP(0, UNLOCK, 1), OP(1, YIELD, 0)}, "10 10 10 00"},
		{{OP(0, TRYLOCK, 1), OP(1, TRYLOCK, 1), OP(0, UNLOCK, 1), OP(1, LOCK, 1), OP(1, UNLOCK, 1)},
		 "10 10 10 01 01"},
		{{OP(0, LOCK, 1), OP(0, COND_WAIT, 3), OP(1, LOCK, 1), OP(1, UNLOCK, 1), OP(0, COND_WAKE, 3),
		  OP(0, UNLOCK, 1)},
		 "10 10 01 01 10 10"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char text[64];
		size_t n = 0;

		while (n < 6 && cases[i].entries[n].name == RFS_NAME_HEAP)
			n++;
		bars(cases[i].entries, n, text);
		cr_expect_str_eq(text, cases[i].bars, "case %zu: %s", i, text);
	}
}

/* A wait gives up the mutex that the trace names, also if the thread has locked another one since. */
Test(html_lanes, a_wait_releases_its_own_mutex)
{
	struct rfs_trace_entry entries[] = {OP(0, LOCK, 1),	 OP(0, LOCK, 2),   OP(0, COND_WAIT, 3),
					    OP(1, LOCK, 1),	 OP(1, LOCK, 2),   OP(1, UNLOCK, 1),
					    OP(0, COND_WAKE, 3), OP(0, UNLOCK, 2), OP(1, YIELD, 0)};
	const struct {
		size_t mutex; /* the entry that names it */
		const char *bars;
	} cases[] = {
		{0, "10 20 20 11 12 12 21 21 11"}, /* the wait of a mutex that the thread does not hold takes nothing */
		{2, "10 20 20 21 22 22 21 21 11"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char text[64];

		entries[2].value = rfs_trace_object(&entries[cases[i].mutex]);
		bars(entries, sizeof(entries) / sizeof(*entries), text);
		cr_expect_str_eq(text, cases[i].bars, "case %zu: %s", i, text);
	}
}

/* The data of the page: everything of a short run; of a very long one, the start and the end. */
Test(html_lanes, data_is_bounded)
{
	static const size_t sizes[] = {3, 150000, 600000};
	static const size_t kept[] = {3, 150000, 100000};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct rfs_trace_entry *entries = calloc(sizes[i], sizeof(*entries));
		static const struct rfs_run_result result;
		static const struct rfs_record record;
		const struct rfs_page page = {.record = &record, .result = &result};
		struct rfs_html_names names = {.page = &page, .operations = {NULL, no_module, NULL, entries, NULL}};
		char *text, *data;
		json_t *json;
		size_t size, bytes;
		FILE *file = open_memstream(&text, &size);

		for (size_t k = 0; k < sizes[i]; k++)
			entries[k] = (struct rfs_trace_entry)OP(k % 7, LOCK, 1 + k % 1000);
		rfs_html_locks_free(rfs_html_write_lanes(&names, entries, sizes[i], file));
		fclose(file);
		data = strstr(text, "id=\"run\">") + strlen("id=\"run\">");
		bytes = strcspn(data, "<");
		cr_expect_lt(size, 6000000, "%zu", size);
		json = json_loadb(data, bytes, 0, NULL);
		cr_assert_not_null(json);
		cr_expect_eq(json_array_size(json_object_get(json, "operations")), 3 * kept[i]);
		cr_expect_eq(json_array_size(json_object_get(json, "parts")), kept[i] == sizes[i] ? 2 : 4);
		json_decref(json);
		free(text);
		free(entries);
		rfs_html_names_release(&names);
	}
}

/* A handler has a lane, although it runs on another thread. */
Test(html_lanes, the_head_names_a_handler)
{
	static const struct rfs_trace_entry entries[] = {
		OP(0, YIELD, 1), {.thread = 1, .kind = RFS_OP_START, .name = RFS_NAME_HEAP, .access = SIGALRM}};
	static const struct rfs_run_result result;
	static const struct rfs_record record;
	const struct rfs_page page = {.record = &record, .result = &result};
	struct rfs_html_names names = {.page = &page, .operations = {NULL, no_module, NULL, entries, NULL}};
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	rfs_html_locks_free(rfs_html_write_lanes(&names, entries, sizeof(entries) / sizeof(*entries), file));
	fclose(file);
	cr_expect_not_null(strstr(text, "<th scope=\"col\">thread 0</th>"), "%s", text);
	cr_expect_not_null(strstr(text, "<th scope=\"col\">thread 1, handler of SIGALRM</th>"), "%s", text);
	free(text);
	rfs_html_names_release(&names);
}

/* A free is of the whole block, and a system call may have no object that is known. */
Test(html_lanes, frees_and_calls_have_their_names)
{
	static const struct {
		struct rfs_trace_entry entry;
		const char *text;
	} cases[] = {
		{{.kind = RFS_OP_ACCESS, .name = RFS_NAME_HEAP, .offset = 16, .size = 64, .access = RFS_ACCESS_FREE},
		 "free heap+0x10"},
		{{.kind = RFS_OP_ACCESS, .name = RFS_NAME_HEAP, .offset = 16, .size = 4, .access = RFS_ACCESS_WRITE},
		 "write heap+0x10 = 0"},
		{{.kind = RFS_OP_ACCESS,
		  .access = RFS_ACCESS_CALL | (SYS_unlink + 1u) << RFS_ACCESS_CALL_SHIFT | RFS_ACCESS_WRITE},
		 "unlink(2)"},
	};
	static const struct rfs_record record;
	const struct rfs_page page = {.record = &record};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rfs_html_names names = {.page = &page,
					       .operations = {NULL, no_module, NULL, &cases[i].entry, NULL}};
		char *text = rfs_html_operation(&names, 0);

		cr_expect_str_eq(text, cases[i].text, "case %zu: %s", i, text);
		free(text);
	}
}

/* The race has its row before the operation, also if there is output before it. */
Test(html_lanes, the_race_is_where_it_was)
{
	static const struct rfs_trace_entry entries[] = {
		{.kind = RFS_TRACE_OUTPUT, .offset = 3}, OP(0, YIELD, 1), OP(0, LOCK, 2), OP(1, LOCK, 3)};
	static const struct rfs_run_result result = {.n_created = 1, .created.step = 2};
	static const struct rfs_record record;
	const struct rfs_page page = {.record = &record, .result = &result};
	struct rfs_html_names names = {.page = &page, .operations = {NULL, no_module, NULL, entries, NULL}};

	cr_expect_eq(rfs_html_race_row(&names, sizeof(entries) / sizeof(*entries)), 3);
	cr_expect_eq(rfs_html_race_row(&names, 1), 1);
}
