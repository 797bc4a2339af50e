# SPDX-License-Identifier: MIT
"""scripts/check_binary.py on small programs: each undecidable thing is found, its remedy makes it go,
and what is clean has no findings.

usage: check_binary_test.py COMPILER    (the C++ compiler; C is compiled with -x c)
"""

import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SCRIPT = HERE.parents[1] / "scripts" / "check_binary.py"
NO_TABLES = ["-fno-asynchronous-unwind-tables", "-fno-unwind-tables"]
COMPILER = "c++"
FOLDER = tempfile.TemporaryDirectory()


def tearDownModule():
    FOLDER.cleanup()


def is_clang():
    version = subprocess.run([COMPILER, "--version"], capture_output=True, text=True, check=True)
    return "clang" in version.stdout


class Fixtures(unittest.TestCase):
    built = {}  # what all tests share

    @classmethod
    def setUpClass(cls):
        # g++ records its switches whenever there is debug information.
        cls.record = ["-g", "-grecord-command-line"] if is_clang() else ["-g"]

    def run_command(self, *command):
        return subprocess.run([str(c) for c in command], capture_output=True, text=True, check=True)

    def compile(self, source, *options):
        key = (source, *options)
        if key not in self.built:
            out = pathlib.Path(FOLDER.name) / f"{len(self.built)}_{source}.o"
            language = ["-x", "c"] if source.endswith(".c") else ["-std=c++20"]
            self.run_command(COMPILER, "-O2", *language, *options, "-c", HERE / "sources" / source,
                             "-o", out)
            self.built[key] = out
        return self.built[key]

    def link(self, *objects, options=()):
        out = pathlib.Path(FOLDER.name) / f"program_{len(self.built)}"
        self.built[out] = out
        self.run_command(COMPILER, "-O2", *options, *objects, "-o", out)
        return out

    def objects(self, **replaced):
        """The objects of a clean program, some of them replaced."""
        parts = {"main": self.compile("main.cpp"), "callback": self.compile("callback.c"),
                 "objects": self.compile("objects.cpp"),
                 "defined": self.compile("thread_local_defined.cpp"),
                 "used": self.compile("thread_local_used.cpp")}
        return [p for p in (parts | replaced).values() if p is not None]

    def check(self, *files):
        """(exit status, reports)"""
        done = subprocess.run([sys.executable, SCRIPT, "--json", *map(str, files)],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.stderr, "")
        return done.returncode, json.loads(done.stdout)

    def codes(self, *files):
        status, reports = self.check(*files)
        found = [f["code"] for r in reports for f in r["findings"]]
        self.assertEqual(status, 1 if found else 0)
        for finding in (f for r in reports for f in r["findings"]):
            self.assertTrue(finding["evidence"] and finding["remedy"], finding)
        return found

    def evidence(self, file):
        return [e for r in self.check(file)[1] for f in r["findings"] for e in f["evidence"]]


class Clean(Fixtures):
    def test_objects(self):
        self.assertEqual(self.codes(*self.objects()), [])

    def test_programs(self):
        for options in ([], ["-no-pie"], ["-static-pie"], ["-g"]):
            with self.subTest(options):
                program = self.link(*self.objects(), options=options)
                self.assertEqual(self.codes(program), [])
                report = self.check(program)[1][0]
                self.assertEqual((report["kind"], report["language"]), ("executable", "C++"))
                self.assertTrue(any("call_each" in note for note in report["notes"]))

    def test_position_dependent_objects(self):
        self.assertEqual(self.codes(*[self.compile(s, "-fno-pie", *self.record) for s in
                                      ("main.cpp", "objects.cpp", "callback.c")]), [])

    def test_shared_object(self):
        objects = [self.compile(s, "-fPIC") for s in ("main.cpp", "callback.c", "objects.cpp",
                                                      "thread_local_in_function.cpp")]
        shared = self.link(*objects, options=["-shared"])
        self.assertEqual(self.codes(shared), [])
        self.assertEqual(self.check(shared)[1][0]["kind"], "shared object")

    def test_c_is_c(self):
        shared = self.link(self.compile("callback.c", "-fPIC"), options=["-shared", "-s"])
        self.assertEqual(self.codes(shared), [])
        self.assertEqual(self.check(shared)[1][0]["language"], "C")


