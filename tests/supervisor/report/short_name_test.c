/* short_name_test.c - how long names of functions are shortened. */
#include "supervisor/report/text/short_name.h"

#include <criterion/criterion.h>
#include <stdlib.h>

TestSuite(short_name, .timeout = 30);

#define LONG "std::vector<std::pair<long, long>, std::allocator<std::pair<long, long> > >"

Test(short_name, leaves_out_arguments)
{
	static const struct {
		const char *function, *name;
	} rows[] = {
		{"", ""},
		{"main", "main"},
		{"main._omp_fn.0", "main, OpenMP region 1"},
		{"main::main._omp_fn.0", "main, OpenMP region 1"},
		{"a::b._omp_fn.0", "a::b, OpenMP region 1"},
		{"solve(int)._omp_fn.11", "solve(int), OpenMP region 12"},
		{"main.omp_outlined", "main, OpenMP region 1"},
		{"main.omp_outlined_debug__.2", "main, OpenMP region 3"},
		{".omp_outlined..1", "OpenMP region 2"},
		{"std::map<int, int>::operator[](int const&)", "std::map<int, int>::operator[](int const&)"},
		{LONG "::push_back(std::pair<long, long>&&)", "std::vector<...>::push_back(...)"},
		{"bool compare<" LONG " >(" LONG ") const", "bool compare<...>(...) const"},
		{"std::jthread::request_stop_of_a_thread_that_is_not_this_one_but_another()",
		 "std::jthread::request_stop_of_a_thread_that_is_not_this_one_but_another()"},
		{"std::function<" LONG " ()>::operator()(" LONG ") const", "std::function<...>::operator()(...) const"},
		{"bool std::operator< <" LONG " >(" LONG ", int)", "bool std::operator< <...>(...)"},
		{"holder<" LONG ", &operator< >::operator->(" LONG ")", "holder<...>::operator->(...)"},
		{"a<(int (*)(" LONG ")->int)0>::b(" LONG ")", "a<...>::b(...)"},
		{"(anonymous namespace)::worker<" LONG ">::main(int, char **)::{lambda(int)#1}::operator()",
		 "(anonymous namespace)::worker<...>::main(...)::{lambda(...)#1}::operator()"},
		{"std::__invoke_impl<void, main()::<lambda(std::stop_token)>, std::stop_token>::<lambda(int, long)>",
		 "std::__invoke_impl<...>::<lambda>"},
		{"what_the_debug_information_cuts_off<std::vector<std::pair<long, std::stri",
		 "what_the_debug_information_cuts_off<std::vector<std::pair<long, std::stri"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char *name = rfs_short_name(rows[i].function);

		cr_expect_str_eq(name, rows[i].name, "%s: '%s'", rows[i].function, name);
		free(name);
	}
}
