/*
 * format_call.c - a table of the functions, the arguments of the x86-64 ABI, and the conversions of format strings.
 * It prints nothing.
 */
#include "supervisor/access/calls/format_call.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "supervisor/access/calls/range_call.h"

#define FORMAT_MAX 512 /* longer formats are cut */
#define NO (-1)

/* The numbers of arguments, from 0. */
struct family {
	const char *name;
	int8_t to;     /* the buffer that is written; NO: none */
	int8_t size;   /* its size */
	int8_t from;   /* sscanf: the string that is read */
	int8_t format; /* the format; the arguments of its conversions follow it */
	bool list;     /* they are in a va_list */
	bool scans;
};

static const struct family families[] = {
	{"printf", NO, NO, NO, 0, false, false},	 {"fprintf", NO, NO, NO, 1, false, false},
	{"dprintf", NO, NO, NO, 1, false, false},	 {"sprintf", 0, NO, NO, 1, false, false},
	{"snprintf", 0, 1, NO, 2, false, false},	 {"__printf_chk", NO, NO, NO, 1, false, false},
	{"__fprintf_chk", NO, NO, NO, 2, false, false},	 {"__dprintf_chk", NO, NO, NO, 2, false, false},
	{"__sprintf_chk", 0, NO, NO, 3, false, false},	 {"__snprintf_chk", 0, 1, NO, 4, false, false},
	{"vprintf", NO, NO, NO, 0, true, false},	 {"vfprintf", NO, NO, NO, 1, true, false},
	{"vsprintf", 0, NO, NO, 1, true, false},	 {"vsnprintf", 0, 1, NO, 2, true, false},
	{"__vprintf_chk", NO, NO, NO, 1, true, false},	 {"__vfprintf_chk", NO, NO, NO, 2, true, false},
	{"__vsprintf_chk", 0, NO, NO, 3, true, false},	 {"__vsnprintf_chk", 0, 1, NO, 4, true, false},
	{"scanf", NO, NO, NO, 0, false, true},		 {"fscanf", NO, NO, NO, 1, false, true},
	{"sscanf", NO, NO, 0, 1, false, true},		 {"__isoc99_scanf", NO, NO, NO, 0, false, true},
	{"__isoc99_fscanf", NO, NO, NO, 1, false, true}, {"__isoc99_sscanf", NO, NO, 0, 1, false, true},
	{"__isoc23_scanf", NO, NO, NO, 0, false, true},	 {"__isoc23_fscanf", NO, NO, NO, 1, false, true},
	{"__isoc23_sscanf", NO, NO, 0, 1, false, true},
};

static const struct family *family_of(const char *callee)
{
	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++)
		if (strcmp(families[i].name, callee) == 0)
			return &families[i];
	return NULL;
}

bool rfs_format_call_known(const char *callee)
{
	return family_of(callee) != NULL;
}

/* ---- arguments ---- */

/* va_list of the x86-64 ABI (3.5.7). */
struct list {
	uint32_t general, vector; /* offsets of the next arguments in `saved` */
	uint64_t overflow, saved;
};
#define GENERAL_END 48
#define VECTOR_END 176

/* Where the next argument is. */
struct arguments {
	const struct user_regs_struct *regs;
	const struct rfs_range_reader *reader;
	bool entry;
	bool use_list, known; /* known: all arguments so far could be read */
	int next, vectors;
	struct list list;
};

static uint64_t format_call_word_at(struct arguments *a, rfs_addr address)
{
	uint64_t value = 0;

	a->known = a->known && a->reader->read(a->reader->arg, address, &value, sizeof(value));
	return a->known ? value : 0;
}

static uint64_t format_call_argument(struct arguments *a, int number)
{
	const struct user_regs_struct *r = a->regs;
	const uint64_t values[] = {r->rdi, r->rsi, r->rdx, r->rcx, r->r8, r->r9};
	const rfs_addr stack = r->rsp + (a->entry ? 8 : 0);

	return number < 6 ? values[number] : format_call_word_at(a, stack + 8 * (uint64_t)(number - 6));
}

static uint64_t next_general(struct arguments *a)
{
	rfs_addr at;

	if (!a->use_list)
		return format_call_argument(a, a->next++);
	if (a->list.general < GENERAL_END) {
		at = a->list.saved + a->list.general;
		a->list.general += 8;
	} else {
		at = a->list.overflow;
		a->list.overflow += 8;
	}
	return format_call_word_at(a, at);
}

/* Skips a floating-point argument. After eight of them, they are on the stack, among the others. */
static void skip_vector(struct arguments *a)
{
	if (a->use_list && a->list.vector < VECTOR_END)
		a->list.vector += 16;
	else if (a->use_list)
		a->list.overflow += 8;
	else if (++a->vectors > 8)
		a->known = false;
}

