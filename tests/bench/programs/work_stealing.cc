/*
 * work_stealing: a work-stealing queue on std::atomic. When its owner takes the last item, it does not check the top
 * again, so a thief may take the same item. Chase and Lev's queue (SPAA 2005) avoids this with a compare-and-swap.
 */
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace {
constexpr int kItems = 4;
std::atomic<int> top{0}, bottom{0};
std::atomic<int> taken[kItems];

void take(int i)
{
	if (taken[i].fetch_add(1) != 0) {
		std::fputs("FAIL: an item was taken twice\n", stderr);
		std::abort();
	}
}

void owner()
{
	for (int i = 0; i < kItems; i++)
		bottom.store(i + 1);
	for (;;) {
		int b = bottom.load() - 1;

		bottom.store(b);
		if (top.load() > b) {
			bottom.store(b + 1);
			return;
		}
		take(b); /* the bug: for the last item, top must be moved by compare-and-swap first */
	}
}

void thief()
{
	for (int tries = 0; tries < kItems; tries++) {
		int t = top.load();

		if (t >= bottom.load())
			continue;
		if (top.compare_exchange_strong(t, t + 1))
			take(t);
	}
}
} // namespace

int main()
{
	std::thread a(owner), b(thief);

	a.join();
	b.join();
}
