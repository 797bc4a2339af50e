# SPDX-License-Identifier: MIT
"""Plants what each lint script should find, and sees that it is found, and nothing else."""

import pathlib
import sys
import tempfile
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))

import commit_subjects
import discover_tests
import equations
import forbidden
import format as formatting
import layering
import one_copy
import paths
import shell_pipes
import shown_code
import spdx
import terminal
import unit_mirror
from lint_files import code_lines

TABLE = f"""
{layering.BEGIN}
| component | may include | public headers | what it is |
|---|---|---|---|
| `base` | | `units.hpp` | |
| `engine` | `base` | all | |
| `limits` | `engine`, `base` | all | |
| `limits/upper` | `limits/lower` | | |
| `limits/lower` | | | |
{layering.END}
"""

GOOD_TREE = {
    "include/memprof/units.hpp": "#include <cstdint>\n",
    "include/memprof/limits.hpp": '#include "memprof/units.hpp"\n#include "memprof/detail/more.hpp"\n',
    "include/memprof/detail/more.hpp": '#include "memprof/limits.hpp"\n',
    "src/runtime/base/base.hpp": '#include "base/pages.hpp"\n#include "memprof/units.hpp"\n',
    "src/runtime/base/pages.hpp": "#include <atomic>\n",
    "src/runtime/engine/engine.hpp": '#include "base/base.hpp"\n#include "memprof/limits.hpp"\n',
    "src/runtime/limits/scope.cpp": '#include "engine/engine.hpp"\n#include <sys/mman.h>\n',
}


class Layering(unittest.TestCase):
    def problems(self, table=TABLE, **changes):
        """Of the good tree with some files replaced (__ stands for /, _hpp and _cpp for the ending)."""
        files = dict(GOOD_TREE)
        for key, text in changes.items():
            files[key.replace("__", "/").replace("_hpp", ".hpp").replace("_cpp", ".cpp")] = text
        with tempfile.TemporaryDirectory() as directory:
            root = pathlib.Path(directory)
            for name, text in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text, encoding="utf-8")
            return layering.check(root, layering.parse_table(table))

    def assert_one(self, problems, part):
        self.assertEqual(len(problems), 1, problems)
        self.assertIn(part, problems[0])

    def test_good_tree(self):
        self.assertEqual(self.problems(), [])

    def test_against_the_arrow(self):
        self.assert_one(self.problems(src__runtime__base__bad_cpp='#include "limits/limits.hpp"\n',
                                      src__runtime__limits__limits_hpp=""),
                        "base may not include limits")

    def test_folders_of_a_component(self):
        include = '#include "limits/{}/a.hpp"\n'.format
        for good in (include("upper"), include("lower"), '#include "limits/a.hpp"\n'):
            self.assertEqual(self.problems(src__runtime__limits__a_hpp="", src__runtime__limits__upper__a_hpp="",
                                           src__runtime__limits__lower__a_hpp="",
                                           src__runtime__limits__upper__b_cpp=good,
                                           src__runtime__limits__c_cpp=good), [])
        self.assert_one(self.problems(src__runtime__limits__upper__a_hpp="",
                                      src__runtime__limits__lower__b_cpp=include("upper")),
                        "limits/lower may not include limits/upper")

    def test_past_the_front_header(self):
        self.assert_one(self.problems(src__runtime__engine__bad_cpp='#include "base/pages.hpp"\n'),
                        "front header base/base.hpp")

    def test_public_header_that_a_component_may_not_have(self):
        self.assert_one(self.problems(src__runtime__base__bad_cpp='#include "memprof/limits.hpp"\n'),
                        "base may not include the public header")

    def test_public_header_including_src(self):
        self.assert_one(self.problems(include__memprof__bad_hpp='#include "base/base.hpp"\n'),
                        "never includes src/")
        self.assertEqual(
            len(self.problems(include__memprof__bad_hpp='#include <base/base.hpp>\n')), 1)

    def test_fmt(self):
        for name in ("include__memprof__bad_hpp", "src__runtime__base__bad_cpp"):
            self.assert_one(self.problems(**{name: "#include <fmt/format.h>\n"}), "users would need fmt")
        table = TABLE.replace("| `limits`", "| `export` | | | |\n| `limits`")
        self.assertEqual(self.problems(table, src__offline__export__a_cpp="#include <fmt/format.h>\n"), [])

    def test_unknown_component_and_file(self):
        self.assert_one(self.problems(src__runtime__attic__a_cpp=""), "in no component")
        self.assert_one(self.problems(src__a_cpp=""), "in no component")
        self.assert_one(self.problems(src__runtime__base__bad_cpp='#include "base/gone.hpp"\n'), "no room")

    def test_relative_include(self):
        self.assert_one(self.problems(src__runtime__base__bad_cpp='#include "pages.hpp"\n'), "whole path")
        self.assert_one(self.problems(src__runtime__base__bad_cpp='#include "../base/pages.hpp"\n'), "../")

    def test_runtime_never_includes_offline(self):
        table = TABLE.replace("| `limits` | `engine`,", "| `export` | | | |\n| `limits` | `export`, `engine`,")
        self.assert_one(self.problems(table, src__offline__export__a_cpp=""), "which may not include src/offline")

    def test_tools(self):
        table = TABLE.replace("| `limits`", "| `tools` | `base` | all | |\n| `limits`")
        good = '#include "base/base.hpp"\n#include "tools/a.hpp"\n'
        self.assertEqual(self.problems(table, tools__a_hpp="", tools__commands__b_cpp=good), [])
        self.assert_one(self.problems(table, tools__a_cpp='#include "engine/engine.hpp"\n'), "tools may not include")

    def test_cycle_of_includes(self):
        self.assert_one(self.problems(src__runtime__base__pages_hpp='#include "base/base.hpp"\n'), "a cycle")

    def test_cycle_in_the_table(self):
        table = TABLE.replace("| `base` | |", "| `base` | `limits` |")
        self.assert_one(self.problems(table), "table: a cycle")

    def test_include_in_a_comment(self):
        self.assertEqual(
            self.problems(src__runtime__base__fine_cpp='/*\n#include "limits/x.hpp"\n*/\n'), [])

    def test_no_table(self):
        with self.assertRaises(ValueError):
            layering.parse_table("| component | may include |")


