// SPDX-License-Identifier: MIT
#include "tools/rewriting.hpp"

#include <stdexcept>
#include <string_view>
#include <utility>

namespace memprof::tools {

int written_version(trace::info const& info, std::optional<int> asked) {
  return asked.value_or(info.version < 2 ? 2 : info.version);
}

rewriting::rewriting(output_file& out, trace::info const& info, trace::location_lookup lookup,
                     manner how)
    : writer_(
          [&out](std::span<std::byte const> packet) {
            out.write({reinterpret_cast<char const*>(packet.data()), packet.size()});
          },
          info, std::move(lookup)),
      manner_(how) {}

bool rewriting::put(trace::event const& e) {
  if (e.kind == trace::event_kind::allocation) {
    const trace::object_id id = manner_ == manner::copy
                                    ? writer_.put(e)
                                    : writer_.allocation(e.time, e.source, e.length, e.n_samples,
                                                         e.backtrace, e.domain, e.thread);
    ids_.insert(e.object).id = id;
    ++counts_.allocations;
    counts_.samples += e.n_samples;
    return true;
  }
  new_id const* const known = ids_.find(e.object);
  if (known == nullptr) {
    ++counts_.unknown;
    return false;
  }
  trace::event renamed = e;
  renamed.object = known->id;
  writer_.put(renamed);
  if (e.kind == trace::event_kind::promotion) {
    ++counts_.promotions;
  } else {
    ++counts_.collections;
    ids_.erase(e.object);
  }
  return true;
}

bool rewriting::put_if_possible(trace::event const& e) {
  try {
    return put(e);
  } catch (std::invalid_argument const&) {
    ++counts_.unwritable;
    return false;
  }
}

}  // namespace memprof::tools
