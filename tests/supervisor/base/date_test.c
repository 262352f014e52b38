/* date_test.c - dates as users write them. */
#include "supervisor/base/text/date.h"

#include <criterion/criterion.h>
#include <errno.h>

TestSuite(date, .timeout = 20);

Test(date, only_dates_that_exist)
{
	static const struct {
		const char *word;
		uint64_t seconds; /* 0: refused */
		const char *text;
	} cases[] = {
		{"2020-01-01", 1577836800, "2020-01-01T00:00:00"},
		{"2026-11-29T10:15:59", 1795947359, "2026-11-29T10:15:59"},
		{"2024-02-29", 1709164800, "2024-02-29T00:00:00"},
		{"1971-01-01", 31536000, "1971-01-01T00:00:00"},
		{"2199-12-31T23:59:59", 7258118399, "2199-12-31T23:59:59"},
		{"1970-12-31", 0, NULL},
		{"2200-01-01", 0, NULL},
		{"2023-02-29", 0, NULL},
		{"2023-00-10", 0, NULL},
		{"2023-13-10", 0, NULL},
		{"2023-04-31", 0, NULL},
		{"2023-04-00", 0, NULL},
		{"2023-04-01T24:00:00", 0, NULL},
		{"2023-04-01T10:60:00", 0, NULL},
		{"2023-04-01T10:10:60", 0, NULL},
		{"2023-04-01T10:10", 0, NULL},
		{"2023-04-01 10:10:10", 0, NULL},
		{"2023-04-01T10:10:10Z", 0, NULL},
		{"2023-4-1", 0, NULL},
		{"+023-04-01", 0, NULL},
		{" 2023-04-01", 0, NULL},
		{"2023-04-01 ", 0, NULL},
		{"now", 0, NULL},
		{"", 0, NULL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint64_t seconds = 0;
		char text[RFS_DATE_SIZE];

		cr_expect_eq(rfs_date_parse(cases[i].word, &seconds), cases[i].seconds ? 0 : -EINVAL, "'%s'",
			     cases[i].word);
		cr_expect_eq(seconds, cases[i].seconds, "'%s' gives %llu", cases[i].word, (unsigned long long)seconds);
		if (!cases[i].seconds)
			continue;
		rfs_date_text(seconds, text);
		cr_expect_str_eq(text, cases[i].text);
	}
}
