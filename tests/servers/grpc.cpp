// SPDX-License-Identifier: MIT
//
// A server of gRPC with synchronous, callback and streaming methods, each request under limits of
// its own, and clients that send good requests and runaways: `server_grpc SECONDS`.
#include <atomic>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <grpcpp/grpcpp.h>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "memprof/memprof.hpp"

#include "load.hpp"
#include "tables.grpc.pb.h"

namespace {

using namespace memprof::literals;
using namespace std::chrono_literals;
using memprof::test::Request;
using memprof::test::Table;
using memprof::test::Tables;

constexpr int parts = 4;
constexpr auto patience = 50ms;  // of a client whose request spins

/// Spinning requests whose limit was the client's cancellation, and others.
std::atomic<int> cancelled{0};
std::atomic<int> not_cancelled{0};

/// Streams that were written until their client had gone, and those that were interrupted in gRPC.
std::atomic<int> written_on{0};
std::atomic<int> interrupted_within{0};

std::string name(int row) {
  return "a name that does not fit into the string itself " + std::to_string(row);
}

[[noreturn]] void take_table() {
  std::vector<std::string> table;
  for (int i = 0;; ++i) table.push_back(name(i));
}

[[noreturn]] void spin() {
  for (int i = 0;; ++i) {
    const std::vector<int> numbers(100, i);
    asm volatile("" ::"r"(numbers.data()));  // clang leaves out blocks that nobody uses
  }
}

/// Fills the reply, or runs away.
void make(Request const& request, Table& reply) {
  if (request.runaway() == Request::TABLE) take_table();
  if (request.runaway() == Request::SPIN) spin();
  const bool endless = request.runaway() == Request::REPLY;
  for (int row = 1; endless || row <= request.rows(); ++row) {
    reply.add_names(name(row));
    reply.add_numbers(row);
  }
}

/// gRPC would not survive a null from malloc, and is served all the same.
memprof::malloc_policy after_hit(Request const& request) {
  return request.refuse() ? memprof::malloc_policy::refuse : memprof::malloc_policy::serve;
}

/// Runs the work of a request. The status of one that is stopped names the limit.
template <class Work>
grpc::Status limited(grpc::ServerContextBase const& context, Request const& request, Work work) {
  const bool spins = request.runaway() == Request::SPIN;
  memprof::limits limits{.memory = 8_MiB,
                         .cancel_if = [&context] { return context.IsCancelled(); },
                         .malloc_after_hit = after_hit(request)};
  if (spins) {
    limits.time = 10s;  // of which nothing should be seen
  } else {
    limits.allocations = 32_MiB;
  }
  const auto r = memprof::run_limited(limits, work);
  if (r) return grpc::Status::OK;
  const auto kind = r.error().kind();
  if (spins) ++(kind == memprof::limit_kind::token ? cancelled : not_cancelled);
  return {grpc::StatusCode::RESOURCE_EXHAUSTED, std::string(to_string(kind))};
}

/// Writes parts until the client has gone, each under a limit that is hit within gRPC, where the
/// interrupt waits: each is written.
grpc::Status write_on(Request const& request, grpc::ServerWriter<Table>& writer) {
  const memprof::limits limits{.allocations = 64_B,
                               .count = memprof::counting::exact,
                               .malloc_after_hit = after_hit(request)};
  const Table nothing;
  for (bool gone = false; !gone;) {
    bool returned = false;
    const auto r = memprof::run_limited(limits, [&] {
      gone = !writer.Write(nothing);
      returned = true;
    });
    if (!returned || (!r && r.error().deliveries() > 0)) {
      ++interrupted_within;
      break;
    }
  }
  ++written_on;
  return grpc::Status::OK;
}

class service final : public Tables::WithCallbackMethod_MakeByCallback<Tables::Service> {
 public:
  grpc::Status Make(grpc::ServerContext* context, Request const* request, Table* reply) override {
    return limited(*context, *request, [&] { make(*request, *reply); });
  }

  grpc::ServerUnaryReactor* MakeByCallback(grpc::CallbackServerContext* context,
                                           Request const* request, Table* reply) override {
    auto* const reactor = context->DefaultReactor();
    // Not here: a handler that blocks keeps the thread that would notice the cancellation.
    boost::asio::post(workers_, [=] {
      reactor->Finish(limited(*context, *request, [&] { make(*request, *reply); }));
    });
    return reactor;
  }