class WithoutExceptions(Fixtures):
    def test_recorded(self):
        object_file = self.compile("objects.cpp", "-fno-exceptions", *self.record)
        self.assertEqual(self.codes(object_file), ["no-exceptions"])
        program = self.link(*self.objects(objects=object_file))
        self.assertEqual(self.codes(program), ["no-exceptions"])
        self.assertIn("objects.cpp", self.evidence(program)[0])

    def test_compressed_debug_information(self):
        object_file = self.compile("objects.cpp", "-fno-exceptions", "-gz=zlib", *self.record)
        self.assertEqual(self.codes(object_file), ["no-exceptions"])

    def test_older_debug_information(self):
        for version in (2, 3, 4):
            object_file = self.compile("objects.cpp", "-fno-exceptions", *self.record, f"-gdwarf-{version}")
            self.assertEqual(self.codes(object_file), ["no-exceptions"], version)

    def test_recorded_in_a_section(self):
        option = "-frecord-command-line" if is_clang() else "-frecord-gcc-switches"
        object_file = self.compile("objects.cpp", "-fno-exceptions", option)
        self.assertEqual(self.codes(object_file), ["no-exceptions"])
        self.assertEqual(self.codes(self.link(*self.objects(objects=object_file))), ["no-exceptions"])

    def test_not_recorded(self):
        object_file = self.compile("objects.cpp", "-fno-exceptions")
        self.assertEqual(self.codes(object_file), ["maybe-no-exceptions"])
        self.assertIn("objects_work", self.evidence(object_file)[0])

    def test_remedy(self):
        object_file = self.compile("objects.cpp", "-fno-exceptions", *NO_TABLES, *self.record)
        self.assertEqual(self.codes(object_file, self.link(*self.objects(objects=object_file))), [])


class LinkTimeOptimisation(Fixtures):
    def test_objects(self):
        self.assertEqual(self.codes(self.compile("callback.c", "-flto")), ["c-under-lto"])
        self.assertEqual(self.codes(self.compile("callback.c", "-flto", "-g")), ["c-under-lto"])
        self.assertEqual(self.codes(self.compile("objects.cpp", "-flto")), [])

    def test_objects_without_exceptions(self):
        if not is_clang():
            self.assertEqual(self.codes(self.compile("objects.cpp", "-flto", "-fno-exceptions")),
                             ["no-exceptions"])

    def test_program(self):
        lto = {"main": self.compile("main.cpp", "-flto", "-g"),
               "callback": self.compile("callback.c", "-flto", "-g")}
        try:
            program = self.link(*self.objects(**lto), options=["-flto", "-g"])
        except subprocess.CalledProcessError as error:
            self.skipTest(f"this linker knows no LTO of this compiler: {error.stderr[-200:]}")
        self.assertEqual(self.codes(program), ["c-under-lto"])
        self.assertEqual(self.evidence(program), ["call_each is inlined into main"])

    def test_remedy(self):
        lto = {"main": self.compile("main.cpp", "-flto", "-g"),
               "callback": self.compile("callback.c", "-g", *NO_TABLES)}
        try:
            program = self.link(*self.objects(**lto), options=["-flto", "-g"])
        except subprocess.CalledProcessError as error:
            self.skipTest(f"this linker knows no LTO of this compiler: {error.stderr[-200:]}")
        self.assertEqual(self.codes(program), [])


class Stripped(Fixtures):
    def test_stripped(self):
        for options in (["-s"], ["-s", "-no-pie"], ["-s", "-static-pie"]):
            with self.subTest(options):
                program = self.link(*self.objects(), options=options)
                self.assertEqual(self.codes(program), ["stripped"])

    def test_local_symbols_discarded(self):
        self.assertEqual(self.codes(self.link(*self.objects(), options=["-Wl,-x"])),
                         ["functions-without-symbols"])

    def test_remedy(self):
        program = self.link(*self.objects(main=self.compile("main.cpp", "-g")), options=["-Wl,-S"])
        self.assertEqual(self.codes(program), [])


