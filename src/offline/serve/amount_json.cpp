// SPDX-License-Identifier: MIT
#include "serve/amount_json.hpp"

#include "export/export.hpp"

namespace memprof::serve {

using exports::json_number;

json amount_writer::object(analysis::amount const& a) const {
  const auto three = [](analysis::sample_estimate const& e) {
    return json::array({json_number(e.value), json_number(e.lower), json_number(e.upper)});
  };
  return {{"samples", a.samples},
          {"blocks", a.blocks},
          {"bytes", three(errors_.estimate(a.samples))},
          {"objects", three(analysis::objects_estimate(info_, a))}};
}

json amount_writer::list(analysis::amount const& a) const {
  const auto bytes = errors_.estimate(a.samples);
  const auto objects = analysis::objects_estimate(info_, a);
  return json::array({a.samples, a.blocks, json_number(bytes.value), json_number(bytes.lower),
                      json_number(bytes.upper), json_number(objects.value),
                      json_number(objects.lower), json_number(objects.upper)});
}

json amount_writer::object(analysis::amounts const& a) const {
  return {{"allocated", object(a.allocated)},
          {"in_use", object(a.in_use)},
          {"peak", object(a.at_peak)}};
}

json amount_writer::list(analysis::amounts const& a) const {
  return json::array({list(a.allocated), list(a.in_use), list(a.at_peak)});
}

}  // namespace memprof::serve
