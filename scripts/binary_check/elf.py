# SPDX-License-Identifier: MIT
"""ELF files, 64 bits, little-endian: sections, symbols, relocations; and archives of them."""

import collections
import os
import re
import struct
import zlib

ET_REL, ET_EXEC, ET_DYN = 1, 2, 3
PT_LOAD, PT_DYNAMIC, PT_INTERP, PT_TLS, PT_GNU_EH_FRAME = 1, 2, 3, 7, 0x6474E550
SHT_SYMTAB, SHT_STRTAB, SHT_RELA, SHT_NOBITS, SHT_DYNSYM = 2, 3, 4, 8, 11
SHF_EXECINSTR, SHF_COMPRESSED = 4, 0x800
STT_NOTYPE, STT_OBJECT, STT_FUNC, STT_TLS, STT_GNU_IFUNC = 0, 1, 2, 6, 10
SHN_UNDEF = 0
DT_NEEDED, DT_SONAME, DT_FLAGS_1, DF_1_PIE = 1, 14, 0x6FFFFFFB, 0x08000000
EM_X86_64 = 62


class Malformed(Exception):
    """Not what it should be; the text says why."""


Section = collections.namedtuple("Section", "index name type flags address offset size link info entry_size")
Segment = collections.namedtuple("Segment", "type flags offset address file_size memory_size alignment")
Symbol = collections.namedtuple("Symbol", "name value size type binding section")
Relocation = collections.namedtuple("Relocation", "offset type symbol addend")


def text_at(table, offset):
    return table[offset:table.index(b"\0", offset)].decode("utf-8", "replace")


