// SPDX-License-Identifier: MIT
// The component memprof::serve: a profile and a page of metrics of this process.
#include <string>

#include <memprof/memprof.hpp>
#include <memprof/serve/adaptors.hpp>
#include <memprof/serve/listen.hpp>

int main() {
  memprof::serve::collect_stacks();
  const std::string data(1'000'000, 'x');
  if (memprof::serve::respond({.target = "/debug/pprof/heap"}).body.size() < 100) return 1;
  const memprof::serve::response page = memprof::serve::respond({.target = "/metrics"});
  if (page.body.find("memprof_inuse_bytes ") == std::string::npos) return 2;
  if (memprof::serve_on("127.0.0.1:0").address().empty()) return 4;
  return memprof::serve::is_served("/metrics") && data[0] == 'x' ? 0 : 3;
}
