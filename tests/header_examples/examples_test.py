# SPDX-License-Identifier: MIT
"""What examples.py takes for an example, and what its check finds."""

import pathlib
import unittest

import examples

INCLUDE = pathlib.Path("include")

HEADER = """\
// SPDX-License-Identifier: MIT
/// \\file
/// Units.
///
///     auto a = f();
///
///     g(a);  // both belong to one example
///
/// More.
namespace memprof::inline v0::testing {

/// Does it.
///
/// \\param n in words; or else
///   in bytes;
/// \\return nothing
///
///     for_each([&] {
///       h();
///     });
void f();

}  // namespace memprof::inline v0::testing
"""


def found(text):
    return examples.examples_of("memprof/x.hpp", text)


class Examples(unittest.TestCase):
    def problems(self, header, compiled):
        its, prose = found(header)
        prose = [("memprof/x.hpp", *line) for line in prose]
        return examples.problems_of(its, prose, INCLUDE, examples.source(found(compiled)[0], INCLUDE))

    def test_what_is_an_example(self):
        its, prose = found(HEADER)
        self.assertEqual([(e.line, e.namespace, len(e.lines)) for e in its],
                         [(5, "", 3), (18, "memprof::testing", 3)])
        self.assertEqual(prose, [])

    def test_source_names_the_line(self):
        text = examples.source(found(HEADER)[0], INCLUDE)
        self.assertIn('#line 18 "include/memprof/x.hpp"\n     for_each(', text)
        self.assertIn("using namespace memprof::testing;", text)

    def test_all_compiled(self):
        self.assertEqual(self.problems(HEADER, HEADER), [])

    def test_changed_after_the_build(self):
        for changed in (HEADER.replace("h();", "i();"), "\n" + HEADER):
            self.assertIn("not among those compiled", self.problems(changed, HEADER)[0])

    def test_code_taken_for_prose(self):
        problems = self.problems(HEADER.replace("///\n///     auto", "///     auto"), HEADER)
        self.assertIn("memprof/x.hpp:4: looks like an example", problems[0])

    def test_no_example(self):
        self.assertIn("no header of include has an example", self.problems("/// Text.\n", HEADER)[0])


if __name__ == "__main__":
    unittest.main()
