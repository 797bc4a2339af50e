// SPDX-License-Identifier: MIT
// Library: Boost.Container
// Package: libboost1.81-dev|libboost-dev
#include <boost/container/deque.hpp>
#include <boost/container/devector.hpp>
#include <boost/container/flat_map.hpp>
#include <boost/container/list.hpp>
#include <boost/container/map.hpp>
#include <boost/container/slist.hpp>
#include <boost/container/small_vector.hpp>
#include <boost/container/stable_vector.hpp>
#include <boost/container/string.hpp>
#include <boost/container/vector.hpp>

#include "standard_filling.hpp"
#include "survey.hpp"

using containers::fill_map;
using containers::fill_sequence;
using containers::text;
namespace bc = boost::container;

int main(int count, char** arguments) {
  containers::survey s(count, arguments);
  char const* const sequence = "push_back, insert, copy, erase";
  using vector = bc::vector<std::string>;
  using stable_vector = bc::stable_vector<std::string>;
  using deque = bc::deque<std::string>;
  using list = bc::list<std::string>;
  using slist = bc::slist<std::string>;
  using small_vector = bc::small_vector<std::string, 4>;
  using devector = bc::devector<std::string>;
  using map = bc::map<std::string, std::string>;
  using flat_map = bc::flat_map<std::string, std::string>;
  s.container<vector>("boost::container::vector", sequence, fill_sequence<vector>);
  s.container<stable_vector>("boost::container::stable_vector", sequence,
                             fill_sequence<stable_vector>);
  s.container<deque>("boost::container::deque", sequence, fill_sequence<deque>);
  s.container<list>("boost::container::list", sequence, fill_sequence<list>);
  s.container<slist>("boost::container::slist", "push_front, insert_after, copy", [](slist& c) {
    for (int i = 0; i < 20; ++i) c.push_front(text(i));
    c.insert_after(c.begin(), 3, text(1));
    slist const copy = c;
  });
  s.container<small_vector>("boost::container::small_vector", sequence,
                            fill_sequence<small_vector>);
  s.container<devector>("boost::container::devector", sequence, fill_sequence<devector>);
  s.container<map>("boost::container::map", "operator[], copy, erase", fill_map<map>);
  s.container<flat_map>("boost::container::flat_map", "operator[], copy, erase",
                        fill_map<flat_map>);
  s.scenario<bc::string>(
      "boost::container::string", "append, insert",
      [](bc::string& c) {
        for (int i = 0; i < 20; ++i) c.append(text(i).c_str());
        c.insert(5, text(1).c_str());
      },
      [](bc::string& c) { return c.size() == std::char_traits<char>::length(c.c_str()); });
  return s.run();
}
