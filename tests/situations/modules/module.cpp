// SPDX-License-Identifier: MIT
// A module with constructors, thread-local data and its destructors, for the situations.
#include <string>
#include <vector>

namespace {

std::vector<std::string> at_start(30, std::string(60, 'm'));

struct of_thread {
  std::string kept = std::string(70, 'n');
  ~of_thread() { kept += std::string(1000, 'o'); }
};
thread_local of_thread of_this_thread;

}  // namespace

extern "C" unsigned module_work(unsigned seed) {
  std::vector<std::string> texts;
  for (unsigned i = 0; i < 20; ++i) texts.push_back(std::string(seed + i, 'x'));
  unsigned sum = static_cast<unsigned>(at_start.size() + of_this_thread.kept.size());
  for (auto const& text : texts) sum += static_cast<unsigned>(text.size());
  try {
    throw std::string(40, 'e');
  } catch (std::string const& text) {
    sum += static_cast<unsigned>(text.size());
  }
  return sum;
}
