// SPDX-License-Identifier: MIT
// Library: Boost, others
// Package: libboost1.81-dev|libboost-dev
#include <boost/circular_buffer.hpp>
#include <boost/dynamic_bitset.hpp>
#include <boost/json/src.hpp>
#include <boost/multi_index/hashed_index.hpp>
#include <boost/multi_index/member.hpp>
#include <boost/multi_index/ordered_index.hpp>
#include <boost/multi_index_container.hpp>
#include <boost/property_tree/json_parser.hpp>
#include <boost/property_tree/ptree.hpp>
#include <boost/unordered_map.hpp>
#include <boost/version.hpp>
#include <sstream>
#if BOOST_VERSION >= 108100
#include <boost/unordered/unordered_flat_map.hpp>
#endif

#include "survey.hpp"

using containers::text;

namespace {

template <class Map>
void fill_map(Map& map) {
  for (int i = 0; i < 30; ++i) map[text(i)] = text(i);
  Map copy = map;
  map.erase(text(3));
}

struct person {
  std::string name;
  int age;
};
namespace mi = boost::multi_index;
using people = mi::multi_index_container<
    person, mi::indexed_by<mi::ordered_unique<mi::member<person, std::string, &person::name>>,
                           mi::hashed_non_unique<mi::member<person, int, &person::age>>>>;

constexpr char const* json = R"({"a": [1, 2, {"b": "a text that is longer than short"}],
  "c": null, "d": {"e": "and another text that is longer", "f": [[], {}, 1.5]}})";

}  // namespace

int main(int count, char** arguments) {
  containers::survey s(count, arguments);
  using unordered = boost::unordered_map<std::string, std::string>;
  using multi = boost::unordered_multimap<std::string, std::string>;
  using ring = boost::circular_buffer<std::string>;
  using bits = boost::dynamic_bitset<>;
  s.container<unordered>("boost::unordered_map", "operator[], copy, erase", fill_map<unordered>);
  s.container<multi>("boost::unordered_multimap", "insert, copy", [](multi& map) {
    for (int i = 0; i < 30; ++i) map.insert({text(i % 7), text(i)});
    multi const copy = map;
  });
#if BOOST_VERSION >= 108100
  using flat = boost::unordered_flat_map<std::string, std::string>;
  s.container<flat>("boost::unordered_flat_map", "operator[], copy, erase", fill_map<flat>);
#endif
  s.container<people>("boost::multi_index_container", "insert, copy", [](people& all) {
    for (int i = 0; i < 30; ++i) all.insert({text(i), i % 5});
    people const copy = all;
  });
  s.container<ring>("boost::circular_buffer", "push_back, set_capacity", [](ring& c) {
    c.set_capacity(c.capacity() + 8);
    for (int i = 0; i < 20; ++i) c.push_back(text(i));
  });
  s.scenario<bits>(
      "boost::dynamic_bitset", "push_back, shift",
      [](bits& b) {
        for (int i = 0; i < 1000; ++i) b.push_back(i % 3 == 0);
        b |= b << 3;
      },
      [](bits& b) { return b.count() <= b.size(); });
  s.function("boost::json", "parse, serialize", [] {
    boost::json::value const v = boost::json::parse(json);
    CHECK(!boost::json::serialize(v).empty());
  });
  s.function("boost::property_tree", "read_json, put", [] {
    std::istringstream in(json);
    boost::property_tree::ptree tree;
    read_json(in, tree);
    tree.put("x.y.z", text(1));
  });
  return s.run();
}
