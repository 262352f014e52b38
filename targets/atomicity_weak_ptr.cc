/*
 * atomicity_weak_ptr: a thread asks whether a weak pointer has expired, and then locks it without a look at the result.
 * The last owner may go between the two.
 *
 * Answer: failure, no race: an atomicity violation of the atomic accesses to the count.
 * Plain and random runs: never fail, because the pointer is used long before the owner goes.
 * Twin: it looks at the result.
 */
#include <memory>
#include <thread>

#include "late.h"

static std::shared_ptr<int> owner = std::make_shared<int>(5);
static std::weak_ptr<int> observer = owner;
static int seen;

static void use()
{
#ifdef FIXED
	if (auto p = observer.lock())
		seen = *p;
#else
	if (!observer.expired())
		seen = *static_cast<volatile int *>(observer.lock().get());
#endif
}

static void go()
{
	come_late();
	owner.reset();
}

int main()
{
	std::thread a(use), b(go);
	a.join();
	b.join();
	return 0;
}
