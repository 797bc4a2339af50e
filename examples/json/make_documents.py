#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: make_documents.py FOLDER

Writes the documents of the example, and expected.json. The build runs it, for BUILD_DIR/examples/documents.

The documents are made up, but shaped like what services exchange. All is deterministic. The
checksums in expected.json are computed here, independently of the C++ program that is judged by
them: FNV-1a over an unambiguous text of each document (see checksum).
"""
import json
import math
import pathlib
import random
import struct
import sys

WORDS = ("amber basin cedar delta ember fjord grove haven inlet jetty knoll ledge meadow north "
         "orchard prairie quarry ridge summit tundra upland valley willow yarrow zephyr").split()


def packages(rng):
    """A registry's metadata: many short strings, versions, dependencies."""
    names = [f"{a}-{b}" for a in WORDS for b in rng.sample(WORDS, 5) if a != b]
    result = {}
    for name in names:
        versions = {}
        for _ in range(rng.randint(1, 4)):
            version = f"{rng.randint(0, 9)}.{rng.randint(0, 30)}.{rng.randint(0, 12)}"
            versions[version] = {
                "integrity": "sha256-%064x" % rng.getrandbits(256),
                "size": rng.randint(900, 4_000_000),
                "dependencies": {d: f"^{rng.randint(0, 9)}.{rng.randint(0, 30)}"
                                 for d in rng.sample(names, rng.randint(0, 5)) if d != name},
                "deprecated": rng.random() < 0.1,
            }
        result[name] = {"versions": versions, "latest": max(versions),
                        "keywords": rng.sample(WORDS, rng.randint(0, 4))}
    return {"registry": 3, "packages": result}


def stations(rng):
    """GeoJSON: points, lines and polygons with properties."""
    features = []
    for n in range(150):
        lon, lat = round(rng.uniform(5, 15), 6), round(rng.uniform(47, 55), 6)
        kind = ("Point", "LineString", "Polygon")[n % 3]
        ring = [[round(lon + 0.01 * math.cos(t), 6), round(lat + 0.01 * math.sin(t), 6)]
                for t in (k * math.tau / 24 for k in range(24))]
        shape = {"Point": [lon, lat], "LineString": ring, "Polygon": [ring + ring[:1]]}[kind]
        features.append({
            "type": "Feature", "id": n, "geometry": {"type": kind, "coordinates": shape},
            "properties": {"name": rng.choice(WORDS).title() + f" {n}", "elevation": None if n % 7
                           == 0 else round(rng.gauss(400, 150), 1), "open": n % 4 != 0}})
    return {"type": "FeatureCollection", "features": features,
            "bbox": [5.0, 47.0, 15.0, 55.0]}


def orders(rng):
    """A page of an API: uniform records, ids beyond 2^53, links."""
    items = []
    for n in range(240):
        lines = [{"sku": f"{rng.choice(WORDS)}-{rng.randint(100, 999)}", "quantity":
                  rng.randint(1, 12), "price": round(rng.uniform(0.5, 400), 2)}
                 for _ in range(rng.randint(1, 4))]
        items.append({
            "id": 2**63 + rng.getrandbits(62), "previous": -rng.getrandbits(62),
            "placed": f"2026-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}T12:00:00Z",
            "customer": {"name": " ".join(rng.sample(WORDS, 2)).title(), "vip": rng.random() < 0.2,
                         "note": None}, "lines": lines,
            "links": {"self": f"/orders/{n}", "invoice": f"/orders/{n}/invoice"}})
    return {"page": 1, "pages": 17, "items": items, "next": "/orders?page=2"}


def configuration(rng, depth=0):
    """Settings within settings, twelve deep."""
    if depth == 12:
        return rng.choice([True, False, None, "auto", rng.randint(0, 65535), rng.random()])
    members = 2 if depth < 9 else 1
    result = {f"{word}_{depth}": configuration(rng, depth + 1)
              for word in rng.sample(WORDS, members)}
    result["enabled"] = depth % 2 == 0
    return result


