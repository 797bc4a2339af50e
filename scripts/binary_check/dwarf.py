# SPDX-License-Identifier: MIT
"""DWARF 2 to 5: who compiled which unit, in which language and how; C code inlined into C++."""

import bisect
import collections
import struct

from .elf import Malformed
from .unwind import Reader

C_LANGUAGES = {0x01, 0x02, 0x0C, 0x1D, 0x2C, 0x3E}
CXX_LANGUAGES = {0x04, 0x19, 0x1A, 0x21, 0x2A, 0x2B, 0x3A}

TAG_SUBPROGRAM, TAG_INLINED, TAG_UNIT = 0x2E, 0x1D, 0x11
AT_NAME, AT_LANGUAGE, AT_PRODUCER, AT_ORIGIN, AT_SPECIFICATION = 0x03, 0x13, 0x25, 0x31, 0x47
AT_STR_OFFSETS_BASE, AT_DWO_NAME, AT_GNU_DWO_NAME = 0x72, 0x76, 0x2130
AT_LOW_PC, AT_HIGH_PC, AT_RANGES = 0x11, 0x12, 0x55
AT_LINKAGE_NAME, AT_MIPS_LINKAGE_NAME = 0x6E, 0x2007
AT_ADDRESS_BASE, AT_RANGE_LISTS_BASE = 0x73, 0x74
WANTED = {AT_NAME, AT_LANGUAGE, AT_PRODUCER, AT_ORIGIN, AT_SPECIFICATION, AT_STR_OFFSETS_BASE,
          AT_DWO_NAME, AT_GNU_DWO_NAME, AT_LINKAGE_NAME, AT_MIPS_LINKAGE_NAME, AT_ADDRESS_BASE,
          AT_RANGE_LISTS_BASE}
# What their values mean depends on the form: found as (form, value).
WANTED_WITH_FORM = {AT_LOW_PC, AT_HIGH_PC, AT_RANGES}

Unit = collections.namedtuple("Unit", "offset producer language name split has_code")
Inlined = collections.namedtuple("Inlined", "c_function into")

# A walk over every entry takes about a minute for so many bytes.
MOST_BYTES_WALKED = 64 << 20


class Text:
    """A string of an attribute, looked up when it is needed."""

    def __init__(self, kind, value):
        self.kind, self.value = kind, value


class Debug:
    """The debug sections of an elf.Elf; `prefix` before their names (of LTO objects)."""

    def __init__(self, file, prefix=""):
        def get(name):
            return file.contents(file.section(f"{prefix}.debug_{name}"))
        self.info, self.abbreviations = get("info"), get("abbrev")
        self.strings, self.line_strings, self.offsets = get("str"), get("line_str"), get("str_offsets")
        self.tables = {}
        self.headers = list(self._read_headers())

    def _read_headers(self):
        """(offset, first entry, end, version, size of offsets, size of addresses, abbreviations)"""
        at = 0
        while at + 11 <= len(self.info):
            reader, offset_form = Reader(self.info, at), "<I"
            length = reader.take("<I")
            if length == 0xFFFFFFFF:
                length, offset_form = reader.take("<Q"), "<Q"
            end = reader.at + length
            version = reader.take("<H")
            if not 2 <= version <= 5 or end > len(self.info):
                raise Malformed(f"debug information of an unknown version ({version}) or cut short")
            if version == 5:
                kind, address_size = reader.take("<B"), reader.take("<B")
                table = reader.take(offset_form)
                reader.at += {2: 8 + struct.calcsize(offset_form), 4: 8, 5: 8, 6: 8 + struct.calcsize(
                    offset_form)}.get(kind, 0)
            else:
                table, address_size = reader.take(offset_form), reader.take("<B")
            yield at, reader.at, end, version, offset_form, address_size, table
            at = end

    def _abbreviations(self, at):
        if at not in self.tables:
            table, reader = {}, Reader(self.abbreviations, at)
            while code := reader.uleb():
                tag, children, attributes = reader.uleb(), reader.take("<B"), []
                while True:
                    name, form = reader.uleb(), reader.uleb()
                    constant = signed(reader) if form == 0x21 else None
                    if name == form == 0:
                        break
                    attributes.append((name, form, constant))
                table[code] = tag, children, attributes
            self.tables[at] = table
        return self.tables[at]

    def entries(self, header):
        """(depth, offset, tag, {attribute: value}) of a unit's entries; a Text or a number, references
        as offsets in .debug_info."""
        offset, first, end, version, offset_form, address_size, table = header
        abbreviations, reader, depth = self._abbreviations(table), Reader(self.info, first), 0
        value = Values(reader, offset, version, offset_form, address_size).read
        while reader.at < end:
            at, code = reader.at, reader.uleb()
            if code == 0:
                depth -= 1
                continue
            tag, children, attributes = abbreviations[code]
            found = {}
            for name, form, constant in attributes:
                read = constant if form == 0x21 else value(form)
                if name in WANTED:
                    found[name] = read
                elif name in WANTED_WITH_FORM:
                    found[name] = form, read
            yield depth, at, tag, found
            depth += children

    def text(self, value, offset_form, base):
        if not isinstance(value, Text):
            return ""
        if value.kind == "inline":
            raw = value.value
        elif value.kind == "index":
            where = base + value.value * struct.calcsize(offset_form)
            raw = at_zero(self.strings, struct.unpack_from(offset_form, self.offsets, where)[0])
        else:
            raw = at_zero(self.strings if value.kind == "str" else self.line_strings, value.value)
        return raw.decode("utf-8", "replace")

    def units(self):
        """The compilation units, in order."""
        result = []
        for header in self.headers:
            _, _, tag, found = next(iter(self.entries(header)), (0, 0, 0, {}))
            if tag not in (TAG_UNIT, 0x4A):
                continue
            form = header[4]
            base = found.get(AT_STR_OFFSETS_BASE, 8 if form == "<I" else 16)
            producer, name = (self.text(found.get(a), form, base) for a in (AT_PRODUCER, AT_NAME))
            result.append(Unit(header[0], producer, found.get(AT_LANGUAGE), name,
                               AT_DWO_NAME in found or AT_GNU_DWO_NAME in found,
                               AT_LOW_PC in found or AT_RANGES in found))
        return result

    def c_inlined_into_cxx(self):
        """Each C function that is inlined into a function of a C++ unit, with that function's name; None
        if there is too much to walk. Inlining across units refers to the other unit's entry."""
        if len(self.info) > MOST_BYTES_WALKED:
            return None
        units = self.units()
        starts = [u.offset for u in units]

        def language(offset):
            index = bisect.bisect_right(starts, offset) - 1
            return units[index].language if index >= 0 else None

        names, found = {}, []
        for header in self.headers:
            # The functions around an entry: (depth, offset of the entry that says what it is)
            around = []
            for depth, at, tag, values in self.entries(header):
                while around and around[-1][0] >= depth:
                    around.pop()
                origin = values.get(AT_ORIGIN, values.get(AT_SPECIFICATION))
                if tag == TAG_SUBPROGRAM:
                    around.append((depth, at if origin is None else origin))
                    names[at] = (values.get(AT_NAME), origin, header[4])
                elif tag == TAG_INLINED and around and origin is not None:
                    if language(origin) in C_LANGUAGES and language(around[0][1]) in CXX_LANGUAGES:
                        found.append((origin, around[0][1]))

        def name(offset):
            for _ in range(4):
                text, origin, form = names.get(offset, (None, None, "<I"))
                if text is not None:
                    return self.text(text, form, 8 if form == "<I" else 16) or "?"
                offset = origin
            return "?"
        return sorted({Inlined(name(a), name(b)) for a, b in found})


