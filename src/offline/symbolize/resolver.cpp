// SPDX-License-Identifier: MIT
#include "symbolize/resolver.hpp"

#include <fmt/format.h>
#include <iterator>
#include <unordered_map>
#include <unordered_set>

#include "symbolize/debuginfod.hpp"
#include "symbolize/module.hpp"
#include "symbolize/raw_location.hpp"
#include "symbolize/short_name.hpp"

namespace memprof::symbolize {
namespace {

struct text_hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view s) const noexcept {
    return std::hash<std::string_view>{}(s);
  }
};

constexpr std::string_view deleted = " (deleted)";
std::string at_address(raw_location const& raw, std::uint64_t address) {
  return fmt::format("{}+{:#x}{}{}", raw.module.substr(raw.module.rfind('/') + 1), address,
                     raw.build_id.empty() ? "" : "@", raw.build_id);
}

// What the format has for columns that are not known.
constexpr std::uint32_t no_start = 255;
constexpr std::uint32_t no_end = 1023;

}  // namespace

struct resolver::state {
  explicit state(resolver_options o)
      : options{std::move(o)},
        files{options.debug_directories, options.sysroot,
              !options.debuginfod
                  ? std::function<std::filesystem::path(std::string_view)>{}
                  : [this](std::string_view build_id) { return servers.find(build_id); }} {}

  /// Null: nothing can be said of this module; why has become a notice.
  module* open(raw_location const& raw, file_time since);
  std::unique_ptr<module> open_new(raw_location const& raw, file_time since);
  void resolve_one(trace::location const& l, file_time since, std::vector<trace::location>& out);
  std::string_view keep(std::string_view text) {
    auto at = texts.find(text);
    if (at == texts.end()) at = texts.emplace(text).first;
    return *at;
  }
  std::string_view readable(function_name const& name);

  resolver_options options;
  debuginfod servers{[this](std::string notice) { notices.push_back(std::move(notice)); }};
  debug_files files;
  memory_budget memory = memory_budget::of_this_machine();
  std::unordered_map<std::string, std::unique_ptr<module>> modules;  // by path and build id
  std::unordered_set<module*> nonsense;
  std::unordered_set<module*> incomplete, too_large;
  std::unordered_set<std::string, text_hash, std::equal_to<>> texts;  // nodes stay where they are
  // From a module's name, by where it lies, to the readable one.
  std::unordered_map<char const*, std::string_view> names;
  std::unordered_map<std::string, std::vector<trace::location>, text_hash, std::equal_to<>> answers;
  std::vector<std::string> notices;
  std::vector<frame> frames;
  std::string key;
};

resolver::resolver(resolver_options options) : state_{new state{std::move(options)}} {}
resolver::~resolver() = default;
resolver::resolver(resolver&&) noexcept = default;
resolver& resolver::operator=(resolver&&) noexcept = default;

std::span<std::string const> resolver::notices() const noexcept { return state_->notices; }

std::unique_ptr<module> resolver::state::open_new(raw_location const& raw, file_time since) {
  std::string_view name = raw.module;
  const bool was_deleted = name.ends_with(deleted);
  if (was_deleted) name.remove_suffix(deleted.size());
  std::filesystem::path path = name;
  if (!options.sysroot.empty()) path = options.sysroot / path.relative_path();
  std::string reason;
  std::unique_ptr<elf_image> image = elf_image::open(path, reason);
  if (image != nullptr && image->build_id().substr(0, 16) != raw.build_id) {
    reason = fmt::format("not the file that was traced (its build id is {}, was {})",
                         image->build_id().empty() ? "none" : image->build_id().substr(0, 16),
                         raw.build_id.empty() ? "none" : raw.build_id);
    image.reset();
  } else if (image != nullptr && was_deleted && raw.build_id.empty()) {
    reason = "deleted while it ran, and without a build id to compare";
    image.reset();
  } else if (image != nullptr && raw.build_id.empty() && since != file_time{} &&
             image->modified() > since) {
    reason = "changed since the trace began, and without a build id to compare (ld --build-id)";
    image.reset();
  }
  // The debug file of exactly that build may still be there.
  if (image == nullptr) image = files.with_build_id(raw.build_id);
  if (image == nullptr) {
    notices.push_back(fmt::format("{}: {}; its code stays module+address", raw.module, reason));
    return nullptr;
  }
  return std::make_unique<module>(std::move(image), files, memory);
}