class Forbidden(unittest.TestCase):
    def count(self, text, name="src/runtime/engine/a.cpp"):
        return len(forbidden.problems_of(name, text))

    def test_found(self):
        for line in ("#include <iostream>", "std::cout << 1;", "std::mutex m;", "snprintf(b, n, f);",
                     "std::printf(f);", "throw limit_exceeded();", "throw;", "throw (x);"):
            self.assertEqual(self.count(line + "\n"), 1, line)

    def test_not_found(self):
        for line in ("// throw", "/* printf( */", 'char const* s = "throw std::mutex";',
                     "int throw_count;", "spin_lock m;", "long n = 10'000; // std::cout '"):
            self.assertEqual(self.count(line + "\n"), 0, line)

    def test_offline_components_may(self):
        self.assertEqual(self.count("throw 1;\n", "src/offline/analysis/a.cpp"), 0)

    def test_files_that_follow_links(self):
        for line in ("open(f, O_WRONLY | O_CREAT, 0666);", "std::ofstream out(f);", "fopen(f, \"w\");"):
            for name in ("src/live/recorder/a.cpp", "tools/a.cpp", "src/runtime/tracer/a.cpp"):
                self.assertEqual(len(forbidden.made_files(name, line + "\n")), 1, line)
        for line in ("open(f, O_RDONLY);", "// O_CREAT", "std::ifstream in(f);", "std::ostringstream out;"):
            self.assertEqual(forbidden.made_files("tools/a.cpp", line + "\n"), [], line)
        self.assertEqual(forbidden.made_files("tests/a.cpp", "std::ofstream out(f);\n"), [])

    def test_line_numbers_survive(self):
        problem = forbidden.problems_of("src/runtime/base/a.cpp", '/* a\n b */\nauto s = R"(\n)";\nthrow 1;\n')
        self.assertEqual([p.split(":")[1] for p in problem], ["5"])


