/*
 * static_guard: two threads use a static local object, which the C++ runtime constructs under a guard.
 *
 * Answer: silent. The pair of the construction and the use may be predicted, but cannot be created. The compiler reads
 * the guard's first byte with a plain `mov`.
 */
#include "target.h"
#include <iostream>
#include <thread>

struct Table {
	int values[4];
	Table();
};

__attribute__((noinline)) Table::Table()
{
	for (int i = 0; i < 4; i++)
		values[i] = i + 1; /* RACE: make */
}

__attribute__((noinline)) static Table &table()
{
	static Table the_table;

	return the_table;
}

static void use()
{
	if (table().values[3] != 4) /* RACE: use */
		fail("used before it was made");
}

int main()
{
	std::thread first(use), second(use);

	first.join();
	second.join();
	std::cout << table().values[3] << '\n';
	return 0;
}
