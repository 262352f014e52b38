/* classes_test.c - classes of a C++ library: their public methods, what cannot be called, and calls as C++ text. */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/elf/elf.h"
#include "supervisor/base/alloc.h"
#include "supervisor/generate/driver/script.h"
#include "supervisor/generate/library/compiler.h"
#include "supervisor/generate/library/library.h"
#include "supervisor/generate/library/shim.h"
#include "supervisor/generate/program/c_program.h"
#include "supervisor/generate/tests/sequence.h"
#include "tests/supervisor/scratch.h"

TestSuite(classes, .timeout = 60);

static const char header[] =
	"#include <string>\n"
	"namespace ns {\n"
	"enum class Mode { SLOW, FAST = 4 };\n"
	"struct Pair { int a; double b; };\n"
	"class Thing {\n"
	"public:\n"
	"	Thing();\n"
	"	explicit Thing(int n, const std::string &name);\n"
	"	virtual ~Thing();\n"
	"	int add(int n);\n"
	"	long add(long n, Mode mode);\n"
	"	double weigh(Pair pair, float by) const;\n"
	"	int length(const std::string &text);\n"
	"	int length_of_copy(std::string text);\n"
	"	void append(std::string &text);\n"
	"	std::string name() const;\n"
	"	Thing &self();\n"
	"	static Thing *make(int n);\n"
	"	void each(void (*f)(int));\n"
	"	virtual int speed();\n"
	"	int size() const { return n_; }\n"
	"	void gone() = delete;\n"
	"	bool operator==(const Thing &other) const;\n"
	"	void take(Thing other);\n"
	"	struct Inner { Inner(); int n; int next(); };\n"
	"protected:\n"
	"	void hidden();\n"
	"private:\n"
	"	struct Node { Node(); void link(); };\n"
	"	int n_;\n"
	"	std::string name_;\n"
	"	int secret();\n"
	"};\n"
	"class Shape { public: Shape(); virtual ~Shape(); virtual int area() = 0; int twice(); };\n"
	"class Loud : public Thing { public: Loud(); int shout(); double weigh(int n);\n"
	"	static void *operator new(unsigned long size); };\n"
	"class Quiet : Thing { public: Quiet(); int whisper(); };\n"
	"template <class T> class Box { public: void put(T value); };\n"
	"}\n";

static const char source[] =
	"#include \"thing.hpp\"\n"
	"namespace ns {\n"
	"Thing::Thing() : n_(0) {}\n"
	"Thing::Thing(int n, const std::string &name) : n_(n), name_(name) {}\n"
	"Thing::~Thing() {}\n"
	"int Thing::add(int n) { return n_ += n; }\n"
	"long Thing::add(long n, Mode mode) { return n_ += (int)n + (int)mode; }\n"
	"double Thing::weigh(Pair pair, float by) const { return n_ + pair.a + pair.b + by; }\n"
	"int Thing::length(const std::string &text) { return n_ = (int)text.length(); }\n"
	"int Thing::length_of_copy(std::string text) { name_ = std::move(text); return n_ = (int)name_.length(); }\n"
	"void Thing::append(std::string &text) { text += \"more and more and more\"; n_ = (int)text.length(); }\n"
	"std::string Thing::name() const { return name_; }\n"
	"Thing &Thing::self() { return *this; }\n"
	"Thing *Thing::make(int n) { return new Thing(n, \"\"); }\n"
	"void Thing::each(void (*f)(int)) { f(n_); }\n"
	"int Thing::speed() { return n_; }\n"
	"bool Thing::operator==(const Thing &other) const { return n_ == other.n_; }\n"
	"void Thing::take(Thing other) { n_ = other.n_; }\n"
	"void Thing::hidden() {}\n"
	"int Thing::secret() { return 1; }\n"
	"Thing::Node::Node() {}\nvoid Thing::Node::link() {}\n"
	"Thing::Inner::Inner() : n(0) {}\n"
	"int Thing::Inner::next() { return ++n; }\n"
	"Loud::Loud() {}\nint Loud::shout() { return add(1); }\ndouble Loud::weigh(int n) { return n; }\n"
	"void *Loud::operator new(unsigned long size) { return ::operator new(size); }\n"
	"Quiet::Quiet() {}\nint Quiet::whisper() { return add(1); }\n"
	"Shape::Shape() {}\nShape::~Shape() {}\nint Shape::twice() { return 2 * area(); }\n"
	"}\n";

struct subject {
	char *folder;
	struct rfs_elf *elf;
	struct rfs_compiler compiler;
	struct rfs_shim shim;
	struct rfs_library library;
};

