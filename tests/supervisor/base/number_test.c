/* number_test.c - numbers in the forms that users write. */
#include "supervisor/base/text/number.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <locale.h>

TestSuite(number, .timeout = 20);

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

Test(number, integers)
{
	static const struct {
		const char *word;
		uint64_t min, max;
		int error;
		uint64_t value;
	} cases[] = {
		{"0", 0, 9, 0, 0},
		{"7", 1, 7, 0, 7},
		{"007", 1, 7, 0, 7},
		{"18446744073709551615", 0, UINT64_MAX, 0, UINT64_MAX},
		{"18446744073709551616", 0, UINT64_MAX, -ERANGE, 0},
		{"99999999999999999999999", 0, UINT64_MAX, -ERANGE, 0},
		{"99999999999999999999999x", 0, UINT64_MAX, -EINVAL, 0},
		{"0", 1, 9, -ERANGE, 0},
		{"10", 1, 9, -ERANGE, 0},
		{"", 0, 9, -EINVAL, 0},
		{" 1", 0, 9, -EINVAL, 0},
		{"1 ", 0, 9, -EINVAL, 0},
		{"+1", 0, 9, -EINVAL, 0},
		{"-1", 0, 9, -EINVAL, 0},
		{"0x1", 0, 9, -EINVAL, 0},
		{"1.0", 0, 9, -EINVAL, 0},
		{"a", 0, 99, -EINVAL, 0},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t value = 12345;

		cr_expect_eq(rfs_number_parse(cases[i].word, cases[i].min, cases[i].max, &value), cases[i].error,
			     "'%s'", cases[i].word);
		cr_expect_eq(value, cases[i].error ? 12345 : cases[i].value, "'%s' gives %llu", cases[i].word,
			     (unsigned long long)value);
	}
}

Test(number, hexadecimal)
{
	static const struct {
		const char *word;
		int error;
		uint64_t value;
	} cases[] = {
		{"0", 0, 0},
		{"1aF", 0, 0x1af},
		{"ffffffffffffffff", 0, UINT64_MAX},
		{"10000000000000000", -ERANGE, 0},
		{"0x1", -EINVAL, 0},
		{"g", -EINVAL, 0},
		{"", -EINVAL, 0},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t value = 12345;

		cr_expect_eq(rfs_hex_parse(cases[i].word, &value), cases[i].error, "'%s'", cases[i].word);
		cr_expect_eq(value, cases[i].error ? 12345 : cases[i].value, "'%s'", cases[i].word);
	}
}

Test(number, decimal_fractions)
{
	static const struct {
		const char *word;
		int error;
		double value;
	} cases[] = {
		{"0.5", 0, 0.5},      {"10", 0, 10},	     {".25", 0, 0.25},	    {"3.", 0, 3},
		{".", -EINVAL, 0},    {"", -EINVAL, 0},	     {"1.2.3", -EINVAL, 0}, {"1,5", -EINVAL, 0},
		{"inf", -EINVAL, 0},  {"nan", -EINVAL, 0},   {"1e3", -EINVAL, 0},   {"0x1p3", -EINVAL, 0},
		{"-0.5", -EINVAL, 0}, {"100.5", -ERANGE, 0}, {"0.05", -ERANGE, 0},
	};
	/* the second has a decimal comma, if it is installed */
	const char *locales[] = {"C", "de_DE.UTF-8"};

	for (size_t k = 0; k < COUNT(locales); k++) {
		setlocale(LC_NUMERIC, locales[k]);
		for (size_t i = 0; i < COUNT(cases); i++) {
			double value = -1;

			cr_expect_eq(rfs_decimal_parse(cases[i].word, 0.1, 100, &value), cases[i].error, "'%s'",
				     cases[i].word);
			cr_expect_float_eq(value, cases[i].error ? -1 : cases[i].value, 1e-12, "'%s' gives %g",
					   cases[i].word, value);
		}
	}
}

Test(number, sizes)
{
	const struct {
		const char *word;
		int error;
		uint64_t value;
	} cases[] = {
		{"5", 0, 5},
		{"3K", 0, 3072},
		{"512M", 0, UINT64_C(512) << 20},
		{"4G", 0, UINT64_C(4) << 30},
		{"1T", 0, UINT64_C(1) << 40},
		{"", -EINVAL, 0},
		{"K", -EINVAL, 0},
		{"4k", -EINVAL, 0},
		{"4KB", -EINVAL, 0},
		{"-1", -EINVAL, 0},
		{"1.5G", -EINVAL, 0},
		{"4", -ERANGE, 0},
		{"1025T", -ERANGE, 0},
		{"18446744073709551615K", -ERANGE, 0},
		{"99999999999999999999", -ERANGE, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint64_t value = 0;

		cr_expect_eq(rfs_size_parse(cases[i].word, 5, UINT64_C(1) << 50, &value), cases[i].error, "'%s'",
			     cases[i].word);
		cr_expect_eq(value, cases[i].value, "'%s'", cases[i].word);
	}
}

Test(number, times)
{
	static const struct {
		const char *word;
		int error;
		double value;
	} cases[] = {
		{"90", 0, 90},	     {"90s", 0, 90},	{"5m", 0, 300},	     {"1.5h", 0, 5400},	  {"1d", 0, 86400},
		{"0.1m", 0, 6},	     {"m", -EINVAL, 0}, {"5mm", -EINVAL, 0}, {"m5", -EINVAL, 0},  {"5M", -EINVAL, 0},
		{"1h5", -EINVAL, 0}, {"", -EINVAL, 0},	{"2d", -ERANGE, 0},  {"0.5", -ERANGE, 0}, {"5 m", -EINVAL, 0},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		double value = -1;

		cr_expect_eq(rfs_seconds_parse(cases[i].word, 1, 100000, &value), cases[i].error, "'%s'",
			     cases[i].word);
		cr_expect_float_eq(value, cases[i].error ? -1 : cases[i].value, 1e-9, "'%s' gives %g", cases[i].word,
				   value);
	}
}
