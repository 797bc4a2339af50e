// SPDX-License-Identifier: MIT
// As abseil.cpp.
#include <google/protobuf/descriptor.pb.h>

#include "interrupted_container.hpp"

int main() {
  using strings = google::protobuf::RepeatedPtrField<std::string>;
  interrupted_container<strings>("RepeatedPtrField<std::string>", [](strings& field) {
    for (int i = 0; i < 20; ++i) field.Add(containers::text(i));
  });
  using message = google::protobuf::FileDescriptorProto;
  interrupted_container<message>("a message", [](message& m) {
    for (int i = 0; i < 10; ++i) m.add_message_type()->set_name(containers::text(i));
    message copy;
    copy.ParseFromString(m.SerializeAsString());
  });
  containers::fill_beyond_limit<strings>(
      [](strings& field, int i) { field.Add(containers::text(i)); });
}