def phrases(rng):
    """Text of many scripts, and every kind of escape."""
    scripts = {"de": "Größe über Äpfel straße", "fr": "déjà vu à l’œuvre", "ru": "память и предел",
               "el": "μνήμη και όριο", "ja": "記憶の限界を超える", "zh": "内存限制", "ar": "حد الذاكرة",
               "hi": "स्मृति सीमा", "ko": "메모리 한도", "emoji": "🧠📏 👩‍🔬 \U0001F3F4",
               "escapes": "quote \" backslash \\ slash / \b\f\n\r\t \u0001 \u007f \u2028 end"}
    return [{"locale": locale, "key": f"{rng.choice(WORDS)}.{n}",
             "text": " ".join(rng.sample(text.split(), len(text.split()))) * (1 + n % 3),
             "plural": None if n % 5 else {"one": text, "other": text.upper()}}
            for n in range(30) for locale, text in sorted(scripts.items())]


def measurements(rng):
    """A matrix of numbers at the edges of what a double holds."""
    edges = [5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 0.1, 1 / 3, -0.0, 1e23,
             2**53 - 1, 2**53 + 2, -2**63, 2**64 - 1, 123456789012345.678, 9007199254740993.0]
    rows = [[rng.gauss(0, 1) * 10.0**rng.randint(-300, 300) for _ in range(20)]
            for _ in range(180)]
    return {"edges": edges, "rows": rows, "columns": [f"c{n}" for n in range(20)]}


def checksum(document):
    """(values, depth, FNV-1a), as json/summary.cpp has them."""
    state = {"values": 0, "depth": 0, "hash": 0xCBF29CE484222325}

    def feed(data):
        value = state["hash"]
        for byte in data:
            value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
        state["hash"] = value

    def feed_string(text):
        data = text.encode()
        feed(b"s%d;" % len(data))
        feed(data)

    def add(value, depth):
        state["values"] += 1
        state["depth"] = max(state["depth"], depth)
        if isinstance(value, dict):
            feed(b"{")
            for key in sorted(value, key=str.encode):
                feed_string(key)
                add(value[key], depth + 1)
            feed(b"}")
        elif isinstance(value, list):
            feed(b"[")
            for element in value:
                add(element, depth + 1)
            feed(b"]")
        elif isinstance(value, str):
            feed_string(value)
        elif value is None:
            feed(b"n")
        elif isinstance(value, bool):
            feed(b"t" if value else b"f")
        elif isinstance(value, int):
            feed(b"i%d;" % value)
        else:
            feed(b"d%d;" % struct.unpack("<Q", struct.pack("<d", value)))

    add(document, 1)
    return {"values": state["values"], "depth": state["depth"],
            "checksum": "%016x" % state["hash"]}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n")[0])
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    expected = {}
    for make in (packages, stations, orders, configuration, phrases, measurements):
        name = make.__name__ + ".json"
        # Half of the documents are pretty-printed, half escape all that is not ASCII.
        indent = 1 if make in (configuration, orders) else None
        text = json.dumps(make(random.Random(make.__name__)), indent=indent,
                          ensure_ascii=make is phrases)
        (folder / name).write_text(text + "\n", encoding="utf-8")
        expected[name] = checksum(json.loads(text))
    # Two bombs: wide, an array of 50 million small arrays, and deep, 50 million within each other.
    bombs = {"wide": {"begin": "[", "repeat": 50_000_000, "text": "[0],", "end": "0]"},
             "deep": {"begin": "", "repeat": 50_000_000, "text": "[", "end": ""}}
    for name, recipe in bombs.items():
        (folder / f"bomb-{name}.recipe.json").write_text(json.dumps({"bomb": recipe}) + "\n")
    (folder / "expected.json").write_text(json.dumps(expected, indent=2) + "\n")


if __name__ == "__main__":
    main()
