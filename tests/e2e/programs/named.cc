/*
 * named.cc - one defect for each argument, in the C++ that people write: containers, smart pointers, lambdas,
 * coroutines, templates. names_test.c says which names and lines a report must have.
 */
#include <array>
#include <condition_variable>
#include <coroutine>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

template <typename A, typename B> static void both(A a, B b)
{
	std::thread first(a), second(b);

	first.join();
	second.join();
}

static void fail_unless(bool right)
{
	if (!right)
		abort();
}

// a vector that two threads extend
static std::vector<int> items;

static void vector_case()
{
	auto add = [] { items.push_back(1); }; // items
	both(add, add);
	fail_unless(items.size() == 2);
}

// each method locks, but not both together
struct Cache {
	std::mutex m;
	std::map<std::string, int> data;

	bool has(const std::string &k)
	{
		std::lock_guard<std::mutex> g(m);
		return data.count(k) != 0; // has
	}
	int get(const std::string &k)
	{
		std::lock_guard<std::mutex> g(m);
		return data.at(k); // get
	}
	void evict(const std::string &k)
	{
		std::lock_guard<std::mutex> g(m);
		data.erase(k); // evict
	}
};

static void map_case()
{
	Cache c;

	c.data["a"] = 1;
	both([&] { c.evict("a"); },
	     [&] {
		     if (c.has("a"))
			     c.get("a");
	     });
}

// a hash table in an object of the heap
struct Registry {
	std::unordered_map<int, int> table;
	void put(int k)
	{
		table[k] = k; // table
	}
};

static void unordered_map_case()
{
	auto registry = std::make_unique<Registry>();
	Registry *r = registry.get();

	both([r] { r->put(1); }, [r] { r->put(2); });
	fail_unless(r->table.size() == 2);
}

// the pointer itself is not atomic
static std::shared_ptr<int> latest = std::make_shared<int>(1);

static void shared_ptr_case()
{
	both(
		[] {
			latest = std::make_shared<int>(2); /* replace */
		},
		[] {
			std::shared_ptr<int> mine = latest; // copy
			fail_unless(*mine > 0);
		});
}

// a pointer that is moved away while another thread uses it
struct Config {
	int limit = 7;
};
static std::unique_ptr<Config> config = std::make_unique<Config>();

static void unique_ptr_case()
{
	both(
		[] {
			config.reset(); /* reset */
		},
		[] {
			if (config)			    // test
				fail_unless(config->limit); // use
		});
}

// a lambda changes a variable of its creator
static void lambda_case()
{
	int counter = 0;
	auto count = [&] { counter = counter + 1; }; // counter

	both(count, count);
	fail_unless(counter == 2);
}

// a lambda that has a pointer to its object
struct Button {
	int clicks = 0;
	std::function<void()> handler()
	{
		return [this] { clicks = clicks + 1; }; // clicks
	}
};

static void this_case()
{
	static Button button;

	both(button.handler(), button.handler());
	fail_unless(button.clicks == 2);
}

// members of an instance of a template
template <typename T> struct Counter {
	T value{};
	void add(T n)
	{
		value = value + n; // value
	}
};
static Counter<long> bytes;

static void template_case()
{
	both([] { bytes.add(1); }, [] { bytes.add(2); });
	fail_unless(bytes.value == 3);
}

// a static member of an instance of a template
template <typename T> struct Pool {
	static int live;
	static void take()
	{
		live = live + 1; // live
	}
};
template <typename T> int Pool<T>::live;

static void static_member_case()
{
	both(Pool<Config>::take, Pool<Config>::take);
	fail_unless(Pool<Config>::live == 2);
}

// two coroutines, each resumed by its thread
struct Task {
	struct promise_type {
		Task get_return_object()
		{
			return {std::coroutine_handle<promise_type>::from_promise(*this)};
		}
		std::suspend_always initial_suspend() noexcept
		{
			return {};
		}
		std::suspend_always final_suspend() noexcept
		{
			return {};
		}
		void return_void()
		{
		}
		void unhandled_exception()
		{
			abort();
		}
	};
	std::coroutine_handle<promise_type> handle;
};
static int produced;

static Task produce(int n)
{
	produced = produced + n; // produced
	co_await std::suspend_always{};
	produced = produced + n; // again
}

static void coroutine_case()
{
	Task one = produce(1), two = produce(2);

	both([&] { one.handle.resume(); }, [&] { two.handle.resume(); });
	fail_unless(produced == 3);
}

