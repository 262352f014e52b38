/* backwards_cxx.cc - methods, an exception, a lambda, containers and two threads, for reverse_test.c */
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

int total, last;

struct shape {
	virtual ~shape() { last = -1; }
	virtual int area() const = 0;
};

struct square : shape {
	explicit square(int side) : side_(side) {}
	int area() const override
	{
		total += side_ * side_;
		return total;
	}
	int side_;
};

template <typename T> static T largest(const std::vector<T> &list)
{
	T best = list[0];

	for (const T &one : list)
		if (one > best)
			best = one;
	return best;
}

class account {
public:
	void put(int amount)
	{
		std::lock_guard<std::mutex> guard(mutex_);
		balance_ += amount;
		last = amount;
	}
	int balance_ = 0;

private:
	std::mutex mutex_;
};

static account shared;

static void refuse(int value)
{
	if (value > 2)
		throw std::runtime_error("too large");
	total += value;
}

static void caught(const std::exception &e)
{
	last = (int)std::string(e.what()).size();
}

static void finish()
{
	total++;
}

int main()
{
	std::vector<int> list;
	std::map<std::string, int> ages;

	for (int i = 1; i <= 4; i++)
		list.push_back(i * 10);
	total = largest(list);
	ages["ann"] = 31;
	ages["bob"] = 42;
	{
		std::unique_ptr<shape> one(new square(3));

		one->area();
	}
	try {
		for (int i = 1; i < 5; i++)
			refuse(i);
	} catch (const std::exception &e) {
		caught(e);
	}
	auto deposit = [](int from) {
		for (int i = 0; i < 3; i++)
			shared.put(from + i);
	};
	std::thread first(deposit, 100), second(deposit, 200);

	first.join();
	second.join();
	finish();
	return 0;
}
