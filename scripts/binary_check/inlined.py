# SPDX-License-Identifier: MIT
"""Where functions of the list of unsafe functions were inlined: the file that the library reads beside a module
(src/runtime/delivery/decide/inlined_functions.hpp describes it)."""

import os
import pathlib
import re
import struct
import zlib

from . import dwarf
from . import elf as e

# Beside an installed check_binary.py, else in the sources.
INSTALLED_LIST = pathlib.Path(__file__).resolve().parents[1] / "unsafe_functions.txt"
SOURCE_LIST = pathlib.Path(__file__).resolve().parents[2] / "src/runtime/delivery/decide/unsafe_functions.txt"
LIST = INSTALLED_LIST if INSTALLED_LIST.exists() else SOURCE_LIST
SUFFIX = ".memprof-inlined"

ADDRESS_FORMS = {0x01, 0x1B, 0x29, 0x2A, 0x2C, 0x1F01}
INDEX_FORMS = ADDRESS_FORMS - {0x01}
RANGE_LIST_INDEX = 0x23


def listed_patterns():
    """Those of functions; "module NAME" needs no debug information."""
    lines = LIST.read_text(encoding="utf-8").splitlines()
    return [line.split(" | ")[0] for line in lines if line and not line.startswith(("#", "module "))]


def may_match(patterns):
    """A regular expression for the beginnings of mangled names that may match one of the patterns: the first
    name of each, and the others somewhere behind. The library looks closer."""
    choices = []
    for pattern in patterns:
        names = [name.removesuffix("<*>") for name in pattern.split("::")]
        first = "St" if names[0] == "std" else f"{len(names[0])}{names[0]}"
        rest = "".join(f".*{re.escape(name) if '*' in name else str(len(name)) + re.escape(name)}"
                       for name in names[1:] if "*" not in name)
        choices.append(f"{re.escape(first)}{rest}")
    return re.compile(r"_Z+N?[KVRO]*L?(?:" + "|".join(choices) + ")")


class Unit:
    """What the addresses of a unit's entries need."""

    def __init__(self, file, header, values):
        def get(name):
            return file.contents(file.section(name))
        _, _, _, self.version, self.offset_form, _, _ = header
        self.addresses, self.address_base = get(".debug_addr"), values.get(dwarf.AT_ADDRESS_BASE, 8)
        self.lists = get(".debug_rnglists" if self.version >= 5 else ".debug_ranges")
        self.lists_base = values.get(dwarf.AT_RANGE_LISTS_BASE, 12)
        self.low = self.address(values.get(dwarf.AT_LOW_PC, (0x01, 0)))

    def address(self, value):
        form, number = value
        return self.indexed(number) if form in INDEX_FORMS else number

    def indexed(self, index):
        return struct.unpack_from("<Q", self.addresses, self.address_base + 8 * index)[0]

    def ranges(self, values):
        if dwarf.AT_RANGES in values:
            form, at = values[dwarf.AT_RANGES]
            if form == RANGE_LIST_INDEX:
                size = struct.calcsize(self.offset_form)
                at = self.lists_base + struct.unpack_from(self.offset_form, self.lists,
                                                          self.lists_base + size * at)[0]
            return list(self.range_list(at) if self.version >= 5 else self.old_range_list(at))
        if dwarf.AT_LOW_PC not in values or dwarf.AT_HIGH_PC not in values:
            return []
        low, (form, high) = self.address(values[dwarf.AT_LOW_PC]), values[dwarf.AT_HIGH_PC]
        return [(low, self.address((form, high)) if form in ADDRESS_FORMS else low + high)]

    def old_range_list(self, at):
        base = self.low
        while True:
            begin, end = struct.unpack_from("<QQ", self.lists, at)
            at += 16
            if begin == end == 0:
                return
            if begin == 0xFFFFFFFFFFFFFFFF:
                base = end
            else:
                yield base + begin, base + end

    def range_list(self, at):
        reader, base = dwarf.Reader(self.lists, at), self.low
        while kind := reader.take("<B"):
            if kind == 1:  # base_addressx
                base = self.indexed(reader.uleb())
            elif kind in (2, 3):  # startx_endx, startx_length
                begin, second = self.indexed(reader.uleb()), reader.uleb()
                yield begin, self.indexed(second) if kind == 2 else begin + second
            elif kind == 4:  # offset_pair
                begin, end = reader.uleb(), reader.uleb()
                yield base + begin, base + end
            elif kind == 5:  # base_address
                base = reader.take("<Q")
            elif kind in (6, 7):  # start_end, start_length
                begin = reader.take("<Q")
                yield begin, reader.take("<Q") if kind == 6 else begin + reader.uleb()
            else:
                raise e.Malformed(f"debug information with an unknown kind of range ({kind})")


def inlined_calls(file, wanted):
    """{mangled name: [(begin, end)]} of the inlined calls of functions whose names match."""
    debug = dwarf.Debug(file)
    names, calls = {}, []  # offset of an entry: (its name, the entry that says more); (offset, ranges)
    for header in debug.headers:
        unit = None
        for _, at, tag, values in debug.entries(header):
            if unit is None:
                unit, form = Unit(file, header, values), header[4]
                base = values.get(dwarf.AT_STR_OFFSETS_BASE, 8 if form == "<I" else 16)
            origin = values.get(dwarf.AT_ORIGIN, values.get(dwarf.AT_SPECIFICATION))
            if tag == dwarf.TAG_SUBPROGRAM:
                name = values.get(dwarf.AT_LINKAGE_NAME, values.get(dwarf.AT_MIPS_LINKAGE_NAME))
                text = debug.text(name, form, base)
                names[at] = (text if wanted.match(text) else "", origin)
            elif tag == dwarf.TAG_INLINED and origin is not None:
                calls.append((origin, unit, values))
    found = {}
    for origin, unit, values in calls:
        name = ""
        for _ in range(4):
            name, origin = names.get(origin, ("", None))
            if name or origin is None:
                break
        if name:
            # What the linker left out begins at 0.
            found.setdefault(name, set()).update(r for r in unit.ranges(values) if 0 < r[0] < r[1])
    return {name: sorted(ranges) for name, ranges in sorted(found.items()) if ranges}


def build_id(file):
    section = file.section(".note.gnu.build-id")
    data = file.contents(section)
    return data[16:].hex() if len(data) > 16 else ""


def text_of(file, patterns):
    """The text of the file beside a module, and how many calls it has."""
    identity = build_id(file)
    if not identity:
        raise e.Malformed("it has no build id, by which the library would know the file (-Wl,--build-id)")
    if file.section(".debug_info") is None:
        raise e.Malformed("it has no debug information (-g1), and so does not say what was inlined")
    calls = inlined_calls(file, may_match(patterns))
    lines = ["memprof inlined functions 1", f"build id {identity}"]
    for name, ranges in calls.items():
        lines += [f"function {name}", *(f"{begin:x} {end:x}" for begin, end in ranges)]
    text = "\n".join(lines) + "\n"
    return text + f"checksum {zlib.crc32(text.encode()):x}\n", sum(map(len, calls.values()))


def write_beside(path, data, patterns):
    """Writes the file beside a program or shared object: (its path, how many calls it has)."""
    text, count = text_of(e.Elf(data), patterns)
    beside = os.path.realpath(path) + SUFFIX
    partial = f"{beside}.{os.getpid()}"
    with open(partial, "w", encoding="ascii") as out:
        out.write(text)
    os.replace(partial, beside)
    return beside, count