// text that two threads append to
static std::string text;

static void string_case()
{
	both(
		[] {
			text += "a long piece of text that is on the heap"; /* append */
		},
		[] {
			text += "another long piece of text of the heap"; /* append2 */
		});
	fail_unless(text.size() == 78);
}

// a list that one thread walks while the other one shortens it
static std::list<int> numbers{1, 2, 3};

static void list_case()
{
	both(
		[] {
			numbers.clear(); /* clear */
		},
		[] {
			int sum = 0;
			for (int n : numbers) // walk
				sum += n;
			fail_unless(sum == 0 || sum == 6);
		});
}

// two locks in two orders
struct Account {
	std::mutex m;
	int money = 10;
};
static Account alice, bob;

static void transfer(Account &from, Account &to)
{
	std::lock_guard<std::mutex> a(from.m);
	std::lock_guard<std::mutex> b(to.m); // second
	from.money--;
	to.money++;
}

static void deadlock_case()
{
	both([] { transfer(alice, bob); }, [] { transfer(bob, alice); });
}

// the condition is not tested again under the lock
static std::mutex door;
static std::condition_variable opened;
static bool open_now;

static void condition_case()
{
	both(
		[] {
			open_now = true; // open
			opened.notify_one();
		},
		[] {
			std::unique_lock<std::mutex> l(door);
			if (!open_now)		// test_open
				opened.wait(l); // wait
		});
}

// a writer that has the lock of readers
static std::shared_mutex rw;
static int setting;

static void shared_mutex_case()
{
	auto change = [] {
		std::shared_lock<std::shared_mutex> l(rw);
		setting = setting + 1; // setting
	};

	both(change, change);
	fail_unless(setting == 2);
}

// a callback that is replaced while it is called
static std::function<int()> callback = [] { return 1; };

static void function_case()
{
	both(
		[] {
			callback = nullptr; /* unset */
		},
		[] {
			if (callback)	    // test_call
				callback(); // call
		});
}

// a value that may be absent
static std::optional<int> slot = 3;

static void optional_case()
{
	both(
		[] {
			slot.reset(); /* empty_slot */
		},
		[] {
			if (slot.has_value())			// has_slot
				fail_unless(slot.value() == 3); // read_slot
		});
}

// an element of an array in a struct
struct Stats {
	std::array<int, 4> hits{};
	void hit(size_t i)
	{
		hits[i] = hits[i] + 1; // hits
	}
};
static Stats stats;

static void array_case()
{
	both([] { stats.hit(2); }, [] { stats.hit(2); });
	fail_unless(stats.hits[2] == 2);
}

// a base class
struct Shape {
	int sides = 0;
	virtual ~Shape() = default;
	virtual void grow()
	{
		sides = sides + 1; // sides
	}
};
struct Square : Shape {
	void grow() override
	{
		Shape::grow();
	}
};

static void virtual_case()
{
	std::shared_ptr<Shape> shape = std::make_shared<Square>();

	both([shape] { shape->grow(); }, [shape] { shape->grow(); });
	fail_unless(shape->sides == 2);
}

// a set with an order of its own
struct Longer {
	bool operator()(const std::string &a, const std::string &b) const
	{
		return a.size() > b.size();
	}
};
static std::set<std::string, Longer> words;

static void set_case()
{
	both(
		[] {
			words.insert("one"); /* insert */
		},
		[] {
			words.insert("three"); /* insert2 */
		});
	fail_unless(words.size() == 2);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)();
	} cases[] = {
		{"vector", vector_case},
		{"map", map_case},
		{"unordered_map", unordered_map_case},
		{"shared_ptr", shared_ptr_case},
		{"unique_ptr", unique_ptr_case},
		{"lambda", lambda_case},
		{"this", this_case},
		{"template", template_case},
		{"static_member", static_member_case},
		{"coroutine", coroutine_case},
		{"string", string_case},
		{"list", list_case},
		{"deadlock", deadlock_case},
		{"condition", condition_case},
		{"shared_mutex", shared_mutex_case},
		{"function", function_case},
		{"optional", optional_case},
		{"array", array_case},
		{"virtual", virtual_case},
		{"set", set_case},
	};

	for (const auto &one : cases)
		if (argc > 1 && strcmp(argv[1], one.name) == 0)
			one.run();
	return 0;
}