class ThreadLocal(Fixtures):
    def test_inlined(self):
        for options in (["-fPIE"], ["-fPIC"], ["-fno-pie", "-no-pie"]):
            with self.subTest(options):
                both = self.compile("thread_local_both.cpp", *options)
                self.assertEqual(self.codes(both), ["tls-initialiser-inlined"])
                program = self.link(*self.objects(used=both, defined=None),
                                    options=[o for o in options if o == "-no-pie"])
                self.assertEqual(self.codes(program), ["tls-initialiser-inlined"])
                self.assertIn("thread_locals", self.evidence(program)[0])

    def test_inlined_in_a_shared_object(self):
        objects = [self.compile(s, "-fPIC") for s in ("main.cpp", "callback.c", "objects.cpp",
                                                      "thread_local_both.cpp")]
        self.assertEqual(self.codes(self.link(*objects, options=["-shared"])),
                         ["tls-initialiser-inlined"])

    def test_remedy(self):
        inside = self.compile("thread_local_in_function.cpp")
        self.assertEqual(self.codes(inside, self.link(*self.objects(used=inside, defined=None))), [])


class Linking(Fixtures):
    def test_second_unwinder(self):
        for options in (["-static-libgcc"], ["-static-libgcc", "-static-libstdc++"]):
            with self.subTest(options):
                self.assertEqual(self.codes(self.link(*self.objects(), options=options)),
                                 ["second-unwinder"])
        program = self.link(*self.objects(), options=["-static-libgcc", "-static-libstdc++", "-s"])
        self.assertEqual(sorted(self.codes(program)), ["second-unwinder", "stripped"])

    def test_no_index(self):
        program = self.link(*self.objects(), options=["-static", "-Wl,--no-eh-frame-hdr"])
        self.assertEqual(self.codes(program), ["no-eh-frame-hdr"])
        program = self.link(*self.objects(), options=["-static", "-Wl,--eh-frame-hdr"])
        self.assertEqual(self.codes(program), [])


class Command(Fixtures):
    def run_script(self, *arguments):
        return subprocess.run([sys.executable, SCRIPT, *map(str, arguments)],
                              capture_output=True, text=True, check=False)

    def test_archive(self):
        for kind in ("rcs", "rcsT"):
            archive = pathlib.Path(FOLDER.name) / f"{kind}.a"
            bad = self.compile("objects.cpp", "-fno-exceptions")
            self.run_command("ar", kind, archive, self.compile("callback.c"), bad)
            status, reports = self.check(archive)
            self.assertEqual(status, 1)
            self.assertEqual([len(r["findings"]) for r in reports], [0, 1])
            self.assertTrue(reports[1]["file"].startswith(f"{archive}("))
            self.assertTrue(reports[1]["file"].endswith(f"{bad.name})"), reports[1]["file"])

    def test_text(self):
        bad = self.compile("objects.cpp", "-fno-exceptions", *self.record)
        done = self.run_script(bad, self.compile("callback.c"))
        self.assertEqual(done.returncode, 1)
        for expected in (f"{bad}: object, C++", "finding no-exceptions:", "remedy: ", NO_TABLES[0]):
            self.assertIn(expected, done.stdout)
        self.assertIn("callback.c", done.stdout)
        self.assertNotIn("callback.c", self.run_script("--findings-only", bad,
                                                       self.compile("callback.c")).stdout)

    def test_bad_files_are_named(self):
        for bad in (HERE / "sources" / "main.cpp", HERE / "no_such_file"):
            done = self.run_script(self.compile("callback.c"), bad)
            self.assertEqual(done.returncode, 2)
            self.assertIn(str(bad), done.stderr)
            self.assertIn("callback.c", done.stdout)
        self.assertEqual(self.run_script().returncode, 2)

    def test_garbled_files_end_in_a_message(self):
        """Truncated anywhere, or with bytes changed: status 0, 1 or 2, never a stack trace. Seed fixed."""
        chance = random.Random(20240607)
        originals = [self.compile("main.cpp", "-g").read_bytes(),
                     self.link(*self.objects(main=self.compile("main.cpp", "-g"))).read_bytes()]
        garbled = []
        for n in range(60):
            data = bytearray(chance.choice(originals))
            if n % 3 == 0:
                del data[chance.randrange(len(data)):]
            for _ in range(chance.randrange(1, 60)):
                if data:
                    data[chance.randrange(len(data))] = chance.randrange(256)
            garbled.append(pathlib.Path(FOLDER.name) / f"garbled_{n}")
            garbled[-1].write_bytes(data)
        done = self.run_script(*garbled)
        self.assertIn(done.returncode, (0, 1, 2), done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        for line in done.stderr.splitlines():
            self.assertIn("garbled_", line)


if __name__ == "__main__":
    COMPILER = sys.argv.pop(1)
    unittest.main()
