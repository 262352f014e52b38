// Exceptions are thrown through frames whose code was moved, at many depths, with objects to destroy.
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static int alive;

struct guard {
	guard() { alive++; }
	~guard() { alive--; }
};

struct base {
	virtual ~base() {}
	virtual int value(int n) = 0;
};

struct derived : base {
	std::vector<int> numbers{1, 2, 3};
	int value(int n) override
	{
		guard g;
		if (n == 0)
			throw std::runtime_error("end " + std::to_string(numbers[1]));
		numbers[0] += n;
		return value(n - 1) + numbers[2];
	}
};

static int attempt(base &object, int depth)
{
	try {
		guard g;
		return object.value(depth);
	} catch (const std::logic_error &) {
		return -1;
	} catch (const std::exception &e) {
		return std::string(e.what()) == "end 2" ? depth : -2;
	}
}

int main()
{
	int sum = 0;
	std::thread worker([&] {
		derived object;
		for (int depth = 0; depth < 20; depth++)
			sum += attempt(object, depth);
	});

	worker.join();
	if (sum != 190 || alive != 0)
		abort();
	return 0;
}
