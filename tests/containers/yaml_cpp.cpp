// SPDX-License-Identifier: MIT
// Library: yaml-cpp
// Package: libyaml-cpp-dev
// Modules: yaml-cpp
#include <yaml-cpp/yaml.h>

#include "survey.hpp"

int main(int count, char** arguments) {
  containers::survey s(count, arguments);
  s.function("YAML::Node", "Load, assign", [] {
    YAML::Node n = YAML::Load("a: [1, 2, {b: a text that is longer}]\nc: &x {d: 1}\ne: *x\n");
    n["f"] = containers::text(1);
  });
  s.function("YAML::Emitter", "emit", [] {
    YAML::Emitter out;
    out << YAML::BeginMap << YAML::Key << "k" << YAML::Value << YAML::BeginSeq
        << containers::text(1) << 2 << YAML::EndSeq << YAML::EndMap;
    CHECK(out.good());
  });
  return s.run();
}
