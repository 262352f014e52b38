/*
 * valgrind_xml.c - reads the XML of Helgrind and DRD (--xml=yes), with expat. Its elements are described in
 * docs/internals/xml-output-protocol4.txt of Valgrind.
 *
 * If the program was killed, the XML has no end. The complete errors before are used, and a note says so.
 */
#include <ctype.h>
#include <errno.h>
#include <expat.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/import/import-priv.h"

/* The longest text of an element that is kept, and the deepest nesting that is read. */
#define TEXT_MAX 4096
#define DEPTH_MAX 64

struct xml {
	XML_Parser parser;
	struct rfs_import_builder *builder;
	enum rfs_import_tool tool;
	bool is_valgrind;
	uint64_t pid;
	unsigned lines_before; /* lines before the XML, which the parser did not get */
	unsigned depth;
	char text[TEXT_MAX];
	size_t text_n;
	/* of the error that is read */
	struct rfs_import_report *report;
	struct rfs_import_stack *stack; /* where frames go; NULL: they are not kept */
	struct rfs_import_frame *frame; /* NULL: it is not kept */
};

static unsigned line_of(const struct xml *xml)
{
	return xml->lines_before + (unsigned)XML_GetCurrentLineNumber(xml->parser);
}

static bool is_in_error(const struct xml *xml)
{
	return xml->report != NULL;
}

static void XMLCALL on_start(void *arg, const XML_Char *name, const XML_Char **attributes)
{
	struct xml *xml = arg;

	(void)attributes;
	xml->text_n = 0;
	if (++xml->depth > DEPTH_MAX) {
		XML_StopParser(xml->parser, XML_FALSE);
		return;
	}
	if (strcmp(name, "valgrindoutput") == 0)
		xml->is_valgrind = true;
	else if (strcmp(name, "error") == 0 && !is_in_error(xml)) {
		xml->report = rfs_import_begin(xml->tool, RFS_IMPORT_OTHER, "error", line_of(xml));
		xml->report->process = xml->pid;
		xml->stack = NULL;
	} else if (strcmp(name, "frame") == 0 && is_in_error(xml)) {
		xml->frame = xml->stack ? rfs_import_add_frame(xml->stack) : NULL;
	}
}

static void XMLCALL on_text(void *arg, const XML_Char *text, int n)
{
	struct xml *xml = arg;
	size_t room = TEXT_MAX - xml->text_n, take = (size_t)n < room ? (size_t)n : room;

	memcpy(xml->text + xml->text_n, text, take);
	xml->text_n += take;
}

static void valgrind_xml_set(char **out, const struct rfs_import_line *text)
{
	free(*out);
	*out = rfs_import_copy(text->text, text->n);
}

/* "0x1092E8" */
static uint64_t hexadecimal(struct rfs_import_line text)
{
	uint64_t number;

	return rfs_import_skip(&text, "0x") && rfs_import_skip_number(&text, 16, &number) ? number : 0;
}

static void end_in_frame(struct xml *xml, const char *name, struct rfs_import_line *text)
{
	struct rfs_import_frame *frame = xml->frame;
	uint64_t number;

	if (strcmp(name, "ip") == 0) {
		frame->address = hexadecimal(*text);
	} else if (strcmp(name, "obj") == 0) {
		valgrind_xml_set(&frame->module, text);
	} else if (strcmp(name, "fn") == 0) {
		valgrind_xml_set(&frame->function, text);
	} else if (strcmp(name, "dir") == 0) {
		/* "file" comes next, and is joined with it */
		valgrind_xml_set(&frame->file, text);
	} else if (strcmp(name, "file") == 0) {
		char *base = rfs_import_copy(text->text, text->n);
		char *path = frame->file && *base != '/' ? xasprintf("%s/%s", frame->file, base) : xstrdup(base);

		free(base);
		free(frame->file);
		frame->file = path;
	} else if (strcmp(name, "line") == 0 && rfs_import_skip_number(text, 10, &number) && number < INT32_MAX) {
		frame->line = (unsigned)number;
	}
}

