// SPDX-License-Identifier: MIT
//
// Any bytes on a socket of the process's own HTTP server: whatever comes, it is answered or the
// connection is closed, soon, and what is not the owner's is refused.
//
// The first byte of an input: bit 0 a token is asked for, bit 1 only loopback's names are served,
// bit 2 the other end has gone when the answer comes. Then the request.
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include "memprof/serve/respond.hpp"
#include "memprof/sources.hpp"

#include "answers/answers.hpp"
#include "http/connection.hpp"
#include "require.hpp"

using namespace memprof::http;
using memprof_fuzz::require;

namespace {

constexpr std::string_view token = "not to be guessed";

/// All that comes until the other end has closed.
std::string read_all(int socket) {
  std::string all;
  char part[65536];
  for (ssize_t n; (n = recv(socket, part, sizeof part, 0)) > 0;) {
    all.append(part, static_cast<std::size_t>(n));
  }
  return all;
}

void* volatile blocks[20];  // kept, for the profiles to show

bool has_status(std::string_view answer, std::string_view code) {
  return answer.starts_with("HTTP/1.1 " + std::string(code) + ' ');
}

/// \param answers to `request`, and to what it may have behind its end.
void check(std::string_view request, std::string_view answers, connection_rules const& rules) {
  constexpr std::string_view go_ahead = "HTTP/1.1 100 Continue\r\n\r\n";
  bool const may_be_head = request.find("HEAD ") != std::string_view::npos;
  while (true) {
    if (answers.starts_with(go_ahead)) answers.remove_prefix(go_ahead.size());
    if (answers.empty()) return;
    if (!rules.token.empty() && request.find(token) == std::string_view::npos) {
      require(!has_status(answers, "200"));
    }
    std::size_t const head = answers.find("\r\n\r\n");
    require(answers.starts_with("HTTP/1.1 ") && head != std::string_view::npos);
    std::size_t const at = answers.find("\r\nContent-Length: ");
    require(at < head);
    std::size_t const length = std::stoul(std::string(answers.substr(at + 18, 20)));
    answers.remove_prefix(head + 4);
    if (may_be_head && (answers.empty() || answers.starts_with("HTTP/1.1 "))) continue;
    require(answers.size() >= length);
    answers.remove_prefix(length);
  }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  static memprof::memory_resource resource;
  memprof::serve::collect_stacks(memprof::sampling_rate(1));
  for (std::size_t i = 0; i < std::size(blocks); ++i) blocks[i] = resource.allocate(100 + i * 100);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  std::string_view const request(reinterpret_cast<char const*>(data) + 1, size - 1);
  // It would wait so long; what else these say is the fuzzer `settings`' business.
  if (request.find("seconds") != std::string_view::npos) return 0;
  connection_rules rules;
  rules.answer = memprof::answers::served(memprof::serve::respond);
  if (data[0] & 1) rules.token = token;
  rules.only_loopback = (data[0] & 2) != 0;
  int ends[2];
  require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0);
  int const large = 1 << 20;  // so that nobody waits for the other
  for (int const s : ends) setsockopt(s, SOL_SOCKET, SO_SNDBUF, &large, sizeof large);
  ssize_t const sent = send(ends[0], request.data(), request.size(), MSG_NOSIGNAL);
  require(request.empty() || sent > 0);
  shutdown(ends[0], SHUT_WR);
  bool const gone = (data[0] & 4) != 0;
  if (gone) close(ends[0]);
  serve_connection(descriptor(ends[1]), rules);
  if (!gone) {
    check(request, read_all(ends[0]), rules);
    close(ends[0]);
  }
  return 0;
}
