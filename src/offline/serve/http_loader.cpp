// SPDX-License-Identifier: MIT
#include <dlfcn.h>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "export/export.hpp"
#include "pprof/pprof.hpp"
#include "serve/http_server.hpp"

namespace memprof::serve {
namespace {

constexpr std::size_t worth_compressing = 1024;

std::string gzipped(std::string const& text) {
  std::ostringstream out;
  pprof::gzip_writer writer(out);
  writer.write(text);
  writer.finish();
  return std::move(out).str();
}

http_server_maker* load() {
  const std::filesystem::path folder =
      std::filesystem::read_symlink("/proc/self/exe").parent_path();
  std::string file = folder / "libmemprof-http.so";
  if (!std::filesystem::exists(file))
    file = folder / MEMPROF_INSTALLED_MODULES / "libmemprof-http.so";
  void* const module = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) throw std::runtime_error("cannot serve: " + std::string(::dlerror()));
  void* const maker = ::dlsym(module, "memprof_make_http_server");
  if (maker == nullptr)
    throw std::runtime_error("cannot serve: " + file + " is of another memprof");
  return reinterpret_cast<http_server_maker*>(maker);
}

}  // namespace

std::unique_ptr<http_server> make_http_server(
    std::function<response(std::string_view path)> answer) {
  static http_server_maker* const make = load();
  return std::unique_ptr<http_server>(
      make({.is_own_host = &is_host_of,
            .answer = [answer = std::move(answer)](std::string const& path, bool gzip) {
              response to = answer(path);
              if (gzip && to.type != response::binary && to.body->size() >= worth_compressing) {
                to.set_body(gzipped(*to.body));
                to.gzip = true;
              }
              return to;
            }}));
}

}  // namespace memprof::serve
