// SPDX-License-Identifier: MIT
//
// A server of Boost.Asio coroutines on two threads, each request under limits of its own, and
// clients that send good requests and runaways: `server_asio SECONDS`.
#include "memprof/asio.hpp"

#include <boost/asio.hpp>
#include <chrono>
#include <cstdlib>
#include <map>
#include <memory>
#include <numeric>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "memprof/memprof.hpp"

#include "load.hpp"

namespace {

namespace asio = boost::asio;
using asio::awaitable;
using asio::use_awaitable;
using asio::ip::tcp;
using namespace memprof::literals;
using namespace std::chrono_literals;

/// What a request costs: a table of n names, built in parts, between which it changes threads.
awaitable<std::string> sum(int n) {
  std::map<std::string, int> table;
  for (int i = 1; i <= n; ++i) {
    table.emplace("a name that does not fit into the string itself " + std::to_string(i), i);
    if (i % 100 == 0) co_await asio::post(use_awaitable);
  }
  const long total = std::accumulate(table.begin(), table.end(), 0L,
                                     [](long s, auto const& entry) { return s + entry.second; });
  co_return "sum " + std::to_string(total);
}

awaitable<std::string> fill() {
  std::vector<std::string> table;
  for (int i = 0;; ++i) {
    table.emplace_back(100, 'x');
    if (i % 1000 == 0) co_await asio::post(use_awaitable);
  }
}

awaitable<std::string> print() {
  std::ostringstream text;
  for (int i = 0;; ++i) {
    text << "line " << i << '\n';
    if (i % 1000 == 0) co_await asio::post(use_awaitable);
  }
}

awaitable<std::string> spin() {
  for (int i = 0;; ++i) {
    const std::vector<int> numbers(100, i);
    asm volatile("" ::"r"(numbers.data()));  // clang leaves out blocks that nobody uses
    if (i % 1000 == 0) co_await asio::post(use_awaitable);
  }
}

awaitable<std::string> answer(std::string const& request) {
  std::istringstream words(request);
  std::string what;
  int n = 0;
  words >> what >> n;
  memprof::limits limits{.memory = 4_MiB};
  if (what == "spin") limits.deadline = std::chrono::steady_clock::now() + 5ms;
  // Not written into the co_await: g++ 12 copies the bytes of temporaries there, which is wrong for
  // what it captures by value.
  const auto handle = [&what, n] {
    if (what == "fill") return fill();
    if (what == "print") return print();
    if (what == "spin") return spin();
    return sum(n);
  };
  auto r = co_await memprof::co_run_limited(limits, handle);
  if (r) co_return r->value + '\n';
  co_return "stopped " + std::string(to_string(r.error().kind())) + '\n';
}

awaitable<void> serve(tcp::socket socket) {
  std::string text;
  try {
    for (;;) {
      const std::size_t size =
          co_await asio::async_read_until(socket, asio::dynamic_buffer(text), '\n', use_awaitable);
      const std::string request = text.substr(0, size - 1);
      text.erase(0, size);
      const std::string reply = co_await answer(request);
      co_await asio::async_write(socket, asio::buffer(reply), use_awaitable);
    }
  } catch (boost::system::system_error const&) {
    // The client has gone.
  }
}

awaitable<void> listen(tcp::acceptor& acceptor) {
  for (;;) {
    tcp::socket socket = co_await acceptor.async_accept(use_awaitable);
    asio::co_spawn(acceptor.get_executor(), serve(std::move(socket)), asio::detached);
  }
}

class client {
 public:
  explicit client(tcp::endpoint const& server) : socket_(context_) { socket_.connect(server); }

  void operator()(std::mt19937& random, memprof::test::load_counts& counts) {
    static constexpr char const* runaways[] = {"fill", "print", "spin"};
    const auto draw = random() % 10;
    if (draw < 3) {
      const std::string wanted = draw == 2 ? "stopped deadline" : "stopped memory";
      ++(ask(runaways[draw]) == wanted ? counts.stopped : counts.not_stopped);
      return;
    }
    const long n = static_cast<long>(random() % 1000);
    ++counts.good;
    if (ask("sum " + std::to_string(n)) != "sum " + std::to_string(n * (n + 1) / 2)) ++counts.wrong;
  }

 private:
  std::string ask(std::string const& request) {
    asio::write(socket_, asio::buffer(request + '\n'));
    std::string text;
    asio::read_until(socket_, asio::dynamic_buffer(text), '\n');
    text.pop_back();
    return text;
  }

  asio::io_context context_;
  tcp::socket socket_;
};

}  // namespace

int main(int argc, char** argv) {
  asio::io_context context(2);
  tcp::acceptor acceptor(context, {asio::ip::address_v4::loopback(), 0});
  const tcp::endpoint server = acceptor.local_endpoint();
  asio::co_spawn(context, listen(acceptor), asio::detached);
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) threads.emplace_back([&] { context.run(); });
  const int code = memprof::test::run_load(argc, argv, [&] {
    return [c = std::make_shared<client>(server)](auto& random, auto& counts) {
      (*c)(random, counts);
    };
  });
  context.stop();
  for (auto& t : threads) t.join();
  return code;
}
