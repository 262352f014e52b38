/*
 * A shape is drawn while its owner replaces it. A slot says which shape is in use. But the shape that is drawn is loaded
 * anew, after the slot was filled with the one that was checked.
 */
#include <atomic>
#include <memory>
#include <thread>

struct Shape {
	virtual ~Shape() = default;
	virtual int draw() = 0;
};

struct Square : Shape {
	explicit Square(int side) : side(side) {}
	int draw() override
	{
		side.fetch_add(1);
		return *label;
	}
	std::atomic<int> side;
	std::unique_ptr<int> label = std::make_unique<int>(7);
};

static std::atomic<Shape *> shape, in_use;
static int drawn;

static void draw()
{
	Shape *checked;

	do {
		checked = shape.load();
		in_use.store(checked);
	} while (checked != shape.load());
#ifdef FIXED
	drawn = checked->draw();
#else
	drawn = shape.load()->draw();
#endif
	in_use.store(nullptr);
}

static void retire(Shape *old)
{
	while (in_use.load() == old)
		;
	delete old;
}

static void replace_twice()
{
	Shape *first = shape.exchange(new Square(2)), *second = shape.exchange(new Square(3));

	retire(second);
	retire(first);
}

int main()
{
	shape = new Square(1);
	{
		std::thread drawer(draw), owner(replace_twice);

		drawer.join();
		owner.join();
	}
	delete shape.load();
	return drawn != 7;
}
