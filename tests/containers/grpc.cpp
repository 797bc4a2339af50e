// SPDX-License-Identifier: MIT
// Library: gRPC
// Package: libgrpc++-dev
// Modules: grpc++
#include <chrono>
#include <cstdio>
#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/client_unary_call.h>
#include <memory>
#include <string>

#include "survey.hpp"

namespace {

/// A channel whose calls are begun and fail, since nobody listens there.
struct to_nobody {
  std::shared_ptr<grpc::Channel> channel =
      grpc::CreateChannel("unix:/nobody-listens", grpc::InsecureChannelCredentials());
  grpc::Slice slice{containers::text(1)};
  int calls = 0;

  void call() {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(1));
    const grpc::ByteBuffer request(&slice, 1);
    grpc::ByteBuffer reply;
    const grpc::internal::RpcMethod method("/a.Service/Call",
                                           grpc::internal::RpcMethod::NORMAL_RPC);
    const grpc::Status status =
        grpc::internal::BlockingUnaryCall<grpc::ByteBuffer, grpc::ByteBuffer>(
            channel.get(), method, &context, request, &reply);
    CHECK(status.error_code() == grpc::StatusCode::UNAVAILABLE);
    ++calls;
  }
};

/// Interrupts wait for the end of the call, wherever they are due in it. In this process, which
/// takes a second instead of half a minute.
int waits() {
  to_nobody t;
  std::uint64_t delivered = 0;
  const auto report = memprof::testing::for_each_interrupt(
      [&t] { t.call(); },
      [&delivered](memprof::testing::interruption const& i) { delivered += i.delivered ? 1 : 0; },
      {.leak_check = false});
  std::printf("%s\ninterrupts within the call: %llu\n", report.message().c_str(),
              static_cast<unsigned long long>(delivered));
  CHECK(delivered == 0);
  CHECK(report.deferred > 0);
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 1 && std::string(arguments[1]) == "--waits") return waits();
  containers::survey s(count, arguments);
  s.scenario<to_nobody>(
      "grpc::Channel", "a call that fails", [](to_nobody& t) { t.call(); },
      [](to_nobody& t) { return t.calls >= 0; }, false);
  return s.run();
}