class Others(unittest.TestCase):
    def test_spdx(self):
        line = "SPDX-License-Identifier: MIT\n"
        self.assertEqual(spdx.problems_of("a.cpp", "// " + line), [])
        self.assertEqual(spdx.problems_of("a.sh", "#!/bin/sh\n# " + line), [])
        self.assertEqual(spdx.problems_of("README.md", "# Title\n"), [])
        self.assertEqual(len(spdx.problems_of("a.cpp", "int i;\n// " + line)), 1)
        self.assertEqual(len(spdx.problems_of(".ci/run", "#!/bin/sh\n")), 1)
        self.assertEqual(len(spdx.problems_of("CMakeLists.txt", "")), 1)

    def test_terminal(self):
        for line in ("std::cout << name;", "std::cerr << name;", "fmt::print(\"{}\", name);", "std::puts(name);",
                     "fmt::print(stderr, \"{}\", name);", "::write(STDOUT_FILENO, name, 1);", "std::printf(name);",
                     "output_file out(o, {}, output_file::content::bytes);"):
            self.assertEqual(len(terminal.problems_of("tools/commands/top.cpp", line)), 1, line)
        for line in ("message(name);", "fmt::print(out, \"{}\", n);", "out.write(text);", "// std::cout",
                     "add_footer(\"printf(1) > stdout\");"):
            self.assertEqual(terminal.problems_of("tools/commands/top.cpp", line), [], line)
        self.assertEqual(terminal.problems_of("tools/message.cpp", "std::cerr << text;"), [])
        self.assertEqual(terminal.problems_of("src/runtime/base/a.cpp", "std::cerr << text;"), [])

    def test_shell_pipes(self):
        head = "#!/usr/bin/env bash\nset -euo pipefail\n"
        for line in ("x | grep -q y", "if ! x | grep -qF -- y; then", "x | grep y > /dev/null", "x | grep --quiet y",
                     "x |grep -m 1 y", "x | awk '$1 == 2 {print; exit}'", "x | sed '/y/q'"):
            self.assertEqual(len(shell_pipes.problems_of("a.sh", head + line)), 1, line)
            self.assertEqual(len(shell_pipes.problems_of(".ci/run", head + line)), 1, line)
            self.assertEqual(shell_pipes.problems_of("a.sh", "#!/bin/sh\n" + line), [], line)
        for line in ("grep -q y <<< x", "x || grep -q y z", "x | grep y 2> /dev/null", "x | grep y | sort -m z",
                     "# x | grep -q y", "x | sed 's/q/p/'", "x | tail -n 1", "x | grep -c y; z -q"):
            self.assertEqual(shell_pipes.problems_of("a.sh", head + line), [], line)

    def test_paths(self):
        checkout = pathlib.Path("/one/two/three")
        for line in ("cd /" + "root/x", "/" + "work/main", "/" + "home/me", "/one/two/three/x",
                     "https://registry" + ".npmjs.org/", "/usr/lib/" + "x86_64-linux-gnu/a.so"):
            self.assertEqual(len(paths.problems_of("a.md", line, checkout)), 1, line)
        for line in ("$root/work/x", "src/work/x", "http://127.0.0.1:8080/", "/one/two/threefold",
                     "/usr/include"):
            self.assertEqual(paths.problems_of("a.md", line, checkout), [], line)

    def test_long_comments(self):
        self.assertEqual(len(formatting.long_comments("a.cpp", "  // a " + 94 * "x" + "\n")), 1)
        for line in ("/// " + 96 * "x", "// " + 120 * "x", 'f("' + 120 * "x" + '");'):
            self.assertEqual(formatting.long_comments("a.cpp", line + "\n"), [], line)

    def test_hand_made_columns(self):
        for name, line, found in (("include/a.hpp", "  /// returns     it", 1), ("src/a.hpp", "/// cost      x", 1), ("include/a.hpp", "/// \\return it", 0),
                                  ("include/a.hpp", "///     f();   // code", 0)):
            self.assertEqual(len(formatting.hand_made_columns(name, line)), found, line)

    def test_commit_subjects(self):
        fits = "0123abc " + 71 * "x" + "\u00e4"
        self.assertEqual(commit_subjects.problems_of(fits + "\n4567def Short\n"), [])
        self.assertEqual(len(commit_subjects.problems_of("4567def Short\n" + fits + "x\n")), 1)

    def test_one_copy(self):
        header = "MEMPROF_API bool is_masked() noexcept;\nclass MEMPROF_API token {};\n[[nodiscard]] MEMPROF_API int f();"
        table = "struct functions {\n  MEMPROF_OFFERS(memprof, is_masked);\n};"
        found = one_copy.problems_of({"a.hpp": header}, table, {"a.cpp": "return other->is_masked();"})
        self.assertEqual([p.split(" is ")[0] for p in found], ["a.hpp: f"])
        found = one_copy.problems_of({"a.hpp": "class MEMPROF_API fresh final {"}, table, {})
        self.assertEqual(len(found), 2)

    def test_discovered_names(self):
        self.assertEqual(discover_tests.bracket("(0, 1]"), "[=[(0, 1]]=]")
        self.assertEqual(discover_tests.bracket("a]=]"), "[==[a]=]]==]")
        self.assertEqual(
            discover_tests.ctest_file(["/p"], "s", ["a, [b]"], ["LABELS", "unit"],
                                      ["--warn", "NoTests"]),
            "add_test([=[s: a, [b]]=] [=[/p]=] [=[a\\, \\[b\\]]=] [=[--warn]=] [=[NoTests]=])\n"
            "set_tests_properties([=[s: a, [b]]=] PROPERTIES [=[LABELS]=] [=[unit]=])\n")

    def test_code_lines_keep_includes(self):
        self.assertEqual(code_lines('#include "a.hpp"  // b\nx; // c\n'),
                         ['#include "a.hpp"  ', "x;  ", ""])