static bool format_call_begin(struct arguments *a, const struct family *family, const struct user_regs_struct *regs,
			      bool entry, const struct rfs_range_reader *reader)
{
	*a = (struct arguments){.regs = regs,
				.reader = reader,
				.entry = entry,
				.use_list = family->list,
				.known = true,
				.next = family->format + 1};
	return !family->list ||
	       reader->read(reader->arg, format_call_argument(a, family->format + 1), &a->list, sizeof(a->list));
}

/* ---- conversions ---- */

struct conversion {
	char kind;	   /* its letter; 0: the end of the format */
	bool skips;	   /* scanf: '*', nothing is assigned */
	int64_t width;	   /* -1: none; printf: of '*', the argument was taken */
	int64_t precision; /* -1: none */
	unsigned size;	   /* of an integer or, for scanf, of what is assigned; in bytes */
	uint64_t literals; /* characters before it that are printed as they are */
	bool long_double;
};

static int64_t format_call_number(const char **at)
{
	int64_t value = 0;

	for (; isdigit((unsigned char)**at) && value < 1 << 24; (*at)++)
		value = 10 * value + **at - '0';
	return value;
}

static unsigned modified_size(const char **at, bool *long_double)
{
	unsigned size = 4;

	*long_double = false;
	for (;; (*at)++)
		switch (**at) {
		case 'h':
			size = size == 2 ? 1 : 2;
			break;
		case 'l':
		case 'j':
		case 'z':
		case 't':
		case 'q':
			size = 8;
			break;
		case 'L':
			size = 8;
			*long_double = true;
			break;
		default:
			return size;
		}
}

/* Takes the next conversion. False if it has a form that is not known, such as "%1$s". */
static bool next_conversion(const char **at, bool scans, struct arguments *a, struct conversion *out)
{
	*out = (struct conversion){.width = -1, .precision = -1};
	for (; **at && (**at != '%' || (*at)[1] == '%'); (*at)++) {
		out->literals++;
		*at += **at == '%';
	}
	if (!**at)
		return true;
	(*at)++;
	if (scans && **at == '*') {
		out->skips = true;
		(*at)++;
	}
	*at += scans ? 0 : strspn(*at, "-+ #0'");
	if (isdigit((unsigned char)**at))
		out->width = format_call_number(at);
	else if (**at == '*') {
		out->width = (int32_t)next_general(a);
		(*at)++;
	}
	if (**at == '.') {
		(*at)++;
		out->precision = **at == '*' ? (int32_t)next_general(a) : format_call_number(at);
		*at += **at == '*';
	}
	out->size = modified_size(at, &out->long_double);
	out->kind = **at;
	if (out->kind)
		(*at)++;
	return out->kind && out->kind != '$' && (isalpha((unsigned char)out->kind) || out->kind == '[');
}

static void format_call_add(struct rfs_range_call *out, rfs_addr address, uint64_t size, bool write, bool late)
{
	if (size && out->n < RFS_RANGES_MAX)
		out->range[out->n++] = (struct rfs_touched_range){address, size, write, late};
}

static bool format_text(const struct arguments *a, rfs_addr address, char *text)
{
	uint64_t size = rfs_range_string_size(a->reader, address, FORMAT_MAX);

	text[FORMAT_MAX - 1] = '\0';
	return size && a->reader->read(a->reader->arg, address, text, size < FORMAT_MAX ? size : FORMAT_MAX - 1);
}

/* How many characters printf makes of an integer, without precision and flags. */
static uint64_t printed(const struct conversion *c, uint64_t value)
{
	const int64_t width = c->width > 0 ? c->width : 0;
	const unsigned unused = 64 - 8 * c->size;
	const int64_t number = (int64_t)(value << unused) >> unused;
	const uint64_t bits = value << unused >> unused;
	int n = 1;

	switch (c->kind) {
	case 'd':
	case 'i':
		n = snprintf(NULL, 0, "%lld", (long long)number);
		break;
	case 'u':
		n = snprintf(NULL, 0, "%llu", (unsigned long long)bits);
		break;
	case 'x':
	case 'X':
		n = snprintf(NULL, 0, "%llx", (unsigned long long)bits);
		break;
	case 'o':
		n = snprintf(NULL, 0, "%llo", (unsigned long long)bits);
		break;
	default:
		break;
	}
	return n > width ? (uint64_t)n : (uint64_t)width;
}

