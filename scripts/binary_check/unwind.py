# SPDX-License-Identifier: MIT
"""The unwind tables (.eh_frame): which code has an FDE, an exception table, a personality."""

import collections
import struct

from . import elf as e

# section  index in a relocatable object, else None; begin is an offset in it, or an address.
# personality  a name, "?" if it has one that cannot be named, or None
Procedure = collections.namedtuple("Procedure", "section begin size has_lsda personality")

CXX_PERSONALITY = "__gxx_personality_v0"
FORMATS = {0: "<Q", 2: "<H", 3: "<I", 4: "<Q", 0xA: "<h", 0xB: "<i", 0xC: "<q"}


class Reader:
    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def take(self, form):
        value, = struct.unpack_from(form, self.data, self.at)
        self.at += struct.calcsize(form)
        return value

    def uleb(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def text(self):
        end = self.data.index(b"\0", self.at)
        value, self.at = self.data[self.at:end], end + 1
        return value


class _Table:
    """One .eh_frame section of a file."""

    def __init__(self, file, section):
        self.file, self.section = file, section
        self.data = file.contents(section)
        self.relocated = file.relocations(section) if file.type == e.ET_REL else {}
        self.names = {}
        if file.type != e.ET_REL:
            for s in file.dynamic_symbols + file.symbols:
                if "personality" in s.name and s.value:
                    self.names[s.value] = s.name

    def pointer(self, reader, encoding):
        """(section, address) of an encoded pointer, or None for null."""
        place = reader.at
        if encoding & 0xF == 1:
            value = reader.uleb()
        else:
            value = reader.take(FORMATS[encoding & 0xF])
        if place in self.relocated:
            r = self.relocated[place]
            return r.symbol.section, r.symbol.value + r.addend
        if value == 0:
            return None
        if encoding & 0x70 == 0x10:
            value += self.section.address + place
        return None, value & 0xFFFFFFFFFFFFFFFF

    def personality(self, reader, encoding):
        place = reader.at
        target = self.pointer(reader, encoding)
        if place in self.relocated:
            return self.relocated[place].symbol.name.removeprefix("DW.ref.") or "?"
        if target is None:
            return None
        address = target[1]
        if encoding & 0x80:
            dynamic = self.file.dynamic_relocations().get(address)
            if dynamic is not None and dynamic.symbol.name:
                return dynamic.symbol.name
            slot = self.file.read(address, 8)
            address = struct.unpack("<Q", slot)[0] if slot else 0
            if dynamic is not None:
                address = dynamic.addend
        return self.names.get(address, "?")

    def read_cie(self, at):
        """(encoding of pointers, has augmentation data, encoding of the LSDA, personality)"""
        reader = Reader(self.data, at)
        version, augmentation = reader.take("<B"), reader.text().decode("latin-1")
        reader.uleb()
        reader.uleb()  # signed, the same length
        reader.take("<B") if version == 1 else reader.uleb()
        address_encoding, lsda_encoding, name = 0, None, None
        if augmentation.startswith("z"):
            reader.uleb()
            for letter in augmentation[1:]:
                if letter == "R":
                    address_encoding = reader.take("<B")
                elif letter == "P":
                    name = self.personality(reader, reader.take("<B"))
                elif letter == "L":
                    lsda_encoding = reader.take("<B")
        return address_encoding, augmentation.startswith("z"), lsda_encoding, name

    def procedures(self):
        cies, at = {}, 0
        while at + 4 <= len(self.data):
            length, = struct.unpack_from("<I", self.data, at)
            if length == 0:  # the end; another table may follow
                at += 4
                continue
            body = at + 4
            if length == 0xFFFFFFFF:
                length, = struct.unpack_from("<Q", self.data, body)
                body += 8
            cie, = struct.unpack_from("<I", self.data, body)
            if cie != 0:
                start = body - cie
                if start not in cies:
                    cies[start] = self.read_cie(start + (8 if length < 0xFFFFFFF0 else 16))
                yield self.read_fde(Reader(self.data, body + 4), *cies[start])
            at = body + length

    def read_fde(self, reader, encoding, augmented, lsda_encoding, personality):
        section, begin = self.pointer(reader, encoding) or (None, 0)
        size = reader.take(FORMATS[encoding & 0xF])
        has_lsda = False
        if augmented and lsda_encoding is not None:
            reader.uleb()
            has_lsda = self.pointer(reader, lsda_encoding) is not None
        return Procedure(section, begin, size, has_lsda, personality)


def procedures(file):
    """All procedures of an elf.Elf."""
    return [p for s in file.sections if s.name == ".eh_frame" and s.type != e.SHT_NOBITS
            for p in _Table(file, s).procedures()]
