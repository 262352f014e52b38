/* number.c - digits, suffixes and ends of text, checked one by one, because strtoul(3) accepts more. */
#include "supervisor/base/text/number.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/*
 * The value of the digit c; -1: c is not a digit of this base (10 or 16). isdigit() is not used, because it depends on
 * the locale.
 */
static int number_digit(char c, int base)
{
	static const char digits[] = "0123456789abcdef";
	const char *p = c ? strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c) : NULL;

	return p && p - digits < base ? (int)(p - digits) : -1;
}

/* Parses the first n characters. */
static int parse_first(const char *word, size_t n, int base, uint64_t *out)
{
	uint64_t value = 0;
	bool huge = false;

	if (!n)
		return -EINVAL;
	for (; n; n--, word++) {
		int d = number_digit(*word, base);

		if (d < 0)
			return -EINVAL;
		if (__builtin_mul_overflow(value, (uint64_t)base, &value) ||
		    __builtin_add_overflow(value, (uint64_t)d, &value))
			huge = true;
	}
	if (huge)
		return -ERANGE;
	*out = value;
	return 0;
}

static int parse(const char *word, int base, uint64_t *out)
{
	return parse_first(word, strlen(word), base, out);
}

int rfs_number_parse(const char *word, uint64_t min, uint64_t max, uint64_t *out)
{
	uint64_t value;
	int error = parse(word, 10, &value);

	if (error)
		return error;
	if (value < min || value > max)
		return -ERANGE;
	*out = value;
	return 0;
}

int rfs_size_parse(const char *word, uint64_t min, uint64_t max, uint64_t *out)
{
	static const char letters[] = "KMGT";
	const size_t n = strlen(word);
	const char *letter = n ? strchr(letters, word[n - 1]) : NULL;
	uint64_t value;
	int error = parse_first(word, n - (letter != NULL), 10, &value);

	if (error)
		return error;
	if (letter && __builtin_mul_overflow(value, UINT64_C(1) << 10 * (letter - letters + 1), &value))
		return -ERANGE;
	if (value < min || value > max)
		return -ERANGE;
	*out = value;
	return 0;
}

int rfs_hex_parse(const char *word, uint64_t *out)
{
	return parse(word, 16, out);
}

/* The first n characters, multiplied by `factor`. */
static int parse_decimal(const char *word, size_t n, double factor, double min, double max, double *out)
{
	double value = 0, unit = 1;
	bool point = false, any = false;

	/* strtod() is not used: it accepts "inf", "nan", "0x1p3", signs, and the decimal comma of the locale */
	for (; n; n--, word++) {
		int d = number_digit(*word, 10);

		if (*word == '.' && !point) {
			point = true;
			continue;
		}
		if (d < 0)
			return -EINVAL;
		any = true;
		if (point)
			value += d * (unit /= 10);
		else
			value = value * 10 + d;
	}
	if (!any)
		return -EINVAL;
	value *= factor;
	if (!(value >= min && value <= max))
		return -ERANGE;
	*out = value;
	return 0;
}

int rfs_decimal_parse(const char *word, double min, double max, double *out)
{
	return parse_decimal(word, strlen(word), 1, min, max, out);
}

int rfs_seconds_parse(const char *word, double min, double max, double *out)
{
	static const char letters[] = "smhd";
	static const double seconds[] = {1, 60, 3600, 24 * 3600};
	const size_t n = strlen(word);
	const char *letter = n ? strchr(letters, word[n - 1]) : NULL;

	return parse_decimal(word, n - (letter != NULL), letter ? seconds[letter - letters] : 1, min, max, out);
}
