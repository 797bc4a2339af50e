# SPDX-License-Identifier: MIT
"""The JSON schema that the npm package speedscope ships accepts our files; ajv validates. Both are installed
by npm into the build folder, once; without npm, or without what it needs, the test is skipped."""

import shutil
import subprocess

import judging

PACKAGES = ("speedscope@1", "ajv@8")
SCRIPT = r"""
const fs = require('fs');
const path = require('path');
const [modules, ...files] = process.argv.slice(2);
const Ajv = require(path.join(modules, 'ajv'));
const find = folder => fs.readdirSync(folder, {withFileTypes: true}).flatMap(e =>
  e.isDirectory() ? find(path.join(folder, e.name)) :
  /file-format-schema.*\.json$/.test(e.name) ? [path.join(folder, e.name)] : []);
const schema = JSON.parse(fs.readFileSync(find(path.join(modules, 'speedscope'))[0], 'utf8'));
const validate = new (Ajv.default || Ajv)({strict: false, allErrors: false}).compile(schema);
const refused = JSON.parse('{"shared": {"frames": [{"file": 1}]}, "profiles": 3}');
if (validate(refused)) throw new Error('the schema accepts anything');
for (const file of files) {
  if (!validate(JSON.parse(fs.readFileSync(file, 'utf8')))) {
    throw new Error(file + ': ' + JSON.stringify(validate.errors.slice(0, 3)));
  }
}
"""


def main():
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        judging.skip("no node with npm")
    folder = judging.CACHE / "npm"
    modules = folder / "node_modules"
    if not ((modules / "speedscope").is_dir() and (modules / "ajv").is_dir()):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text('{"private": true}\n')
        try:
            installed = subprocess.run(
                [npm, "install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts",
                 *PACKAGES], cwd=folder, capture_output=True, text=True, check=False, timeout=120)
        except subprocess.TimeoutExpired:
            judging.skip("npm did not answer")
        if installed.returncode != 0:
            judging.skip(f"npm cannot install {' and '.join(PACKAGES)}")
    script = judging.CACHE / "speedscope_judge.js"
    script.write_text(SCRIPT)
    files = [judging.converted(name, "speedscope", "speedscope.json") for name in judging.traces()]
    result = subprocess.run([node, script, modules.resolve(), *files], capture_output=True, text=True,
                            check=False)
    assert result.returncode == 0, result.stderr[-2000:]
    print(f"{len(files)} files accepted")


if __name__ == "__main__":
    main()
