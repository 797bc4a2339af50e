# SPDX-License-Identifier: MIT
"""The equations of docs/statistical.md have numbers that are unique and in order, and all that the code and the
documents refer to exist.

An equation stands indented by four columns and ends in its number: (26), or (26a) for one that came between. A
reference is such a number after the name of that file or after the word "equation", or any in that file itself.
"""

import re

from lint_files import finish, project_files, read

DOCUMENT = "docs/statistical.md"
# The name may be in the link that ends there: [statistical.md](statistical.md#anchor).
NUMBER = r"\((\d{1,2}[a-e]?)\)"
NUMBERS = rf"{NUMBER}(?:(?:,| and| to|, and) {NUMBER})*"
REFERENCE = re.compile(rf"(?:statistical\.md(?:, \"[^\"]*\",)?|Equations?|equations?)\s+(?:(?:///?|\*|#)\s+)?({NUMBERS})")


def equations_of(text):
    return re.findall(rf"^ {{4,}}\S.*? {NUMBER}$", text, re.MULTILINE)


def key(number):
    return int(re.match(r"\d+", number)[0]), number.lstrip("0123456789")


def references_of(name, text):
    """(line, number) of each."""
    if name == DOCUMENT:
        places = [(m.start(), m[1]) for m in re.finditer(rf"(?<![\w)]){NUMBER}", text)]
    else:
        places = [(m.start(), number) for m in REFERENCE.finditer(text)
                  for number in re.findall(NUMBER, m[1])]
    return [(text.count("\n", 0, start) + 1, number) for start, number in places]


def check(texts):
    equations = equations_of(texts[DOCUMENT])
    problems = []
    for before, number in zip(equations, equations[1:]):
        if key(number) <= key(before):
            problems.append(f"{DOCUMENT}: equation ({number}) comes after ({before})")
    for name, text in texts.items():
        for line, number in references_of(name, text):
            if number not in equations:
                problems.append(f"{name}:{line}: there is no equation ({number}) in {DOCUMENT}")
    return problems


def main():
    wanted = re.compile(r"(src|include|tools|tests|benchmarks|viewer/src|docs|examples)/.*\.(hpp|cpp|ts|py|md|txt)$")
    finish(check({name: read(name) for name in project_files()
                  if wanted.match(name) and not name.startswith("tests/lint/")}), "equations")


if __name__ == "__main__":
    main()
