// SPDX-License-Identifier: MIT
// One process of a fleet, for fleet_judge.py: builds an index of generated documents, which is real
// work for containers and strings, with samples of its own seed. Prints where its profile is
// served, and the exact bytes that the index allocated and holds; serves until its standard input
// ends.
//
//     fleet_process SEED
//     fleet_process --interval CONFIDENCE SAMPLES...     bytes, for each: lower and upper
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "memprof/confidence.hpp"
#include "memprof/memprof.hpp"
#include "memprof/serve/listen.hpp"
#include "memprof/serve/respond.hpp"

namespace fleet {

/// As memprof counts: whole words, and one for the header.
struct exact_bytes {
  std::uint64_t allocated = 0;
  std::uint64_t in_use = 0;
} exact;

template <class T>
struct counting_allocator {
  using value_type = T;
  counting_allocator() = default;
  template <class U>
  counting_allocator(counting_allocator<U> const&) noexcept {}

  static std::uint64_t counted(std::size_t n) { return ((n * sizeof(T) + 7) / 8 + 1) * 8; }
  T* allocate(std::size_t n) {
    exact.allocated += counted(n);
    exact.in_use += counted(n);
    return static_cast<T*>(::operator new(n * sizeof(T)));
  }
  void deallocate(T* p, std::size_t n) noexcept {
    exact.in_use -= counted(n);
    ::operator delete(p);
  }
  bool operator==(counting_allocator const&) const = default;
};

using text = std::basic_string<char, std::char_traits<char>, counting_allocator<char>>;
struct text_hash {
  std::size_t operator()(text const& t) const { return std::hash<std::string_view>()(t); }
};
struct position {
  std::uint32_t document, word;
};
using positions = std::vector<position, counting_allocator<position>>;
using word_index = std::unordered_map<text, positions, text_hash, std::equal_to<>,
                                      counting_allocator<std::pair<text const, positions>>>;

[[gnu::noinline]] text word_of(std::mt19937_64& random) {
  // A few words are frequent, and most are rare.
  std::uint64_t n = random() >> (48 + random() % 14);
  text word = "word-of-these-documents-";
  for (; n > 0; n /= 26) word += static_cast<char>('a' + n % 26);
  return word;
}

[[gnu::noinline]] void index_documents(word_index& index, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (std::uint32_t document = 0; document < 400; ++document) {
    for (std::uint32_t word = 0; word < 200; ++word) {
      index[word_of(random)].push_back({document, word});
    }
  }
}

int print_intervals(double confidence, int count, char** samples) {
  for (int i = 0; i < count; ++i) {
    const auto interval =
        memprof::allocated_interval(std::strtoull(samples[i], nullptr, 10), confidence);
    std::cout << memprof::bytes(interval.lower).count() << ' '
              << memprof::bytes(interval.upper).count() << '\n';
  }
  return 0;
}

int serve(std::uint64_t seed) {
  memprof::set_seed(seed);
  memprof::serve::collect_stacks();
  word_index index;
  index_documents(index, seed);
  const auto server = memprof::serve_on("127.0.0.1:0");
  std::cout << server.address() << ' ' << exact.allocated << ' ' << exact.in_use << std::endl;
  while (std::getchar() != EOF) {
  }
  return 0;
}

}  // namespace fleet

int main(int argc, char** argv) {
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (first == "--interval" && argc > 2) {
    return fleet::print_intervals(std::strtod(argv[2], nullptr), argc - 3, argv + 3);
  }
  return argc == 2 ? fleet::serve(std::strtoull(argv[1], nullptr, 10)) : 2;
}
