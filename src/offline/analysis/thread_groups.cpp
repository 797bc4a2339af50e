// SPDX-License-Identifier: MIT
#include "analysis/thread_groups.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <utility>

#include "analysis/trace_source.hpp"

namespace memprof::analysis {
namespace {

using trace::thread;

std::string name_of(thread const& t, trace::info const& info) {
  if (t.number == 0) return "unknown thread";
  std::string name(t.name);
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::iscntrl(c) != 0; }, '?');
  if (name.empty()) name = fmt::format("thread #{}", t.number);
  if (t.id != 0 && t.id == info.pid) name += " (main)";
  return name;
}

std::string without_digits(std::string_view name) {
  std::string result;
  for (const char c : name) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!digit) result += c;
    if (digit && !result.ends_with('#')) result += '#';
  }
  return result;
}

}  // namespace

thread_groups::thread_groups(std::span<trace::thread const> names, trace::info const& info,
                             std::map<std::uint32_t, std::uint64_t> const& samples) {
  std::map<std::uint32_t, thread> last;
  std::map<std::uint32_t, std::string> called;
  for (thread const& t : names) last[t.number] = t;
  std::map<std::uint32_t, thread> threads;
  for (auto const& [number, n] : samples) {
    const auto at = last.find(number);
    thread t = at != last.end() ? at->second : thread{.number = number, .id = 0, .name = {}};
    called[number] = name_of(t, info);
    t.name = called[number];
    threads[number] = t;
  }
  if (threads.size() <= most) {
    name_each(threads);
  } else {
    merge(threads, samples);
  }
}

void thread_groups::name_each(std::map<std::uint32_t, thread> const& threads) {
  std::map<std::string_view, int> same;
  std::map<std::pair<std::string_view, std::uint64_t>, int> same_id;
  for (auto const& [number, t] : threads) {
    ++same[t.name];
    ++same_id[{t.name, t.id}];
  }
  for (auto const& [number, t] : threads) {
    std::string label(t.name);
    if (same[t.name] > 1) label += fmt::format(" {}", t.id);
    if (same_id[{t.name, t.id}] > 1) label += fmt::format(" #{}", number);
    group_of_[number] = groups_.size();
    groups_.push_back({.number = number, .label = std::move(label)});
  }
}

void thread_groups::merge(std::map<std::uint32_t, thread> const& threads,
                          std::map<std::uint32_t, std::uint64_t> const& samples) {
  struct family {
    std::string name;
    std::vector<std::uint32_t> members;
    std::uint64_t samples = 0;
  };
  std::map<std::string, family> by_name;
  for (auto const& [number, t] : threads) {
    family& f = by_name[without_digits(t.name)];
    f.members.push_back(number);
    f.samples += samples.at(number);
    f.name = t.name;
  }
  std::vector<family> families;
  for (auto& [name, f] : by_name) {
    if (f.members.size() > 1) {
      f.name = fmt::format("{}, {} threads", name, f.members.size());
    }
    families.push_back(std::move(f));
  }
  std::ranges::stable_sort(families, std::ranges::greater{}, &family::samples);
  if (families.size() > most) {
    family& others = families[most - 1];
    for (std::size_t i = most; i < families.size(); ++i) {
      others.members.insert(others.members.end(), families[i].members.begin(),
                            families[i].members.end());
    }
    others.name = fmt::format("{} other threads", others.members.size());
    families.resize(most);
  }
  for (family& f : families) {
    groups_.push_back({.number = std::ranges::min(f.members), .label = std::move(f.name)});
  }
  std::vector<std::size_t> order(groups_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, {}, [&](std::size_t i) { return groups_[i].number; });
  std::vector<group> sorted;
  for (const std::size_t i : order) {
    for (const std::uint32_t member : families[i].members) group_of_[member] = sorted.size();
    sorted.push_back(std::move(groups_[i]));
  }
  groups_ = std::move(sorted);
}

thread_groups::group const& thread_groups::of(std::uint32_t number) const {
  const auto at = group_of_.find(number);
  return groups_[at == group_of_.end() ? 0 : at->second];
}

thread_groups read_thread_groups(trace_source& source) {
  reading events = source.open();
  std::map<std::uint32_t, std::uint64_t> samples;
  for (trace::event e; events.next(e);) {
    if (e.kind == trace::event_kind::allocation) samples[e.thread] += e.n_samples;
  }
  return {events.reader().threads(), events.info(), samples};
}

}  // namespace memprof::analysis
