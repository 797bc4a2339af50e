// SPDX-License-Identifier: MIT
// Library: protobuf
// Package: libprotobuf-dev
// Modules: protobuf
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include "survey.hpp"

using containers::text;
using file = google::protobuf::FileDescriptorProto;
using json = google::protobuf::Struct;
using strings = google::protobuf::RepeatedPtrField<std::string>;
using numbers = google::protobuf::RepeatedField<int>;

int main(int count, char** arguments) {
  containers::survey s(count, arguments);
  s.container<strings>("RepeatedPtrField<std::string>", "Add", [](strings& field) {
    for (int i = 0; i < 20; ++i) field.Add(text(i));
  });
  s.container<numbers>("RepeatedField<int>", "Add", [](numbers& field) {
    for (int i = 0; i < 1000; ++i) field.Add(i);
  });
  s.scenario<file>(
      "a message", "fields set, copied, parsed",
      [](file& m) {
        for (int i = 0; i < 10; ++i) m.add_message_type()->set_name(text(i));
        file parsed;
        parsed.ParseFromString(file(m).SerializeAsString());
      },
      [](file& m) { return m.SerializeAsString().size() == m.ByteSizeLong(); });
  s.scenario<json>(
      "Map<std::string, Value>", "operator[]",
      [](json& m) {
        for (int i = 0; i < 20; ++i) (*m.mutable_fields())[text(i)].set_string_value(text(i));
      },
      [](json& m) { return m.SerializeAsString().size() == m.ByteSizeLong(); });
  s.scenario<json>(
      "Struct", "JsonStringToMessage",
      [](json& m) {
        std::string const source = R"({"a": [1, 2, {"b": "a text that is longer"}], "c": null})";
        CHECK(google::protobuf::util::JsonStringToMessage(source, &m).ok());
      },
      [](json& m) { return m.SerializeAsString().size() == m.ByteSizeLong(); });
  if (count == 1) {
    containers::fill_beyond_limit<strings>([](strings& field, int i) { field.Add(text(i)); });
  }
  return s.run();
}