class ShownCode(unittest.TestCase):
    SOURCE = "int f() {\n  // [a]\n  g(1);\n    h();\n  // [/a]\n}\n"
    DOCUMENT = "Text.\n\n<!-- tests/x.cpp: a -->\n```cpp\ng(1);\n  h();\n```\n"

    def problems(self, document=DOCUMENT, source=SOURCE):
        return shown_code.check({"d.md": document}, {"tests/x.cpp": source})

    def test_the_same(self):
        self.assertEqual(self.problems(), [])

    def test_differs_at_either_end(self):
        for document, source in ((self.DOCUMENT.replace("g(1)", "g(2)"), self.SOURCE),
                                 (self.DOCUMENT, self.SOURCE.replace("h();", "h(); "))):
            self.assertEqual(self.problems(document, source),
                             ["d.md:4: differs from [a] in tests/x.cpp"])

    def test_no_such_region_and_not_shown(self):
        self.assertEqual(len(self.problems(self.DOCUMENT.replace(": a ", ": b "))), 2)

    def test_a_block_without_a_mark(self):
        self.assertEqual(self.problems(self.DOCUMENT + "\n```cpp\nmore();\n```\n"),
                         ["d.md:9: no mark says which test this block comes from"])


class Equations(unittest.TestCase):
    TEXT = "A law:\n\n    a = b        (1)\n    c = d,\n    e = f (2)\n\nand by (1), f(7).\n\n    g (2a)\n"

    def problems(self, text=TEXT, code=""):
        return equations.check({equations.DOCUMENT: text, "src/a.hpp": code})

    def test_in_order_and_there(self):
        self.assertEqual(self.problems(code="/// docs/statistical.md (1), (2)\n// by equation (2a)\ng(9);"), [])

    def test_twice_or_out_of_order(self):
        for wrong in ("(2)", "(1)"):
            self.assertEqual(len(self.problems(self.TEXT.replace("(2a)", wrong))), 1)

    def test_no_such_equation(self):
        for code in ("// docs/statistical.md (1), (3)", "/// as docs/statistical.md\n/// (3) says", "// equation (2b)",
                     '// docs/statistical.md, "The audit", (1) to (3)'):
            self.assertEqual(len(self.problems(code=code)), 1, code)
        self.assertEqual(len(self.problems(self.TEXT + "By (4).")), 1)


class UnitMirror(unittest.TestCase):
    TREE = ["src/runtime/engine/page_index.cpp", "src/runtime/engine/page_index.hpp",
            "src/runtime/delivery/decide/preflight.cpp", "include/memprof/bounds.hpp",
            "tools/message.cpp", "tools/run/levels.hpp"]

    def problems(self, *tests, exceptions=()):
        return unit_mirror.problems_of([*self.TREE, *("tests/unit/" + test for test in tests)],
                                       dict.fromkeys(exceptions, "why"))

    def test_names_of_files(self):
        self.assertEqual(self.problems("runtime/engine/page_index_test.cpp",
                                       "runtime/engine/page_index_threads_test.cpp",
                                       "runtime/engine/long/page_index_test.cpp",
                                       "runtime/delivery/preflight_test.cpp",
                                       "stats/bounds_test.cpp", "tools/message_test.cpp",
                                       "tools/run/levels_of_two_test.cpp"), [])

    def test_names_of_no_file(self):
        for test in ("runtime/engine/page_test.cpp", "runtime/engine/preflight_test.cpp",
                     "stats/page_index_test.cpp", "tools/levels_test.cpp"):
            self.assertEqual(len(self.problems(test)), 1, test)

    def test_exceptions(self):
        self.assertEqual(self.problems("stats/tables_test.cpp", exceptions=["tables_test.cpp"]), [])
        self.assertEqual(len(self.problems(exceptions=["tables_test.cpp"])), 1)


if __name__ == "__main__":
    unittest.main()
