/*
 * gen_roster: a class whose methods lock a mutex, but one of them uses what it has found after it has unlocked.
 *
 * Answer: best() looks an entry up with the mutex locked, and copies its name without. In between, another thread may
 * drop the entry, which frees it.
 * Twin: copies the name with the mutex locked.
 */
#include "gen_roster.hpp"

namespace gen {

struct Roster::Entry {
	std::string name;
	int rank;
	Entry *next;
};

Roster::Roster() : first_(nullptr) {}

Roster::Roster(const std::string &first) : first_(new Entry{first, 0, nullptr}) {}

Roster::~Roster()
{
	while (first_) {
		Entry *next = first_->next;

		delete first_;
		first_ = next;
	}
}

Roster::Entry *Roster::find(const std::string &name) const
{
	for (Entry *entry = first_; entry; entry = entry->next)
		if (entry->name == name)
			return entry;
	return nullptr;
}

void Roster::set(const std::string &name, int rank)
{
	std::lock_guard<std::mutex> locked(mutex_);
	Entry *entry = find(name);

	if (entry)
		entry->rank = rank;
	else
		first_ = new Entry{name, rank, first_};
}

Roster::Entry *Roster::find_best() const
{
	Entry *best = first_;

	for (Entry *entry = first_; entry; entry = entry->next)
		if (entry->rank > best->rank)
			best = entry;
	return best;
}

bool Roster::drop_best()
{
	std::lock_guard<std::mutex> locked(mutex_);
	Entry *best = find_best(), **at = &first_;

	if (!best)
		return false;
	while (*at != best)
		at = &(*at)->next;
	*at = best->next;
	delete best;
	return true;
}

int Roster::rank(const std::string &name) const
{
	std::lock_guard<std::mutex> locked(mutex_);
	const Entry *entry = find(name);

	return entry ? entry->rank : -1;
}

std::string Roster::best() const
{
	std::unique_lock<std::mutex> locked(mutex_);
	const Entry *best = find_best();

#ifndef FIXED
	locked.unlock();
#endif
	return best ? best->name : std::string();
}

unsigned long Roster::count() const
{
	std::lock_guard<std::mutex> locked(mutex_);
	unsigned long n = 0;

	for (const Entry *entry = first_; entry; entry = entry->next)
		n++;
	return n;
}

} // namespace gen