static void begin(struct subject *s)
{
	const char *const words[] = {"-g", "-O1", "-fPIC", "-shared", "-o", "libthing.so", "thing.cc", NULL};
	const char *const headers[] = {"thing.hpp"};
	char why[512] = "", *said = NULL;

	*s = (struct subject){.folder = scratch_enter()};
	scratch_file("thing.hpp", header, strlen(header), 0600);
	scratch_file("thing.cc", source, strlen(source), 0600);
	cr_assert_eq(rfs_compiler_new(NULL, &s->compiler, why, sizeof(why)), 0, "%s", why);
	rfs_compiler_choose_language(&s->compiler, headers, 1);
	cr_assert(s->compiler.is_cxx);
	cr_assert_eq(rfs_compiler_run(&s->compiler, words, &said), 0, "%s", said);
	free(said);
	cr_assert_eq(rfs_elf_open("libthing.so", &s->elf, why, sizeof(why)), 0, "%s", why);
	cr_assert_eq(rfs_shim_make(&s->compiler, s->elf, headers, 1, ".", &s->shim, why, sizeof(why)), 0, "%s", why);
	rfs_library_classify(&s->shim, NULL, &s->library);
}

static void end(struct subject *s)
{
	rfs_library_release(&s->library);
	rfs_shim_release(&s->shim);
	rfs_compiler_release(&s->compiler);
	rfs_elf_free(s->elf);
	scratch_leave(s->folder);
}

/* The index of a method; n_functions: there is none. */
static size_t index_of(const struct subject *s, const char *shown)
{
	size_t i = 0;

	while (i < s->library.n_functions && strcmp(s->library.functions[i].shown, shown) != 0)
		i++;
	return i;
}

static const struct rfs_library_type *type_of(const struct subject *s, const char *name)
{
	for (size_t i = 0; i < s->library.n_types; i++)
		if (strcmp(s->library.types[i].name, name) == 0)
			return &s->library.types[i];
	cr_assert_fail("no type '%s'", name);
	return NULL;
}

static bool has_use(const struct subject *s, const char *type, const char *shown)
{
	const struct rfs_library_type *row = type_of(s, type);
	size_t index = index_of(s, shown), k = 0;

	cr_assert_lt(index, s->library.n_functions, "no method '%s'", shown);
	while (k < row->n_uses && row->uses[k].function != index)
		k++;
	return k < row->n_uses;
}

/* Not those that the class hides, nor those of a private base class. */
Test(classes, methods_of_a_base_class_are_inherited)
{
	struct subject s;

	begin(&s);
	cr_expect(has_use(&s, "ns::Loud", "ns::Thing::add(int)"));
	cr_expect(has_use(&s, "ns::Loud", "ns::Thing::operator==(const ns::Thing &) const"));
	cr_expect_not(has_use(&s, "ns::Loud", "ns::Thing::weigh(ns::Pair, float) const"));
	cr_expect_not(has_use(&s, "ns::Loud", "ns::Thing::Thing()"));
	cr_expect_not(has_use(&s, "ns::Loud", "ns::Thing::make(int)"));
	cr_expect_not(has_use(&s, "ns::Quiet", "ns::Thing::add(int)"));
	cr_expect_not(has_use(&s, "ns::Thing", "ns::Loud::shout()"));
	cr_expect_not_null(s.library.functions[index_of(&s, "ns::Loud::operator new(long unsigned int)")].left_out);
	end(&s);
}

