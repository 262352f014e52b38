/* utf8.c - the length of one character, by the table of well-formed bytes in the Unicode standard. */
#include "supervisor/base/text/utf8.h"

size_t rfs_utf8_length(const char *s)
{
	static const struct {
		unsigned char from, to, low, high; /* from, to: range of the first byte; low, high: of the second */
		unsigned char length;
	} forms[] = {
		{0x01, 0x7f, 0, 0, 1},	     {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
		{0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
		{0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
	};
	const unsigned char *byte = (const unsigned char *)s;

	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		if (byte[0] < forms[i].from || byte[0] > forms[i].to)
			continue;
		if (forms[i].length > 1 && (byte[1] < forms[i].low || byte[1] > forms[i].high))
			return 0;
		for (size_t k = 2; k < forms[i].length; k++)
			if (byte[k] < 0x80 || byte[k] > 0xbf)
				return 0;
		return forms[i].length;
	}
	return 0;
}