class Elf:
    """One file. Members that need much reading are read when they are first asked for."""

    def __init__(self, data):
        if data[:4] != b"\x7fELF":
            raise Malformed("neither an ELF file nor an archive")
        if data[4:6] != b"\x02\x01":
            raise Malformed("not a 64-bit little-endian ELF file")
        self.bytes = data
        (self.type, self.machine, _, _, segments, sections, _, _, segment_size, segment_count,
         section_size, section_count, names) = struct.unpack_from("<HHIQQQIHHHHHH", data, 16)
        self.segments = [
            Segment(kind, flags, offset, address, in_file, in_memory, alignment)
            for kind, flags, offset, address, _, in_file, in_memory, alignment in
            (struct.unpack_from("<IIQQQQQQ", data, segments + i * segment_size)
             for i in range(segment_count))]
        self.sections = self._read_sections(sections, section_size, section_count, names)
        self._cache = {}

    def _read_sections(self, offset, size, count, names):
        if offset == 0:
            return []
        raw = struct.Struct("<IIQQQQIIQQ")
        first = raw.unpack_from(self.bytes, offset)
        count = count or first[5]
        names = first[6] if names == 0xFFFF else names
        headers = [raw.unpack_from(self.bytes, offset + i * size) for i in range(count)]
        strings = self.bytes[headers[names][4]:headers[names][4] + headers[names][5]]
        return [Section(i, text_at(strings, h[0]), h[1], h[2], h[3], h[4], h[5], h[6], h[7], h[9])
                for i, h in enumerate(headers)]

    def _once(self, key, make):
        if key not in self._cache:
            self._cache[key] = make()
        return self._cache[key]

    def section(self, name):
        return next((s for s in self.sections if s.name == name), None)

    def contents(self, section):
        """The bytes of a section, decompressed and, in a relocatable object, relocated as far as one
        object alone can be (what debug sections need); b"" if it is None."""
        if section is None or section.type == SHT_NOBITS:
            return b""
        return self._once(("contents", section.index), lambda: self._contents(section))

    def _contents(self, section):
        data = self.bytes[section.offset:section.offset + section.size]
        if len(data) != section.size:
            raise Malformed(f"section {section.name} lies beyond the end of the file")
        if section.flags & SHF_COMPRESSED:
            kind, _, _, _ = struct.unpack_from("<IIQQ", data)
            if kind != 1:
                raise Malformed(f"section {section.name} is compressed with something else than zlib")
            data = zlib.decompress(data[24:])
        if self.type == ET_REL and "debug_" in section.name:
            data = bytearray(data)
            for r in self.relocations(section).values():
                # R_X86_64_64 and _32; R_AARCH64_ABS64 and _ABS32
                form = {1: "<Q", 257: "<Q", 10: "<I", 258: "<I"}.get(r.type)
                if form:
                    mask = 0xFFFFFFFF if form == "<I" else 0xFFFFFFFFFFFFFFFF
                    struct.pack_into(form, data, r.offset, (r.symbol.value + r.addend) & mask)
        return bytes(data)

    def _symbols(self, kind):
        table = next((s for s in self.sections if s.type == kind), None)
        if table is None:
            return []
        strings = self.contents(self.sections[table.link])
        result = []
        for name, info, _, section, value, size in struct.iter_unpack("<IBBHQQ", self.contents(table)):
            result.append(Symbol(text_at(strings, name), value, size, info & 15, info >> 4, section))
        return result

    @property
    def symbols(self):
        return self._once("symbols", lambda: self._symbols(SHT_SYMTAB))

    @property
    def dynamic_symbols(self):
        return self._once("dynamic_symbols", lambda: self._symbols(SHT_DYNSYM))

    def relocations(self, section):
        """{offset: Relocation} that concern one section of a relocatable object."""
        return self._once(("relocations", section.index), lambda: {
            r.offset: r for table in self.sections
            if table.type == SHT_RELA and table.info == section.index and self.type == ET_REL
            for r in self._relocation_table(table)})

    def dynamic_relocations(self):
        """{address: Relocation} that the loader applies."""
        return self._once("dynamic_relocations", lambda: {
            r.offset: r for table in self.sections
            if table.type == SHT_RELA and self.type != ET_REL for r in self._relocation_table(table)})

    def _relocation_table(self, table):
        dynamic = table.link < len(self.sections) and self.sections[table.link].type == SHT_DYNSYM
        symbols = self.dynamic_symbols if dynamic else self.symbols
        nothing = Symbol("", 0, 0, STT_NOTYPE, 0, SHN_UNDEF)
        for offset, info, addend in struct.iter_unpack("<QQq", self.contents(table)):
            index = info >> 32
            yield Relocation(offset, info & 0xFFFFFFFF,
                             symbols[index] if index < len(symbols) else nothing, addend)

    def read(self, address, size):
        """Bytes of the image of a linked file; None if they are not in the file."""
        for s in self.segments:
            if s.type == PT_LOAD and s.address <= address and address + size <= s.address + s.file_size:
                return self.bytes[address - s.address + s.offset:address - s.address + s.offset + size]
        return None

    def segment(self, kind):
        return next((s for s in self.segments if s.type == kind), None)

    def dynamic(self, tag):
        """The values of the entries of .dynamic with one tag."""
        return [value for entry, value in
                struct.iter_unpack("<QQ", self.contents(self.section(".dynamic"))) if entry == tag]

    def dynamic_names(self, tag):
        """The texts of the entries DT_NEEDED or DT_SONAME."""
        values = self.dynamic(tag)
        strings = self.contents(self.sections[self.section(".dynamic").link]) if values else b""
        return [text_at(strings, value) for value in values]

    def is_program(self):
        return self.type == ET_EXEC or self.segment(PT_INTERP) is not None or \
            any(flags & DF_1_PIE for flags in self.dynamic(DT_FLAGS_1))


def archive_members(path, data):
    """(name, bytes) of the members of an ar archive, thin ones included."""
    thin = data.startswith(b"!<thin>\n")
    long_names, at = b"", 8
    while at + 60 <= len(data):
        header = data[at:at + 60]
        if header[58:] != b"`\n":
            raise Malformed("a malformed archive")
        name, size = header[:16].decode("latin-1").rstrip(), int(header[48:58])
        at += 60
        inside = not thin or name in ("/", "//", "/SYM64/")
        body = data[at:at + size] if inside else b""
        at += (size + (size & 1)) if inside else 0
        if name == "//":
            long_names = body
        if name in ("/", "//", "/SYM64/", "__.SYMDEF"):
            continue
        if name.startswith("/"):
            start = int(re.match(r"/(\d+)", name)[1])
            name = long_names[start:long_names.index(b"\n", start)].decode("utf-8", "replace")
        name = name[:-1] if name.endswith("/") else name
        if thin:
            with open(os.path.join(os.path.dirname(path), name), "rb") as member:
                body = member.read()
        yield name, body
