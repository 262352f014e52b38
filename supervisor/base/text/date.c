/* date.c - fields of fixed width, because strptime(3) accepts blanks, signs and days such as February 31. */
#include "supervisor/base/text/date.h"

#include <errno.h>
#include <stdbool.h>
#include <time.h>

/* The times of these years, with what a run adds to them, are below 2^64 nanoseconds. */
#define FIRST_YEAR 1971
#define LAST_YEAR 2199

/* Whether the word has the form, in which 0 means any digit. */
static bool has_form(const char *word, const char *form)
{
	for (; *form && *word; form++, word++)
		if (*form == '0' ? *word < '0' || *word > '9' : *word != *form)
			return false;
	return !*form && !*word;
}

static int digits(const char *at, int n)
{
	int value = 0;

	for (int i = 0; i < n; i++)
		value = value * 10 + at[i] - '0';
	return value;
}

int rfs_date_parse(const char *word, uint64_t *seconds)
{
	const bool timed = has_form(word, "0000-00-00T00:00:00");
	struct tm given = {0}, real;
	time_t at;

	if (!timed && !has_form(word, "0000-00-00"))
		return -EINVAL;
	given.tm_year = digits(word, 4) - 1900;
	given.tm_mon = digits(word + 5, 2) - 1;
	given.tm_mday = digits(word + 8, 2);
	if (timed) {
		given.tm_hour = digits(word + 11, 2);
		given.tm_min = digits(word + 14, 2);
		given.tm_sec = digits(word + 17, 2);
	}
	real = given;
	at = timegm(&real); /* changes fields that are out of range */
	if (real.tm_mon != given.tm_mon || real.tm_mday != given.tm_mday || real.tm_hour != given.tm_hour ||
	    real.tm_min != given.tm_min || real.tm_sec != given.tm_sec || real.tm_year < FIRST_YEAR - 1900 ||
	    real.tm_year > LAST_YEAR - 1900)
		return -EINVAL;
	*seconds = (uint64_t)at;
	return 0;
}

void rfs_date_text(uint64_t seconds, char out[RFS_DATE_SIZE])
{
	const time_t at = (time_t)seconds;
	struct tm fields;

	strftime(out, RFS_DATE_SIZE, "%Y-%m-%dT%H:%M:%S", gmtime_r(&at, &fields));
}
