/* gen_roster.hpp - ranks by name. All methods may be called from any thread. */
#ifndef GEN_ROSTER_HPP
#define GEN_ROSTER_HPP

#include <mutex>
#include <string>

namespace gen {

class Roster {
public:
	Roster();
	explicit Roster(const std::string &first);
	~Roster();
	Roster(const Roster &) = delete;
	Roster &operator=(const Roster &) = delete;

	/* Adds a name, or changes its rank. */
	void set(const std::string &name, int rank);
	/* Drops the name with the best rank. False if there is none. */
	bool drop_best();
	/* -1 if the name is not there. */
	int rank(const std::string &name) const;
	std::string best() const;
	unsigned long count() const;

	bool empty() const { return count() == 0; } /* has no code in the library */

private:
	struct Entry;
	Entry *find(const std::string &name) const;
	Entry *find_best() const;

	mutable std::mutex mutex_;
	Entry *first_;
};

} // namespace gen

#endif
