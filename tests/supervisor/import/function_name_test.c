/* function_name_test.c - the names of one function as different tools write it. */
#include "supervisor/import/function_name.h"

#include <criterion/criterion.h>
#include <stdlib.h>

TestSuite(function_name, .timeout = 10);

Test(function_name, bare)
{
	static const struct {
		const char *name, *bare;
	} rows[] = {
		{"main", "main"},
		{"push(int, char const*)", "push"},
		{"ns::list<std::pair<int, int> >::push(int)", "ns::list::push"},
		{"void ns::list<int>::push<char>(char)", "ns::list::push"},
		{"(anonymous namespace)::helper(int)", "helper"},
		{"ns::(anonymous namespace)::helper()", "ns::helper"},
		{"worker.constprop.0", "worker"},
		{"worker(int) [clone .isra.0]", "worker"},
		{"worker.part.0.cold", "worker"},
		{"pthread_create@@GLIBC_2.34", "pthread_create"},
		{"std::function<void (int)>::operator()(int) const", "std::function::operator()"},
		{"operator<<(std::ostream&, item const&)", "operator<<"},
		{"operator delete(void*, unsigned long)", "operator delete"},
		{"main::{lambda(int)#1}::operator()(int) const", "main::{}::operator()"},
		{"run(int)::{lambda()#1}::operator()() const", "run::{}::operator()"},
		{"bank::deposit::h0123456789abcdef", "bank::deposit"},
		{"text[abi:cxx11](int)", "text"},
		{"file.name", "file.name"},
		{"", ""},
		{"(((", ""},
		{"<<<", ""},
		{"{", "{"},
		{"operator", "operator"},
		{"a::", "a::"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char *bare = rfs_function_bare_name(rows[i].name);

		cr_expect_str_eq(bare, rows[i].bare, "%s: %s", rows[i].name, bare);
		free(bare);
	}
}

Test(function_name, same)
{
	cr_expect(rfs_function_name_same("push", "push"));
	cr_expect(rfs_function_name_same("ns::list::push", "list::push"));
	cr_expect(rfs_function_name_same("push", "ns::list::push"));
	cr_expect_not(rfs_function_name_same("push", "emplace_push"), "only whole components count");
	cr_expect_not(rfs_function_name_same("a::push", "b::push"));
	cr_expect_not(rfs_function_name_same("", ""));
	cr_expect_str_eq(rfs_function_last_name("ns::list::push"), "push");
	cr_expect_str_eq(rfs_function_last_name("push"), "push");
}