def at_zero(data, at):
    return data[at:data.index(b"\0", at)]


def signed(reader):
    start = reader.at
    value = reader.uleb()
    bits = 7 * (reader.at - start)
    return value - (1 << bits) if value >> (bits - 1) else value


class Values:
    """Reads values by their form."""

    FIXED = {0x05: "<H", 0x06: "<I", 0x07: "<Q", 0x0B: "<B", 0x0C: "<B", 0x1C: "<I", 0x20: "<Q",
             0x24: "<Q", 0x29: "<B", 0x2A: "<H", 0x2C: "<I"}
    INDEX = {0x25: "<B", 0x26: "<H", 0x28: "<I"}
    LOCAL = {0x11: "<B", 0x12: "<H", 0x13: "<I", 0x14: "<Q"}
    BLOCK = {0x03: "<H", 0x04: "<I", 0x0A: "<B"}

    def __init__(self, reader, unit, version, offset_form, address_size):
        self.reader, self.unit, self.version = reader, unit, version
        self.offset_form = offset_form
        self.address_form = {4: "<I", 8: "<Q"}[address_size]

    def read(self, form):
        r = self.reader
        if form in self.FIXED:
            return r.take(self.FIXED[form])
        if form in self.LOCAL:
            return self.unit + r.take(self.LOCAL[form])
        if form in (0x0E, 0x1F):
            return Text("str" if form == 0x0E else "line_str", r.take(self.offset_form))
        if form in self.INDEX:
            return Text("index", r.take(self.INDEX[form]))
        if form in self.BLOCK:
            return self.skip(r.take(self.BLOCK[form]))
        return self.rare(form, r)

    def rare(self, form, r):
        if form == 0x19:
            return 1
        if form in (0x17, 0x1D, 0x1F20, 0x1F21):
            # What another file (of dwz) has is not looked up.
            value = r.take(self.offset_form)
            return value if form == 0x17 else None
        if form == 0x10:
            return r.take(self.address_form if self.version == 2 else self.offset_form)
        if form == 0x01:
            return r.take(self.address_form)
        if form == 0x08:
            return Text("inline", r.text())
        if form in (0x09, 0x18):
            return self.skip(r.uleb())
        if form in (0x1A, 0x1F02):
            return Text("index", r.uleb())
        if form in (0x0F, 0x1B, 0x22, 0x23, 0x1F01):
            return r.uleb()
        if form == 0x15:
            return self.unit + r.uleb()
        if form == 0x0D:
            return signed(r)
        if form in (0x1E, 0x27, 0x2B):
            return self.skip(16 if form == 0x1E else 3)
        if form == 0x16:
            return self.read(r.uleb())
        raise Malformed(f"debug information with an unknown form {form:#x}")

    def skip(self, size):
        self.reader.at += size
        return None