module* resolver::state::open(raw_location const& raw, file_time since) {
  if (!raw.module.starts_with('/')) return nullptr;  // [vdso] and its like
  std::string name{raw.module};
  name.append(1, '\0').append(raw.build_id);
  if (raw.build_id.empty()) name += std::to_string(since.time_since_epoch().count());
  const auto [at, fresh] = modules.try_emplace(std::move(name));
  if (fresh) at->second = open_new(raw, since);
  return at->second.get();
}

std::string_view resolver::state::readable(function_name const& name) {
  const std::string_view from = name.linker.empty() ? name.plain : name.linker;
  if (from.empty()) return {};
  const auto [known, fresh] = names.try_emplace(from.data());
  if (!fresh) return known->second;
  std::string text = demangle(from);
  if (options.shorten) text = short_name(text, options.arguments);
  return known->second = keep(text);
}

void resolver::state::resolve_one(trace::location const& l, file_time since,
                                  std::vector<trace::location>& out) {
  const std::optional<raw_location> raw = parse_raw(l);
  module* const m = raw ? open(*raw, since) : nullptr;
  frames.clear();
  if (m != nullptr) {
    m->find(raw->address, frames);
    if (m->nonsense() && nonsense.insert(m).second) {
      notices.push_back(fmt::format(
          "{}: its debug information is implausible and was not read to the end", raw->module));
    }
    if (!m->left_out().empty() && too_large.insert(m).second) {
      notices.push_back(fmt::format("{}: {}", raw->module, m->left_out()));
    }
    if (!m->missing().empty() && incomplete.insert(m).second) {
      notices.push_back(fmt::format(
          "{}: split debug information not found ({}); functions without lines and inlined calls",
          raw->module, m->missing()));
    }
  }
  if (frames.empty()) {
    const auto begin = m != nullptr && options.by_function ? m->function_at(raw->address)
                                                           : std::optional<std::uint64_t>{};
    const std::string_view name = begin ? keep(at_address(*raw, *begin)) : keep(l.defname);
    out.push_back({keep(l.filename), name, l.line, l.start_char, l.end_char});
    return;
  }
  if (!options.inlines) frames.erase(frames.begin(), frames.end() - 1);
  for (auto f = frames.rbegin(); f != frames.rend(); ++f) {
    const std::string_view name = readable(f->name);
    out.push_back({f->file.empty() ? keep(l.filename) : f->file,
                   name.empty() ? keep(l.defname) : name, f->line,
                   f->column == 0 ? no_start : f->column, f->column == 0 ? no_end : f->column});
  }
}

std::span<trace::location const> resolver::resolve(std::span<trace::location const> raw,
                                                   file_time since) {
  state& s = *state_;
  bool any = false;
  s.key.clear();
  for (trace::location const& l : raw) {
    any = any || parse_raw(l).has_value();
    fmt::format_to(std::back_inserter(s.key), "{1}{0}{2}{0}{3}{0}{4}{0}{5}{0}", '\0', l.filename,
                   l.defname, l.line, l.start_char, l.end_char);
  }
  if (!any) return raw;
  s.key += std::to_string(since.time_since_epoch().count());
  const auto known = s.answers.find(s.key);
  if (known != s.answers.end()) return known->second;
  std::vector<trace::location> all;
  for (trace::location const& l : raw) s.resolve_one(l, since, all);
  return s.answers.emplace(s.key, std::move(all)).first->second;
}

}  // namespace memprof::symbolize
