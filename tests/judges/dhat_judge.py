# SPDX-License-Identifier: MIT
"""Valgrind's dh_view.js itself reads our DHAT files: its own code builds the tree, in node, with as much of a
page as that asks for."""

import json
import pathlib
import shutil
import subprocess

import judging
from judging import golden

PLACES = ("/usr/libexec/valgrind/dh_view.js", "/usr/lib/valgrind/dh_view.js")

# The viewer's script is run as it is; what it keeps of the page is not looked at.
SCRIPT = r"""
const fs = require('fs');
const [viewer, file] = process.argv.slice(2);
const node = () => ({childNodes: [{}], selectedIndex: 0, appendChild() {}, remove() {}, style: {},
                     setAttribute() {}, addEventListener() {}, options: []});
const source = fs.readFileSync(viewer, 'utf8') + `
;gSelect = {childNodes: gSelectData.map(() => ({})), selectedIndex: 0};
gData = JSON.parse(fs.readFileSync(file, 'utf8'));
buildTree();
console.log(JSON.stringify({bytes: gRoot._totalBytes, blocks: gRoot._totalBlocks,
  peak: gRoot._atTGmaxBytes, end: gRoot._atTEndBytes, lifetimes: gRoot._totalLifetimes,
  kids: gRoot._kids ? gRoot._kids.length : 0}));`;
const page = {createElement: node, createTextNode: node, body: node(), title: '',
              location: {search: ''}, getElementById: node, addEventListener() {}};
new Function('document', 'window', 'fs', 'file', source)(page, {location: {search: ''}}, fs, file);
"""


def main():
    viewer = next((place for place in PLACES if pathlib.Path(place).exists()), None)
    node = shutil.which("node") or shutil.which("nodejs")
    if viewer is None or node is None:
        judging.skip("no valgrind (dh_view.js) or no node")
    judging.CACHE.mkdir(parents=True, exist_ok=True)
    script = judging.CACHE / "dhat_judge.js"
    script.write_text(SCRIPT)
    for name in judging.traces():
        facts = golden.facts(name)
        file = judging.converted(name, "dhat", "dhat.json")
        points = json.loads(file.read_text())["pps"]
        if not points:
            continue  # the viewer expects one
        result = subprocess.run([node, script, viewer, file], capture_output=True, text=True,
                                check=False)
        assert result.returncode == 0, result.stderr[-1000:]
        tree = json.loads(result.stdout)
        info = facts["info"]
        top = json.loads(golden.run("top", "--json", golden.trace(name)).stdout)
        per_sample = info["word_size"] / 8 / info["sample_rate"]
        for key, samples in (("bytes", facts["samples"]["total"]),
                             ("end", facts["live_at_end"]["samples"]),
                             ("peak", top["all"]["at_peak"]["samples"])):
            if samples < 2**40:
                assert abs(tree[key] - samples * per_sample) <= len(points), (name, key, tree)
        print(f"{name}: {tree}")


if __name__ == "__main__":
    main()
