# SPDX-License-Identifier: MIT
"""The fast paths of a hooked function: from its entry to the real allocator, and back if it comes back.

A fast path calls, or ends in a jump to, a function through the table of real functions (the only calls
through a pointer in these functions), and calls nothing else, not even libgcc. At a branch both sides
are followed; a side that enters code named `...slow`, `...cold` or the like, or calls another function,
is no fast path. What is left is listed, all of it: where there is more than one (aligned `operator new`
takes malloc for small alignments), each is a line in the golden file.
"""

import collections
import re

# What a path is measured by. `shared`: memory that is neither this thread's nor on its stack.
Cost = collections.namedtuple("Cost", "instructions thread stack shared locks")
COLD = re.compile(r"slow|\.cold|ask_new_handler")
MOST = 100  # instructions of a path that are followed: a longer one is none that is fast


def add(cost, step):
    where = step.written()
    return Cost(cost.instructions + (not step.is_padding()),
                cost.thread + (where == "thread"), cost.stack + (where == "stack"),
                cost.shared + (where == "shared"), cost.locks + step.locked)


def walk(code, address, cost, reached, found, registers):
    """Follows one way from `address`; appends to `found` what ends as a fast path."""
    while cost.instructions <= MOST and address in code.at:
        step = code.instruction(address, registers)
        if COLD.search(step.function):
            return
        cost = add(cost, step)
        address = code.following.get(step.address)
        if registers is not None:
            registers = registers.after(step)
        if step.is_return():
            if reached:
                found.append(cost)
            return
        if step.is_call():
            if step.is_real():
                reached = True
            else:
                return
        elif step.is_jump():
            if step.target is None:
                if step.is_real():
                    found.append(cost)
                return
            address = step.target
        elif step.is_branch():
            walk(code, step.target, cost, reached, found, registers)


def fast_paths(code, name, counts):
    """The fast paths of the function `name`, the cheapest first. `counts`: it allocates, so that a way
    that does not write the thread's countdown (wrong arguments) is none."""
    found = []
    walk(code, code.entries[name], Cost(0, 0, 0, 0, 0), False, found, code.registers)
    return sorted({cost for cost in found if cost.thread > 0 or not counts})
