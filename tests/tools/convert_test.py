# SPDX-License-Identifier: MIT
"""`memprof convert`: that every format holds the trace's own numbers. What real tools say of the files is
tests/judges."""

import csv
import gzip
import io
import json
import unittest

import golden


def fields(data):
    """The fields of a message of Protocol Buffers: (number, value), bytes or an integer."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        else:
            assert key & 7 == 2, key
            length = varint()
            yield key >> 3, data[at:at + length]
            at += length


def varints(data):
    result, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            result.append(value)
            value = shift = 0
    return result


csv.field_size_limit(1 << 24)


class Profile:
    def __init__(self, data):
        self.samples, self.locations, self.functions, self.mappings, self.strings = [], [], [], [], []
        self.types, self.numbers = [], {}
        for number, value in fields(gzip.decompress(data)):
            if number == 6:
                self.strings.append(value.decode())
            elif number in (1, 2, 3, 4, 5):
                [None, self.types, self.samples, self.mappings, self.locations,
                 self.functions][number].append(list(fields(value)))
            else:
                self.numbers.setdefault(number, []).append(value)


def allocations(name):
    events = golden.facts(name)["events"]
    return events["alloc"] + events["alloc_major"] + events["alloc_ext"]


class Convert(unittest.TestCase):
    def convert(self, name, to, *arguments):
        return golden.run("convert", "--to", to, *arguments, golden.trace(name), text=False).stdout

    def at_peak(self, name):
        """Samples that are counted at the peak."""
        top = json.loads(golden.run("top", "--json", golden.trace(name)).stdout)
        return top["all"]["at_peak"]["samples"]

    def estimated(self, name, samples):
        info = golden.facts(name)["info"]
        return samples / info["sample_rate"] * info["word_size"] / 8

    def close(self, got, want, rows):
        self.assertLessEqual(abs(got - want), 0.5 * rows + abs(want) * 1e-9 + 1)

    def test_pprof(self):
        for name in golden.names():
            with self.subTest(name):
                facts = golden.facts(name)
                p = Profile(self.convert(name, "pprof"))
                self.assertEqual(p.strings[0], "")
                self.assertEqual(len(set(p.strings)), len(p.strings))
                for table in p.mappings, p.locations, p.functions:  # Parca: 1 to N in order
                    self.assertEqual([dict(row)[1] for row in table], list(range(1, len(table) + 1)))
                self.assertEqual([p.strings[dict(t)[1]] for t in p.types],
                                 ["alloc_objects", "alloc_space", "inuse_objects", "inuse_space"])
                self.assertEqual(p.strings[p.numbers[14][0]], "inuse_space")
                sums = [0] * 4
                for sample in p.samples:
                    sample = dict(sample)
                    locations = varints(sample[1])
                    self.assertTrue(all(1 <= n <= len(p.locations) for n in locations))
                    values = varints(sample[2])
                    sums = [a + b for a, b in zip(sums, values, strict=True)]
                    label = dict(fields(sample[3]))
                    self.assertEqual(p.strings[label[1]], "bytes")
                total = self.estimated(name, facts["samples"]["total"])
                if total < 2**62:
                    self.close(sums[1], total, len(p.samples))
                    self.close(sums[3], self.estimated(name, facts["live_at_end"]["samples"]),
                               len(p.samples))
                if name in ("full_rate", "tiny"):  # really every word a sample: exact
                    self.assertEqual(sums[0], allocations(name))
                    self.assertEqual(sums[2], facts["live_at_end"]["objects"])

    def test_speedscope(self):
        for name in golden.names():
            with self.subTest(name):
                facts = golden.facts(name)
                document = json.loads(self.convert(name, "speedscope"))
                frames = document["shared"]["frames"]
                wanted = [facts["samples"]["total"], self.at_peak(name),
                          facts["live_at_end"]["samples"]]
                for profile, samples in zip(document["profiles"], wanted, strict=True):
                    self.assertEqual(len(profile["samples"]), len(profile["weights"]))
                    for stack in profile["samples"]:
                        self.assertTrue(all(0 <= f < len(frames) for f in stack))
                    if samples < 2**40:
                        self.close(sum(profile["weights"]), self.estimated(name, samples),
                                   len(profile["weights"]))

    def test_dhat(self):
        for name in golden.names():
            with self.subTest(name):
                facts = golden.facts(name)
                document = json.loads(self.convert(name, "dhat"))
                points = document["pps"]
                self.assertEqual(len({tuple(p["fs"]) for p in points}), len(points))
                self.assertEqual(document["ftbl"][0], "[root]")
                for p in points:
                    self.assertTrue(all(0 < f < len(document["ftbl"]) for f in p["fs"]))
                    self.assertLessEqual(max(p["gb"], p["eb"]), p["mb"])
                    self.assertLessEqual(p["mb"], max(p["tb"], p["gb"]))
                sums = {"tb": facts["samples"]["total"], "eb": facts["live_at_end"]["samples"],
                        "gb": self.at_peak(name)}
                for key, samples in sums.items():
                    if samples < 2**40:
                        self.close(sum(p[key] for p in points), self.estimated(name, samples),
                                   len(points))

    def test_tables(self):
        for name in golden.names():
            facts = golden.facts(name)
            if allocations(name) > 30000:
                continue
            with self.subTest(name):
                rows = list(csv.DictReader(io.StringIO(self.convert(name, "csv").decode())))
                events = json.loads(self.convert(name, "json"))
                for kind, count in (("allocation", allocations(name)),
                                    ("promotion", facts["events"]["promote"]),
                                    ("collection", facts["events"]["collect"])):
                    self.assertEqual(sum(r["event"] == kind for r in rows), count, kind)
                    self.assertEqual(sum(e["event"] == kind for e in events["events"]), count, kind)
                codes = {c for e in events["events"] for c in e.get("backtrace", [])}
                self.assertEqual(codes, set(events["codes"]))
                self.assertEqual(sum(int(r["samples"]) for r in rows if r["samples"]),
                                 facts["samples"]["total"])

    def test_folded(self):
        for name in golden.names():
            with self.subTest(name):
                total = 0
                for line in self.convert(name, "folded").decode().splitlines():
                    total += int(line.rpartition(" ")[2])
                self.assertEqual(total, golden.facts(name)["samples"]["total"])

    def test_under(self):
        name = golden.names()[-1]
        for function, samples in golden.facts(name)["top_functions_inclusive_samples"][:3]:
            text = self.convert(name, "folded", "--under", f"={function}").decode()
            self.assertEqual(sum(int(line.rpartition(" ")[2]) for line in text.splitlines()), samples)

    def test_usage(self):
        file = golden.trace(golden.names()[0])
        for bad in (["--to", "xml"], [], ["--to", "csv", "--version", "2"],
                    ["--to", "csv", "--under", "f"], ["--to", "memtrace", "--version", "4"]):
            golden.run("convert", file, *bad, status=2)


if __name__ == "__main__":
    unittest.main()
