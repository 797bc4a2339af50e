// SPDX-License-Identifier: MIT
#include "frame_cases.hpp"

namespace frame_cases {

void (*volatile arrive)() = nullptr;

namespace {
volatile bool always = true;
void const* volatile looked_at = nullptr;
}  // namespace

bool is_true() { return always; }
void look_at(void const* object) { looked_at = object; }

guard::~guard() { look_at(&n_); }

}  // namespace frame_cases