/* Text that says what the next stack is. */
static void end_heading(struct xml *xml, struct rfs_import_line text)
{
	struct rfs_import_report *report = xml->report;
	struct rfs_import_access access;
	struct rfs_import_line rest = text;
	bool first;

	xml->stack = NULL;
	if (rfs_import_valgrind_access(text, &access, &first)) {
		if (first) {
			report->kind = RFS_IMPORT_RACE;
			valgrind_xml_set(
				&report->title,
				&(struct rfs_import_line){text.text[0] == 'C' ? "conflicting access" : "data race",
							  text.text[0] == 'C' ? 18 : 9, 0});
		}
		if (report->kind == RFS_IMPORT_RACE && report->n_accesses < 2) {
			report->access[report->n_accesses] = access;
			xml->stack = &report->access[report->n_accesses++].stack;
		}
	} else if (rfs_import_skip(&rest, "Thread #") && rfs_import_skip_to(&rest, ": lock order \"")) {
		struct rfs_import_part *part;

		report->kind = RFS_IMPORT_DEADLOCK;
		valgrind_xml_set(&report->title, &(struct rfs_import_line){"lock order violated", 19, 0});
		part = rfs_import_add_part(report);
		xml->stack = part ? &part->wanted : NULL;
	} else if (report->kind == RFS_IMPORT_DEADLOCK && rfs_import_skip(&rest, "Required order was established by")) {
		struct rfs_import_part *part = rfs_import_add_part(report);

		xml->stack = part ? &part->held : NULL;
	} else if (report->kind == RFS_IMPORT_DEADLOCK && report->n_parts &&
		   rfs_import_skip(&rest, "followed by a later acquisition")) {
		xml->stack = &report->parts[report->n_parts - 1].wanted;
	} else if (report->kind == RFS_IMPORT_OTHER && strcmp(report->title, "error") == 0 && text.n) {
		valgrind_xml_set(&report->title, &text);
	}
}

static void XMLCALL on_end(void *arg, const XML_Char *name)
{
	struct xml *xml = arg;
	struct rfs_import_line text = {xml->text, xml->text_n, 0};
	uint64_t number;

	xml->depth--;
	rfs_import_trim(&text);
	if (!is_in_error(xml)) {
		if (strcmp(name, "tool") == 0)
			xml->tool = text.n == 8 && memcmp(text.text, "helgrind", 8) == 0 ? RFS_IMPORT_HELGRIND
				    : text.n == 3 && memcmp(text.text, "drd", 3) == 0	 ? RFS_IMPORT_DRD
											 : RFS_IMPORT_VALGRIND;
		else if (strcmp(name, "pid") == 0 && rfs_import_skip_number(&text, 10, &number))
			xml->pid = number;
	} else if (strcmp(name, "frame") == 0) {
		xml->frame = NULL;
	} else if (xml->frame) {
		end_in_frame(xml, name, &text);
	} else if (strcmp(name, "stack") == 0) {
		xml->stack = NULL;
	} else if (strcmp(name, "what") == 0 || strcmp(name, "text") == 0 || strcmp(name, "auxwhat") == 0 ||
		   strcmp(name, "xauxwhat") == 0) {
		if (text.n)
			end_heading(xml, text);
	} else if (strcmp(name, "error") == 0) {
		rfs_import_add(xml->builder, xml->report);
		xml->report = NULL;
	}
	xml->text_n = 0;
}

/* The same limit as for other files: expat counts bytes in int. */
#define CHUNK (1u << 20)

int rfs_import_xml(const char *file, unsigned lines_before, const char *data, size_t n,
		   struct rfs_import_builder *builder, char *why, size_t why_n)
{
	struct xml *xml = xcalloc(1, sizeof(*xml));
	enum XML_Status status = XML_STATUS_OK;
	int error = 0;

	xml->builder = builder;
	xml->lines_before = lines_before;
	xml->tool = RFS_IMPORT_VALGRIND;
	xml->parser = XML_ParserCreate(NULL);
	if (!xml->parser)
		die("out of memory while reading XML");
	XML_SetUserData(xml->parser, xml);
	XML_SetElementHandler(xml->parser, on_start, on_end);
	XML_SetCharacterDataHandler(xml->parser, on_text);
	/* XML must begin with its declaration */
	for (; n && isspace((unsigned char)*data); data++, n--)
		xml->lines_before += *data == '\n';
	for (size_t at = 0; status == XML_STATUS_OK;) {
		size_t part = n - at < CHUNK ? n - at : CHUNK;

		status = XML_Parse(xml->parser, data + at, (int)part, at + part == n);
		at += part;
		if (at == n)
			break;
	}
	if (!xml->is_valgrind) {
		error = rfs_why(why, why_n, -EINVAL, "%s: the XML is not the output of Valgrind", file);
	} else if (status != XML_STATUS_OK) {
		rfs_import_drop(xml->report);
		rfs_import_note(builder,
				xasprintf("%s:%u: the XML ends or is damaged here (%s); only the errors before were "
					  "read",
					  file, line_of(xml), XML_ErrorString(XML_GetErrorCode(xml->parser))));
		xml->report = NULL;
	}
	rfs_import_drop(xml->report);
	XML_ParserFree(xml->parser);
	free(xml);
	return error;
}
