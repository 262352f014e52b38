/* utf8_test.c - which bytes are a UTF-8 character (RFC 3629, sections 3 and 4). */
#include "supervisor/base/text/utf8.h"

#include <criterion/criterion.h>

TestSuite(utf8, .timeout = 30);

Test(utf8, length_of_a_character)
{
	static const struct {
		const char *s;
		size_t length;
	} rows[] = {
		{"", 0},
		{"a", 1},
		{"\x01", 1},
		{"\x7f", 1},
		{"\xc3\xa4", 2},
		{"\xc3\xa4\xc3\xa4", 2},
		{"\xdf\xbf", 2},
		{"\xe0\xa0\x80", 3},
		{"\xe2\x82\xac", 3},
		{"\xed\x9f\xbf", 3},
		{"\xef\xbf\xbd", 3},
		{"\xf0\x90\x80\x80", 4},
		{"\xf3\xa0\x80\x81", 4},
		{"\xf4\x8f\xbf\xbf", 4},
		/* bytes that cannot begin a character */
		{"\x80", 0},
		{"\xbf", 0},
		{"\xff\xff", 0},
		/* incomplete characters: at the end, or before another one */
		{"\xc3", 0},
		{"\xe2\x82", 0},
		{"\xf0\x9f\x98", 0},
		{"\xc3(", 0},
		{"\xe2\x82(", 0},
		{"\xf0\x9f\x98(", 0},
		/* overlong forms, surrogates, and values above U+10FFFF */
		{"\xc0\x80", 0},
		{"\xc1\xbf", 0},
		{"\xe0\x9f\xbf", 0},
		{"\xf0\x8f\xbf\xbf", 0},
		{"\xed\xa0\x80", 0},
		{"\xed\xbf\xbf", 0},
		{"\xf4\x90\x80\x80", 0},
		{"\xf5\x80\x80\x80", 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		cr_expect_eq(rfs_utf8_length(rows[i].s), rows[i].length, "row %zu", i);
}
