# SPDX-License-Identifier: MIT
"""`memprof serve --html`: the index in the file against the events of the trace."""

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
        """The head of the index, and its columns."""
        text = re.search(r'<script id="memprof-data" type="application/gzip">(.*?)</script>', page, re.DOTALL)[1]
        data = gzip.decompress(base64.b64decode(text, validate=True))
        self.assertEqual(data[:8], b"memprof1")
        size = struct.unpack_from("<Q", data, 8)[0]
        head = json.loads(data[16:16 + size])
        at, columns = 16 + size, {}
        for name, kind, count in head["columns"]:
            code = {"u8": "B", "u16": "H", "u32": "I", "f64": "d"}[kind]
            columns[name] = struct.unpack_from(f"<{count}{code}", data, at)
            at += (struct.calcsize(f"<{count}{code}") + 7) // 8 * 8
        self.assertEqual(at, len(data))
        return head, columns

    def stack_of(self, data, columns, node):
        names = []
        while node != 0:
            self.assertLess(columns["parent"][node], node)
            frame = data["frames"][columns["frame"][node]]
            names.append((data["functions"][frame[0]], data["files"][frame[1]], *frame[2:5]))
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
        """The index against the events that `convert` writes."""
        data, columns = self.data_of(self.page_of(name + ".ctf"))
        converted = traces.run("convert", "--to", "json", name + ".ctf")
        self.assertEqual(converted.returncode, 0, converted.stderr)
        table = json.loads(converted.stdout)
        events = table["events"]
        self.assertEqual(data["trace"]["events"], len(events))
        kinds = ("allocation", "promotion", "collection")
        objects, changes, blocks = {}, [], 0
        sampled, before, between = 0, [], {}  # OCaml's blocks are of no known thread
        for e in events:
            if e["event"] == "allocation":
                objects[e["object"]] = [blocks, False]
                sampled += e["samples"]
                before.append(sampled)
                blocks += 1
            number, promoted = objects[e["object"]]
            if e["event"] == "promotion":
                objects[e["object"]][1] = True
                if promoted:
                    continue
            if e["event"] == "collection":
                between[number] = min(sampled - before[number] + 1, 0xffffffff)
            changes.append((number * 4 + kinds.index(e["event"]), e["time_us"]))
        self.assertEqual(list(zip(columns["change"], columns["time"])), changes)
        allocations = [e for e in events if e["event"] == "allocation"]
        self.assertEqual(data["trace"]["objects"], len(allocations))
        self.assertEqual(len(columns["samples"]), len(allocations))
        for i, e in enumerate(allocations):
            length = int(e["length_words"])
            spare = max(0, length.bit_length() - 53)
            self.assertEqual(columns["length"][i], length >> spare << spare)
            self.assertEqual(columns["samples"][i], min(e["samples"], 0xffffffff))
            where = ("minor", "major", "external").index(e["heap"]) + 4 * e["domain"]
            self.assertEqual(columns["where"][i], where)
            self.assertEqual(columns["between"][i], between.get(i, 0))
            expected = []
            for code in e["backtrace"]:
                places = table["codes"].get(code, [])
                expected += [(p["function"], p["file"], p["line"], p["start_char"], p["end_char"])
                             for p in places] or [(hex(int(code)), "", 0, 0, 0)]
            self.assertEqual(self.stack_of(data, columns, columns["stack"][i]), expected)

    def test_the_index_holds_every_event(self):
        for name in traces.traces():
            if (traces.FOLDER / (name + ".ctf")).stat().st_size < 1 << 20:
                with self.subTest(trace=name):
                    self.check_events(name)

    def test_hostile_names_are_text(self):
        page = self.page_of("edge.ctf" if (traces.FOLDER / "edge.ctf").exists() else "tiny.ctf")
        self.data_of(page)  # is base64

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