/* Adds the strings that printf reads. Returns how many characters it prints at least. */
static uint64_t look_print(struct arguments *a, const char *format, struct rfs_range_call *out)
{
	struct conversion c;
	uint64_t least = 0, size, value;

	while (next_conversion(&format, false, a, &c)) {
		least += c.literals;
		if (!c.kind)
			break;
		if (strchr("aAeEfFgG", c.kind)) {
			if (c.long_double)
				break; /* it is on the stack, and aligned */
			skip_vector(a);
			least++;
			continue;
		}
		if (c.kind == 'm')
			continue;
		value = next_general(a);
		if (!a->known)
			break;
		if (c.kind == 's' && c.size != 8 && value) {
			size = rfs_range_string_size(a->reader, value,
						     c.precision >= 0 ? (uint64_t)c.precision : SIZE_MAX / 2);
			format_call_add(out, value, size, false, false);
			/* with a precision, the NUL may not be reached */
			least += size ? size - 1 : 0;
		} else if (c.kind == 'n') {
			format_call_add(out, value, c.size, true, true);
		} else {
			least += printed(&c, value);
		}
	}
	return least;
}

/* The longest string that %s may store, with its NUL. input: the size of what sscanf reads; 0: unknown. */
static uint64_t longest_string(const struct conversion *c, uint64_t input)
{
	const uint64_t width = c->width > 0 ? (uint64_t)c->width + 1 : 0;

	if (width && input)
		return width < input ? width : input;
	/* without a limit, it has at least one character */
	return width || input ? width + input : 2;
}

/* What a conversion of scanf assigns, in bytes. exact: the variable has its new value. */
static uint64_t assigned_size(const struct arguments *a, const struct conversion *c, rfs_addr address, bool exact,
			      uint64_t input)
{
	switch (c->kind) {
	case 's':
	case '[':
		return exact ? rfs_range_string_size(a->reader, address, SIZE_MAX / 2) : longest_string(c, input);
	case 'c':
		return c->width > 0 ? (uint64_t)c->width : 1;
	case 'p':
		return 8;
	case 'a':
	case 'e':
	case 'f':
	case 'g':
	case 'E':
	case 'G':
		return c->long_double ? 10 : c->size;
	default:
		return c->long_double ? 8 : c->size;
	}
}

/* Adds what the first n assignments of scanf write. exact, input: as above. */
static void look_scan(struct arguments *a, const char *format, uint64_t n, bool exact, uint64_t input,
		      struct rfs_range_call *out)
{
	struct conversion c;
	rfs_addr address;

	while (n > 0 && next_conversion(&format, true, a, &c) && c.kind) {
		if (c.kind == '[') {
			format += *format == '^';
			format += *format == ']';
			format += strcspn(format, "]");
			format += *format == ']';
		}
		if (c.skips)
			continue;
		address = next_general(a);
		if (!a->known)
			break;
		format_call_add(out, address, assigned_size(a, &c, address, exact, input), true, !exact);
		n -= c.kind != 'n';
	}
}

void rfs_format_call_look(const char *callee, const struct user_regs_struct *regs, bool entry,
			  const struct rfs_range_reader *reader, struct rfs_range_call *out)
{
	const struct family *family = family_of(callee);
	struct arguments a;
	char format[FORMAT_MAX];
	uint64_t least, size, input = 0;

	if (!format_call_begin(&a, family, regs, entry, reader) ||
	    !format_text(&a, format_call_argument(&a, family->format), format))
		return;
	if (family->from != NO) {
		input = rfs_range_string_size(reader, format_call_argument(&a, family->from), SIZE_MAX / 2);
		format_call_add(out, format_call_argument(&a, family->from), input, false, false);
	}
	if (family->scans) {
		look_scan(&a, format, UINT64_MAX, false, input, out);
		return;
	}
	least = look_print(&a, format, out) + 1;
	if (family->to == NO)
		return;
	size = family->size == NO ? least : format_call_argument(&a, family->size);
	format_call_add(out, format_call_argument(&a, family->to), least < size ? least : size, true, true);
}

void rfs_format_call_result(const char *callee, const struct user_regs_struct *regs, bool entry, uint64_t result,
			    const struct rfs_range_reader *reader, struct rfs_range_call *out)
{
	const struct family *family = family_of(callee);
	struct arguments a;
	char format[FORMAT_MAX];
	uint64_t size;

	if ((int32_t)result < 0 || !format_call_begin(&a, family, regs, entry, reader))
		return;
	result = (uint32_t)result;
	if (family->scans) {
		if (format_text(&a, format_call_argument(&a, family->format), format))
			look_scan(&a, format, result, true, 0, out);
		return;
	}
	if (family->to == NO)
		return;
	size = family->size == NO ? result + 1 : format_call_argument(&a, family->size);
	format_call_add(out, format_call_argument(&a, family->to), result + 1 < size ? result + 1 : size, true, false);
}