Test(classes, public_methods_have_their_roles)
{
	static const struct {
		const char *type, *shown;
		enum rfs_role role;
		const char *left_out;
	} rows[] = {
		{"ns::Thing", "ns::Thing::Thing()", RFS_ROLE_INITIALISES, NULL},
		{"ns::Thing", "ns::Thing::Thing(int, const std::string &)", RFS_ROLE_INITIALISES, NULL},
		{"ns::Thing", "ns::Thing::~Thing()", RFS_ROLE_DESTRUCTOR, NULL},
		{"ns::Thing", "ns::Thing::add(int)", RFS_ROLE_METHOD, NULL},
		{"ns::Thing", "ns::Thing::add(long int, ns::Mode)", RFS_ROLE_METHOD, NULL},
		{"ns::Thing", "ns::Thing::weigh(ns::Pair, float) const", RFS_ROLE_METHOD, NULL},
		{"ns::Thing", "ns::Thing::length_of_copy(std::string)", RFS_ROLE_METHOD, NULL},
		{"ns::Thing", "ns::Thing::name() const", RFS_ROLE_METHOD, NULL},
		{"ns::Thing", "ns::Thing::make(int)", RFS_ROLE_RETURNS, NULL},
		{"ns::Thing", "ns::Thing::speed()", RFS_ROLE_METHOD, NULL},
		{"ns::Thing", "ns::Thing::size() const", RFS_ROLE_METHOD, "has no code"},
		{"ns::Thing", "ns::Thing::operator==(const ns::Thing &) const", RFS_ROLE_METHOD, NULL},
		{"ns::Loud", "ns::Loud::shout()", RFS_ROLE_METHOD, NULL},
		{"ns::Loud", "ns::Thing::add(int)", RFS_ROLE_METHOD, NULL},
		{"ns::Loud", "ns::Thing::speed()", RFS_ROLE_METHOD, NULL},
		{"ns::Thing", "ns::Thing::take(ns::Thing)", RFS_ROLE_METHOD, "object by value"},
		{"ns::Thing::Inner", "ns::Thing::Inner::Inner()", RFS_ROLE_INITIALISES, NULL},
		{"ns::Thing::Inner", "ns::Thing::Inner::next()", RFS_ROLE_METHOD, NULL},
		{"ns::Shape", "ns::Shape::Shape()", RFS_ROLE_INITIALISES, "abstract class"},
		{"ns::Shape", "ns::Shape::twice()", RFS_ROLE_METHOD, NULL},
	};
	static const char *const absent[] = {"ns::Thing::hidden()", "ns::Thing::secret()", "ns::Thing::gone()",
					     "ns::Thing::Node::link()"};
	struct subject s;

	begin(&s);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct rfs_library_type *type = type_of(&s, rows[i].type);
		size_t index = index_of(&s, rows[i].shown), k = 0;
		const char *why;

		cr_expect_lt(index, s.library.n_functions, "no method '%s'", rows[i].shown);
		if (index == s.library.n_functions)
			continue;
		why = s.library.functions[index].left_out;
		while (k < type->n_uses && type->uses[k].function != index)
			k++;
		cr_expect(k < type->n_uses && type->uses[k].role == rows[i].role, "%s", rows[i].shown);
		cr_expect(rows[i].left_out ? why && strstr(why, rows[i].left_out) : !why, "%s: %s", rows[i].shown,
			  why ? why : "called");
	}
	for (size_t i = 0; i < sizeof(absent) / sizeof(*absent); i++)
		cr_expect_eq(index_of(&s, absent[i]), s.library.n_functions, "%s", absent[i]);
	cr_expect(rfs_library_type_is_made(&s.library, type_of(&s, "ns::Thing")));
	cr_expect_not(rfs_library_type_is_made(&s.library, type_of(&s, "ns::Shape")));
	end(&s);
}

/* ---- calls ---- */

static struct rfs_value value_for(const struct rfs_c_type *type)
{
	const struct rfs_c_type *plain = rfs_c_plain(type), *to = plain->to ? rfs_c_plain(plain->to) : plain;
	struct rfs_value value = {
		.kind = RFS_VALUE_INTEGER, .integer = 4, .type = type, .string = "a longer text than 15"};

	if (rfs_library_is_string(plain) || (plain->kind == RFS_C_POINTER && rfs_library_is_string(to)))
		value.kind = RFS_VALUE_CXX_STRING;
	else if (plain->kind == RFS_C_POINTER)
		value.kind = to->kind == RFS_C_FUNCTION ? RFS_VALUE_CALLBACK_ZERO : RFS_VALUE_VARIABLE;
	else if (plain->kind == RFS_C_STRUCT)
		value.kind = RFS_VALUE_RECORD;
	else if (plain->kind == RFS_C_FLOAT)
		value.kind = RFS_VALUE_REAL;
	if (value.kind == RFS_VALUE_VARIABLE || value.kind == RFS_VALUE_RECORD)
		value.integer = 0;
	value.real = 0.5;
	return value;
}

/* A call on variable 0. */
static void add_call(const struct subject *s, struct rfs_sequence *test, enum rfs_section section, const char *shown)
{
	struct rfs_sequence_call call = {.function = index_of(s, shown), .variable = -1};
	const struct rfs_c_type *type = s->library.functions[call.function].type;

	call.n_values = type->n_parameters;
	call.values = xcalloc(call.n_values + 1, sizeof(*call.values));
	for (size_t i = 0; i < call.n_values; i++)
		call.values[i] = value_for(type->parameters[i]);
	rfs_sequence_add_call(test, section, &call);
}

