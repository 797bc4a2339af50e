// SPDX-License-Identifier: MIT
#include "tools/names.hpp"

#include "tools/message.hpp"

namespace memprof::tools {

std::shared_ptr<symbolize::resolver> make_resolver(reading_options const& options,
                                                   unnamed_code unnamed) {
  if (options.no_symbols) return nullptr;
  symbolize::resolver_options o;
  o.by_function = unnamed == unnamed_code::by_function;
  o.debuginfod = options.debuginfod;
  o.debug_directories.insert(o.debug_directories.begin(), options.debug_directories.begin(),
                             options.debug_directories.end());
  return std::make_shared<symbolize::resolver>(std::move(o));
}

void say_notices(symbolize::resolver const* resolver, reading_options const& options) {
  if (resolver == nullptr || options.quiet) return;
  for (std::string const& notice : resolver->notices()) message(notice);
}

}  // namespace memprof::tools
