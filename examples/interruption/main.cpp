// SPDX-License-Identifier: MIT
// A class that an interrupt breaks, the test that finds it, and the class mended. docs/testing.md
// explains it.
#include <iostream>
#include <map>
#include <string>

#include <memprof/memprof.hpp>
#include <memprof/testing.hpp>

class ledger {
 public:
  void transfer(std::string const& from, std::string const& to, int amount) {
    balance_[from] -= amount;
    balance_[to] += amount;  // may allocate: an interrupt here, and the money is gone
  }

  void transfer_safely(std::string const& from, std::string const& to, int amount) {
    int& source = balance_[from];  // what can be interrupted comes first
    int& target = balance_[to];
    source -= amount;  // from here on nothing allocates
    target += amount;
  }

  bool is_balanced() const {
    int sum = 0;
    for (auto const& [account, balance] : balance_) sum += balance;
    return sum == 0;
  }

 private:
  std::map<std::string, int> balance_;
};

int main() {
  std::string const alice = "the current account of Alice";
  std::string const bob = "the current account of Bob";

  auto const broken = memprof::testing::for_each_interrupt(
      [] { return ledger(); },                           // a new state for each run
      [&](ledger& l) { l.transfer(alice, bob, 100); },   // interrupted at each point in turn
      [](ledger const& l) { return l.is_balanced(); });  // what must hold in any case
  std::cout << broken.message() << "\n\n";

  auto const mended = memprof::testing::for_each_interrupt(
      [] { return ledger(); }, [&](ledger& l) { l.transfer_safely(alice, bob, 100); },
      [](ledger const& l) { return l.is_balanced(); });
  std::cout << mended.message() << '\n';

  return !broken.ok() && mended.ok() ? 0 : 1;
}
