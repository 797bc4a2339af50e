// SPDX-License-Identifier: MIT
//
// Any bytes on a connection to the server of `memprof serve`: it answers or closes soon, only to
// its own name, only GET and HEAD, with its headers, and reads no file that no frame of the trace
// names.
//
// The first byte of an input: bit 0: what follows up to the first line feed is a path, asked for
// as a browser does it, and the rest comes behind; else all of it is sent as it is.
#include <algorithm>
#include <arpa/inet.h>
#include <cctype>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <netinet/in.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>

#include "page_server/page_server.hpp"
#include "require.hpp"

using memprof_fuzz::require;
namespace page_server = memprof::page_server;

namespace {

constexpr std::string_view secret = "nobody may read this";
sockaddr_in address{};

/// What the page may read, and beside it what it may not, in a folder of this process.
std::filesystem::path make_files() {
  std::string name = std::filesystem::temp_directory_path() / "memprof-page-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder: " + name);
  static std::string const folder = name;
  std::atexit([] { std::filesystem::remove_all(folder); });
  std::filesystem::current_path(folder);
  for (char const* other : {"secret.cpp", "secret.h", "secret"}) std::ofstream(other) << secret;
  std::ofstream("named.cpp") << "int named;\n";
  return folder;
}

std::string read_all(int s) {
  std::string all;
  char part[65536];
  ssize_t n;
  while ((n = recv(s, part, sizeof part, 0)) > 0 || (n < 0 && errno == EINTR)) {
    if (n > 0) all.append(part, static_cast<std::size_t>(n));
  }
  require(n == 0 || errno == ECONNRESET);  // else the server keeps it open
  return all;
}

void check(std::string request, std::string_view answer) {
  require(answer.find(secret) == answer.npos);
  if (!answer.starts_with("HTTP/1.1 200")) return;
  require(request.find("GET") != request.npos || request.find("HEAD") != request.npos);
  std::transform(request.begin(), request.end(), request.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  auto const names = [&](char const* host) { return request.find(host) != request.npos; };
  require(names("localhost") || names("127.0.0.1") || names("::1"));
  std::string_view const head = answer.substr(0, answer.find("\r\n\r\n"));
  for (char const* header : {"Content-Security-Policy: default-src 'none'",
                             "X-Content-Type-Options: nosniff", "Cache-Control: no-store"}) {
    require(head.find(header) != head.npos);
  }
}

std::string request_of(std::string_view input) {
  if ((input[0] & 1) == 0) return std::string(input.substr(1));
  std::size_t const end = std::min(input.find('\n'), input.size());
  std::string request =
      "GET " + std::string(input.substr(1, end - 1)) + " HTTP/1.1\r\nHost: localhost\r\n";
  if (end < input.size()) request += input.substr(end + 1);
  return request + "\r\n\r\n";
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  auto const folder = make_files();
  page_server::trace_options served;
  served.file = MEMPROF_FUZZ_TRACES "/interrupts.ctf";
  auto const trace = std::make_shared<page_server::served_trace>(served);
  page_server::server_options options;
  require(trace->now()->sources.contains("work.cpp"));
  options.sources.substitutions.emplace_back("work.cpp", folder / "named.cpp");
  // Until the process ends: its threads answer.
  static auto* const server = new page_server::live_server(trace, nullptr, options);
  std::string const& url = server->url();
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1))));
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  std::string const request = request_of({reinterpret_cast<char const*>(data), size});
  int const s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  require(s >= 0);
  timeval const soon{.tv_sec = 4, .tv_usec = 0};  // it keeps idle connections for 5 s
  setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon);
  // Each connection's port stays taken for a minute, so each comes from another address.
  static std::uint32_t count = 0;
  sockaddr_in from{};
  from.sin_family = AF_INET;
  from.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1 + ++count % 10'000'000);
  require(bind(s, reinterpret_cast<sockaddr*>(&from), sizeof from) == 0);
  if (connect(s, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    require(errno == EINTR);  // libFuzzer's clock
    close(s);
    return 0;
  }
  send(s, request.data(), request.size(), MSG_NOSIGNAL);  // it may have refused and closed
  shutdown(s, SHUT_WR);
  check(request, read_all(s));
  close(s);
  return 0;
}