  grpc::Status MakeParts(grpc::ServerContext* context, Request const* request,
                         grpc::ServerWriter<Table>* writer) override {
    if (request->runaway() == Request::ON) return write_on(*request, *writer);
    return limited(*context, *request, [&] {
      const bool endless = request->runaway() == Request::STREAM;
      // [stream]
      for (int part = 0; endless || part < parts; ++part) {
        memprof::cancellation_point();  // Write is gRPC's: there the interrupt waits
        Table table;
        make(*request, table);
        if (!writer->Write(table)) return;  // the client has gone
      }
      // [/stream]
    });
  }

 private:
  boost::asio::thread_pool workers_{4};
};

bool is_whole(Table const& table, int rows) {
  if (table.names_size() != rows || table.numbers_size() != rows) return false;
  for (int i = 0; i < rows; ++i) {
    if (table.names(i) != name(i + 1) || table.numbers(i) != i + 1) return false;
  }
  return true;
}

class client {
 public:
  explicit client(std::string const& address)
      : stub_(Tables::NewStub(grpc::CreateChannel(address, grpc::InsecureChannelCredentials()))) {}

  void operator()(std::mt19937& random, memprof::test::load_counts& counts) {
    const auto method = random() % 3;
    if (random() % 10 < 3) {
      // Only a stream can be endless as such.
      const auto runaway = 1 + random() % (method == 2 ? 5 : 3);
      ++(runs_away(random, method, static_cast<Request::Runaway>(runaway)) ? counts.not_stopped
                                                                           : counts.stopped);
      return;
    }
    Request request;
    request.set_rows(static_cast<int>(random() % 5000));
    ++counts.good;
    const reply r = ask(method, request, 20s);
    if (!r.status.ok() || !r.whole || r.tables != (method == 2 ? parts : 1)) ++counts.wrong;
  }

 private:
  struct reply {
    grpc::Status status{};
    int tables = 0;
    bool whole = true;  ///< each of them
  };

  bool runs_away(std::mt19937& random, std::size_t method, Request::Runaway runaway) {
    Request request;
    // None: then all that a stream allocates is gRPC's.
    request.set_rows(random() % 2 == 0 ? 100 : 0);
    request.set_runaway(runaway);
    request.set_refuse(random() % 2 == 0);
    if (runaway == Request::SPIN || runaway == Request::ON) {
      // A stream that is written on meets what gRPC does for other calls meanwhile.
      return ask(method, request, runaway == Request::SPIN ? patience : 10 * patience)
                 .status.error_code() != grpc::StatusCode::DEADLINE_EXCEEDED;
    }
    const grpc::Status status = ask(method, request, 20s).status;
    return status.error_code() != grpc::StatusCode::RESOURCE_EXHAUSTED ||
           status.error_message() != (runaway == Request::STREAM ? "allocations" : "memory");
  }

  reply ask(std::size_t method, Request const& request, std::chrono::milliseconds time) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + time);
    reply r;
    Table table;
    const auto count = [&] {
      ++r.tables;
      r.whole = r.whole && is_whole(table, request.rows());
    };
    if (method == 2) {
      const auto reader = stub_->MakeParts(&context, request);
      while (reader->Read(&table)) count();
      r.status = reader->Finish();
      return r;
    }
    r.status = method == 0 ? stub_->Make(&context, request, &table)
                           : stub_->MakeByCallback(&context, request, &table);
    if (r.status.ok()) count();
    return r;
  }

  std::unique_ptr<Tables::Stub> stub_;
};

}  // namespace

int main(int argc, char** argv) {
  service tables;
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&tables);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  const std::string address = "127.0.0.1:" + std::to_string(port);
  const int code = memprof::test::run_load(argc, argv, [&] {
    return [c = std::make_shared<client>(address)](auto& random, auto& counts) {
      (*c)(random, counts);
    };
  });
  server->Shutdown();
  std::printf("streams written on %d, interrupted in gRPC %d\n", written_on.load(),
              interrupted_within.load());
  std::printf("spinning: cancelled %d, not %d\n", cancelled.load(), not_cancelled.load());
  const bool stopped_where_due =
      cancelled > 0 && not_cancelled == 0 && written_on > 0 && interrupted_within == 0;
  return code == 0 && stopped_where_due ? 0 : 1;
}