static void make_test(const struct subject *s, struct rfs_sequence *test)
{
	static const char *const calls[] = {
		"ns::Thing::add(int)",
		"ns::Thing::add(long int, ns::Mode)",
		"ns::Thing::weigh(ns::Pair, float) const",
		"ns::Thing::length(const std::string &)",
		"ns::Thing::length_of_copy(std::string)",
		"ns::Thing::append(std::string &)",
		"ns::Thing::name() const",
		"ns::Thing::self()",
		"ns::Thing::make(int)",
		"ns::Thing::each(void (*)(int))",
		"ns::Thing::speed()",
	};
	const struct rfs_c_type *object = type_of(s, "ns::Thing")->type;
	struct rfs_sequence_call memory = {.function = RFS_CALL_MEMORY, .n_values = 1};

	memory.values = xcalloc(1, sizeof(*memory.values));
	memory.values[0] = (struct rfs_value){.kind = RFS_VALUE_INTEGER, .integer = (int64_t)object->size};
	memory.variable = rfs_sequence_add_variable(test, object, RFS_PREFIX);
	rfs_sequence_add_call(test, RFS_PREFIX, &memory);
	add_call(s, test, RFS_PREFIX, "ns::Thing::Thing(int, const std::string &)");
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (index_of(s, calls[i]) < s->library.n_functions)
			add_call(s, test, RFS_SUFFIX_1, calls[i]);
	add_call(s, test, RFS_SUFFIX_2, "ns::Thing::~Thing()");
}

Test(classes, a_test_is_a_cxx_program_without_warnings)
{
	static const char *const lines[] = {
		"\tv0 = (ns::Thing *)calloc(1, ",
		"\tnew (v0) ns::Thing(4, std::string(\"a longer text than 15\"));\n",
		"\tv0->add(4);\n",
		"\tv0->add((long int)4, (ns::Mode)4);\n",
		"\tv0->weigh(ns::Pair(), (float)0.5);\n",
		"\tv0->append(*new std::string(\"a longer text than 15\"));\n",
		"\tns::Thing::make(open(\"/dev/zero\", O_RDWR));\n",
		"\tv0->ns::Thing::speed();\n",
		"\tv0->~Thing();\n",
	};
	const char *const words[] = {"-Wall", "-Werror", "-pthread", "-o", "test", "test.cc", "./libthing.so", NULL};
	const char *const headers[] = {"thing.hpp"};
	const struct rfs_c_program program = {.comment = "One.", .headers = headers, .n_headers = 1};
	struct rfs_sequence test = {0};
	struct subject s;
	char *text, *said = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	begin(&s);
	make_test(&s, &test);
	for (size_t i = 0; i < test.n[RFS_SUFFIX_1]; i++)
		if (test.calls[RFS_SUFFIX_1][i].function == index_of(&s, "ns::Thing::make(int)"))
			test.calls[RFS_SUFFIX_1][i].values[0].kind = RFS_VALUE_DESCRIPTOR;
	rfs_c_program_write(&program, &test, &s.library, out);
	fclose(out);
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		cr_expect(strstr(text, lines[i]), "no '%s' in\n%s", lines[i], text);
	scratch_file("test.cc", text, size, 0600);
	cr_expect_eq(rfs_compiler_run(&s.compiler, words, &said), 0, "%s\n%s", said, text);
	free(said);
	free(text);
	rfs_sequence_release(&test);
	end(&s);
}

Test(classes, the_driver_calls_methods)
{
	static struct rfs_driver_script script;
	struct rfs_sequence test = {0};
	struct subject s;
	char *text, why[128] = "";
	size_t size;
	FILE *out = open_memstream(&text, &size);
	uint64_t returned[2] = {0};
	void *library;

	begin(&s);
	make_test(&s, &test);
	rfs_sequence_write(&test, &s.library, out);
	fclose(out);
	library = dlopen("./libthing.so", RTLD_NOW | RTLD_GLOBAL);
	cr_assert_not_null(library, "%s", dlerror());
	cr_assert(rfs_driver_script_read(text, size, &script, why, sizeof(why)), "%s\n%s", why, text);
	for (size_t section = 0; section < RFS_DRIVER_SECTIONS; section++)
		for (size_t i = 0; i < script.n[section]; i++) {
			rfs_driver_execute(&script, &script.calls[section][i], returned);
			if (section != 1)
				continue;
			if (i == 0)
				cr_expect_eq((int)returned[0], 8, "add(int) returned %d", (int)returned[0]);
			else if (i == 1)
				cr_expect_eq((long)returned[0], 16);
			else if (i == 2)
				cr_expect_eq(memcmp(returned, &(double){16.5}, sizeof(double)), 0);
			else if (i == 3 || i == 4)
				cr_expect_eq((int)returned[0], 21);
			else if (i == 6) /* a std::string in memory: its second word is the length */
				cr_expect_eq(((uint64_t *)returned[0])[1], 21);
		}
	rfs_driver_script_clear(&script);
	free(text);
	rfs_sequence_release(&test);
	end(&s);
}
