# SPDX-License-Identifier: MIT
"""OpenTelemetry's published schema decodes what `memprof convert --to otlp` writes, without an unknown field; its
tables keep the schema's rules; and each function has the same amounts as in pprof's export of the same trace.

The schema is that of Debian's libopentelemetry-proto-dev (1.9 or later, which has a table of stacks): the compiled
C++ has it as the descriptor that protoc reads. MEMPROF_OTLP_SCHEMA names another place than /usr/include."""

import collections
import gzip
import os
import pathlib
import re

import judging
from decoding import decoded, unescaped
from judging import golden

SCHEMA = pathlib.Path(os.environ.get("MEMPROF_OTLP_SCHEMA", "/usr/include")) / "opentelemetry" / "proto"
PPROF = pathlib.Path("/usr/share/gocode/src/github.com/google/pprof/proto")
TYPES = ["alloc_objects", "alloc_space", "inuse_objects", "inuse_space"]
ARRAY = re.compile(r'descriptor_table_protodef_\w+\[\][^=]*=\s*((?:"(?:[^"\\]|\\.)*"\s*)+);')


def varint(n):
    return bytes([n & 127 | 128]) + varint(n >> 7) if n > 127 else bytes([n])


def descriptor(name):
    """A FileDescriptorProto, as an element of a FileDescriptorSet."""
    file = SCHEMA / f"{name}.pb.cc"
    if not file.exists():
        judging.skip("no schema of OpenTelemetry's profiles (Debian: libopentelemetry-proto-dev)")
    literals = re.findall(r'"(?:[^"\\]|\\.)*"', ARRAY.search(file.read_text())[1])
    data = b"".join(unescaped(literal) for literal in literals)
    return b"\x0a" + varint(len(data)) + data


def schema():
    data = b"".join(map(descriptor, ("common/v1/common", "resource/v1/resource", "profiles/v1development/profiles")))
    if b"stack_table" not in data:
        judging.skip("this schema of OpenTelemetry's profiles is older than 1.9")
    judging.CACHE.mkdir(parents=True, exist_ok=True)
    file = judging.CACHE / "otlp.descriptors"
    file.write_bytes(data)
    return file


class Otlp:
    def __init__(self, data, descriptors):
        message = decoded(data, "opentelemetry.proto.profiles.v1development.ProfilesData",
                          f"--descriptor_set_in={descriptors}")
        self.resource = {a["key"][0].decode(): a["value"][0] for a in message["resource_profiles"][0]["resource"][0]["attributes"]}
        self.scope, = message["resource_profiles"][0]["scope_profiles"]
        self.tables, = message["dictionary"]
        self.strings = [s.decode() for s in self.tables["string_table"]]

    def table(self, name):
        return self.tables[f"{name}_table"]

    def text(self, message, field):
        return self.strings[message.get(f"{field}_strindex", [0])[0]]

    def check_tables(self):
        """The first element of each is empty; indexes lead to others; nothing is there twice, or for nothing."""
        assert self.strings[0] == "" and len(set(self.strings)) == len(self.strings)
        used = collections.defaultdict(set)
        for name in ("mapping", "location", "function", "link", "attribute", "stack"):
            rows = self.table(name)
            assert rows[0] == {}, name
            for row in rows[1:]:
                for field, values in row.items():
                    if field.endswith(("_index", "_indices")):
                        used[field.rsplit("_", 1)[0]].update(values)
                for line in row.get("lines", []):
                    used["function"].update(line["function_index"])
            assert len({repr(row) for row in rows}) == len(rows) or name in ("location", "attribute"), name
        for profile in self.scope["profiles"]:
            used["attribute"].update(profile.get("attribute_indices", []))
            for sample in profile.get("samples", []):
                used["stack"].update(sample["stack_index"])
                used["attribute"].update(sample.get("attribute_indices", []))
        for name in ("location", "function", "attribute", "stack"):
            assert used[name] == set(range(1, len(self.table(name)))), name
        assert used["mapping"] <= set(range(1, len(self.table("mapping"))))

    def by_function(self):
        """{(type, innermost function, bytes of a block): amount}"""
        innermost = [None]
        for stack in self.table("stack")[1:]:
            line = self.table("location")[stack["location_indices"][0]]["lines"][0]
            innermost.append(self.text(self.table("function")[line["function_index"][0]], "name"))
        sums = collections.Counter()
        for profile in self.scope["profiles"]:
            kind = self.text(profile["sample_type"][0], "type")
            for sample in profile.get("samples", []):
                attributes = [self.table("attribute")[i] for i in sample.get("attribute_indices", [])]
                sizes = [a["value"][0]["int_value"][0] for a in attributes if self.text(a, "key") == "bytes"]
                assert all(self.text(a, "unit") == "bytes" for a in attributes)
                sums[kind, innermost[sample["stack_index"][0]], tuple(sizes)] += sample["values"][0]
        return sums


def of_pprof(data):
    """The same from pprof's profile, and the profile."""
    profile = decoded(data, "perftools.profiles.Profile", f"-I{PPROF}", "profile.proto")
    strings = [s.decode() for s in profile["string_table"]]
    names = [None] + [strings[f["name"][0]] for f in profile.get("function", [])]
    innermost = [None] + [names[m["line"][0]["function_id"][0]] for m in profile.get("location", [])]
    sums = collections.Counter()
    for sample in profile.get("sample", []):
        sizes = tuple(label["num"][0] for label in sample.get("label", []))
        for kind, value in zip(TYPES, sample["value"]):
            if value != 0:
                sums[kind, innermost[sample["location_id"][0]], sizes] += value
    return sums, profile


def check(name, descriptors):
    otlp = Otlp(judging.converted(name, "otlp", "otlp").read_bytes(), descriptors)
    otlp.check_tables()
    pprof, whole = of_pprof(gzip.decompress(judging.converted(name, "pprof", "pb.gz").read_bytes()))
    assert otlp.by_function() == pprof, name
    profiles = otlp.scope["profiles"]
    kinds = [otlp.text(p["sample_type"][0], "type") for p in profiles]
    assert kinds[0] == "inuse_space" and sorted(kinds) == TYPES, kinds
    for p in profiles:
        assert p["period"] == whole["period"] and p["time_unix_nano"] == whole["time_nanos"]
        assert p.get("duration_nano") == whole.get("duration_nanos")
        assert otlp.text(p["period_type"][0], "unit") == "bytes"
    assert otlp.scope["scope"][0]["name"] == [b"memprof"]
    info = golden.facts(name)["info"]
    for key, field, of_info in (("process.pid", "int_value", "pid"), ("host.name", "string_value", "host_name"),
                                ("process.executable.path", "string_value", "executable_name")):
        if of_info in info:
            value = otlp.resource.get(key, {field: [0]})[field][0]
            assert (value.decode() if isinstance(value, bytes) else value) == info[of_info], (name, key, value)
    return sum(len(p.get("samples", [])) for p in profiles)


def main():
    if not (PPROF / "profile.proto").exists():
        judging.skip("no profile.proto (Debian: golang-github-google-pprof-dev)")
    descriptors = schema()
    counts = [check(name, descriptors) for name in judging.traces()]
    assert max(counts) > 100, counts
    print(f"{len(counts)} traces, {sum(counts)} samples")


if __name__ == "__main__":
    main()
