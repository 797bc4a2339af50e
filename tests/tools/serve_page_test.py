# SPDX-License-Identifier: MIT
"""`memprof serve --html`: the packed index against the events of the trace."""

import base64
import gzip
import json
import os
import pathlib
import re
import struct
import tempfile
import unittest

import traces


class OneFile(unittest.TestCase):
    """--html: needs a command with the page in it."""

    def data_of(self, page):
        text = re.search(r'<script id="memprof-data" type="application/json">(.*?)</script>', page, re.DOTALL)[1]
        self.assertNotIn("<", text)
        return json.loads(text)

    def columns_of(self, data):
        n, m = data["tables"]["nodes"], data["tables"]["objects"]
        rest = gzip.decompress(base64.b64decode(data["index"], validate=True))
        columns = {}
        for name, kind, count in (("parent", "I", n), ("frame", "I", n), ("born", "d", m), ("gone", "d", m),
                                  ("promoted", "d", m), ("born_event", "I", m), ("gone_event", "I", m),
                                  ("promoted_event", "I", m), ("length", "d", m), ("samples", "I", m),
                                  ("stack", "I", m), ("where", "I", m)):
            size = struct.calcsize("<" + kind) * count
            columns[name] = struct.unpack(f"<{count}{kind}", rest[:size])
            rest = rest[size:]
        self.assertEqual(rest, b"")
        return columns

    def stack_of(self, data, columns, node):
        names = []
        while node != 0:
            self.assertLess(columns["parent"][node], node)
            frame = data["tables"]["frames"][columns["frame"][node]]
            names.append((data["tables"]["functions"][frame[0]], data["tables"]["files"][frame[1]], *frame[2:5]))
            node = columns["parent"][node]
        return names[::-1]

    def page_of(self, name, *options):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "a.html"
            result = traces.run("serve", name, "--html", str(out), "--quiet", *options)
            if result.returncode != 0 and "without the page" in result.stderr:
                self.assertFalse(out.exists())
                self.skipTest("this memprof was built without the page")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(os.listdir(folder), ["a.html"])
            return out.read_text(encoding="utf-8")

    def check_events(self, name):
        """The packed index against the events that `convert` writes."""
        data = self.data_of(self.page_of(name + ".ctf"))
        columns = self.columns_of(data)
        converted = traces.run("convert", "--to", "json", name + ".ctf")
        self.assertEqual(converted.returncode, 0, converted.stderr)
        table = json.loads(converted.stdout)
        events = table["events"]
        self.assertEqual(data["trace"]["events"], len(events))
        allocations = [i for i, e in enumerate(events) if e["event"] == "allocation"]
        self.assertEqual(list(columns["born_event"]), allocations)
        changes = 0
        for i, number in enumerate(allocations):
            e = events[number]
            self.assertEqual(columns["born"][i], e["time_us"])
            self.assertEqual(columns["length"][i], float(e["length_words"]))
            self.assertEqual(columns["samples"][i], min(e["samples"], 0xffffffff))
            where = ("minor", "major", "external").index(e["heap"]) + 4 * e["domain"]
            self.assertEqual(columns["where"][i], where)
            for time, event, kind in (("gone", "gone_event", "collection"),
                                      ("promoted", "promoted_event", "promotion")):
                if columns[event][i] == 0xffffffff:
                    self.assertEqual(columns[time][i], -1)
                    continue
                change = events[columns[event][i]]
                self.assertEqual((change["event"], change["object"]), (kind, e["object"]))
                self.assertEqual(change["time_us"], columns[time][i])
                changes += 1
            expected = []
            for code in e["backtrace"]:
                places = table["codes"].get(code, [])
                expected += [(p["function"], p["file"], p["line"], p["start_char"], p["end_char"])
                             for p in places] or [(hex(int(code)), "", 0, 0, 0)]
            self.assertEqual(self.stack_of(data, columns, columns["stack"][i]), expected)
        self.assertEqual(changes, len(events) - len(allocations))

    def test_the_index_holds_every_event(self):
        for name in traces.traces():
            if (traces.FOLDER / (name + ".ctf")).stat().st_size < 1 << 20:
                with self.subTest(trace=name):
                    self.check_events(name)

    def test_hostile_names_are_text(self):
        page = self.page_of("edge.ctf" if (traces.FOLDER / "edge.ctf").exists() else "tiny.ctf")
        self.data_of(page)  # has no "<"

    def test_an_output_is_not_overwritten(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "a.html"
            out.write_text("mine")
            result = traces.run("serve", "tiny.ctf", "--html", str(out))
            self.assertEqual(result.returncode, 1)
            self.assertEqual(out.read_text(), "mine")
            result = traces.run("serve", "tiny.ctf", "--html", str(out), "--against", "tiny.ctf")
            self.assertEqual(result.returncode, 2)


if __name__ == "__main__":
    unittest.main()
