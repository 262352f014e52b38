// An exception passes through a frame whose call instruction has a breakpoint.
#include <cstdio>
#include <stdexcept>

extern "C" __attribute__((noinline)) void thrower(int x)
{
	if (x)
		throw std::runtime_error("thrown");
}

struct guard {
	~guard() { std::puts("unwound"); }
};

extern "C" __attribute__((noinline)) int caller(int x)
{
	guard g;
	thrower(x);
	return 1;
}

int main(int argc, char **)
{
	try {
		caller(argc);
	} catch (const std::exception &e) {
		std::puts(e.what());
	}
	return 0;
}
