// SPDX-License-Identifier: MIT
// Library: CGAL
// Package: libcgal-dev
// Modules: gmp mpfr
#include <CGAL/Arr_non_caching_segment_traits_2.h>
#include <CGAL/Arrangement_2.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>

#include "survey.hpp"

namespace {

using kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using traits = CGAL::Arr_non_caching_segment_traits_2<kernel>;
using arrangement = CGAL::Arrangement_2<traits>;
using point = kernel::Point_2;
using segment = kernel::Segment_2;

}  // namespace

int main(int count, char** arguments) {
  containers::survey s(count, arguments);
  s.scenario<arrangement>(
      "CGAL::Arrangement_2", "insert",
      [](arrangement& a) {
        // Edge by edge: insert() of a sweep is slower to compile.
        double const x = static_cast<double>(a.number_of_vertices());
        auto const v = a.insert_in_face_interior(point(x, 0), a.unbounded_face());
        auto const e = a.insert_from_left_vertex(segment(point(x, 0), point(x + 0.4, 1)), v);
        auto const f =
            a.insert_from_left_vertex(segment(point(x + 0.4, 1), point(x + 0.8, 0)), e->target());
        a.insert_at_vertices(segment(point(x, 0), point(x + 0.8, 0)), v, f->target());
      },
      [](arrangement& a) { return a.is_valid(); });
  return s.run();
}
