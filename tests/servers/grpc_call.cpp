// SPDX-License-Identifier: MIT
//
// A call of gRPC, interrupted at each of its allocations: the interrupt waits for the end of it.
// Without gRPC on the list of unsafe functions some are raised within, of which some calls hang.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/client_unary_call.h>
#include <memory>

#include "memprof/memprof.hpp"
#include "memprof/testing.hpp"

#include "check.hpp"

namespace {

/// A channel whose calls are begun and fail, since nobody listens there.
class channel_to_nobody {
 public:
  void call() {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(10));
    const grpc::ByteBuffer request(&slice_, 1);
    grpc::ByteBuffer reply;
    const grpc::internal::RpcMethod method("/a.Service/Call",
                                           grpc::internal::RpcMethod::NORMAL_RPC);
    const grpc::Status status =
        grpc::internal::BlockingUnaryCall<grpc::ByteBuffer, grpc::ByteBuffer>(
            channel_.get(), method, &context, request, &reply);
    CHECK(status.error_code() == grpc::StatusCode::UNAVAILABLE);
  }

 private:
  std::shared_ptr<grpc::Channel> channel_ =
      grpc::CreateChannel("unix:/nobody-listens", grpc::InsecureChannelCredentials());
  grpc::Slice slice_{"a request"};
};

}  // namespace

int main() {
  channel_to_nobody channel;
  std::uint64_t delivered = 0;
  const auto report = memprof::testing::for_each_interrupt(
      [&channel] { channel.call(); },
      [&delivered](memprof::testing::interruption const& i) { delivered += i.delivered ? 1 : 0; },
      {.leak_check = false});  // its threads may free something later
  std::printf("%s\ninterrupts within the call: %llu\n", report.message().c_str(),
              static_cast<unsigned long long>(delivered));
  CHECK(delivered == 0);
  CHECK(report.deferred > 0);
  return 0;
}
