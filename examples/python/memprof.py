# SPDX-License-Identifier: MIT
"""Limits for blocks of Python: docs/languages.md.

    import memprof

    with memprof.limit(memory="200 MiB"):
        answer = query(untrusted)          # MemoryError if it takes more; the interpreter goes on

Run Python under the preload library: LD_PRELOAD=libmemprof-preload.so PYTHONMALLOC=malloc python3 ... . With
PYTHONMALLOC=malloc each object counts. Without it objects of up to 512 bytes lie in arenas that Python maps itself,
which no limit sees; larger ones, and what extensions take from malloc, count all the same.
"""

import ctypes
import re

OK, LIMIT_HIT, INVALID, NOT_ACTIVE, NO_MEMORY, SYSTEM_ERROR = 0, 1, -1, -2, -3, -4
KINDS = ("allocations", "memory", "global memory", "token", "deadline")
SERVE, REFUSE, REFUSE_LARGE, REFUSE_WITH_GRACE = 0, 1, 2, 3
_UNITS = {"B": 1, "kB": 1000, "MB": 1000**2, "GB": 1000**3, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


class LimitHit(MemoryError):
    """A limit was hit, and no MemoryError left the block: it ended in time, or swallowed it."""

    def __init__(self, message, kind):
        super().__init__(message)
        self.kind = kind


class _Limits(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("allocations", ctypes.c_int64), ("memory", ctypes.c_int64),
                ("time", ctypes.c_int64), ("token", ctypes.c_void_p), ("cancel_if", ctypes.c_void_p),
                ("cancel_context", ctypes.c_void_p), ("soft", ctypes.c_void_p), ("soft_context", ctypes.c_void_p),
                ("soft_fraction", ctypes.c_double), ("false_interrupt_probability", ctypes.c_double),
                ("count", ctypes.c_int), ("malloc_after_hit", ctypes.c_int), ("explain", ctypes.c_uint),
                ("global_memory", ctypes.c_bool), ("strict", ctypes.c_bool)]


class _Error(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("message", ctypes.c_void_p), ("message_size", ctypes.c_size_t),
                ("kind", ctypes.c_int), ("limit", ctypes.c_int64), ("measured", ctypes.c_int64),
                ("refused_request", ctypes.c_int64), ("overshoot", ctypes.c_int64), ("interrupts", ctypes.c_uint64),
                ("deferrals", ctypes.c_uint64), ("refusals", ctypes.c_uint64), ("started", ctypes.c_bool),
                ("allocated", ctypes.c_int64)]


def _functions():
    library = ctypes.CDLL(None)  # the preload library's, or those of a program that embeds Python
    if not hasattr(library, "memprof_begin"):
        raise ImportError("memprof is not in this process: LD_PRELOAD=libmemprof-preload.so python3 ...")
    pointer = ctypes.POINTER
    library.memprof_begin.argtypes = [pointer(_Limits), pointer(ctypes.c_void_p), pointer(_Error)]
    library.memprof_end.argtypes = [ctypes.c_void_p, pointer(_Error)]
    library.memprof_should_stop.restype = ctypes.c_bool
    library.memprof_version.restype = ctypes.c_char_p
    return library


_library = _functions()


def version():
    return _library.memprof_version().decode()


def should_stop():
    """Whether a limit around this code was hit: for loops that allocate little."""
    return _library.memprof_should_stop()


def in_bytes(amount):
    """4096, "200 MiB", "1.5GB"."""
    if isinstance(amount, int):
        return amount
    found = re.fullmatch(r"\s*([0-9.]+)\s*([kKMG]?i?B)\s*", amount)
    if not found or found[2] not in _UNITS:
        raise ValueError(f"not an amount: {amount!r}")
    return int(float(found[1]) * _UNITS[found[2]])


class limit:
    """A context manager: limits on what its block takes, on this thread.

    memory, allocations: amounts; time: seconds. The limit that was hit gives null to whoever asks malloc, which Python
    and its extensions report as MemoryError. That leaves the block as always, with the limit's message as a note
    (Python 3.11). If the block has swallowed it, or ended although its time was over, LimitHit is raised behind it.
    After each null 80 kB are served, so that the interpreter can report the error and end the block; code that
    swallows it and goes on gets the next one then.
    """

    def __init__(self, memory=None, allocations=None, time=None, after_hit=REFUSE_WITH_GRACE):
        def amount(given):
            return -1 if given is None else in_bytes(given)

        self._limits = _Limits(ctypes.sizeof(_Limits), amount(allocations), amount(memory),
                               -1 if time is None else int(time * 1e9), soft_fraction=0.8,
                               malloc_after_hit=after_hit, strict=time is not None)
        # All that the end needs: it asks for little memory.
        self._text = ctypes.create_string_buffer(400)
        self._error = _Error(ctypes.sizeof(_Error), ctypes.addressof(self._text), 400)
        self._scope = ctypes.c_void_p()
        self._end = _library.memprof_end
        self._by_reference = ctypes.byref(self._error)

    def __enter__(self):
        if self._scope.value:
            raise RuntimeError("this limit is in force already: make another one")
        status = _library.memprof_begin(self._limits, self._scope, self._by_reference)
        if status == LIMIT_HIT:
            raise LimitHit(self.message, self.kind)
        if status != OK:
            raise (RuntimeError if status == NOT_ACTIVE else ValueError)(self.message)
        return self

    def __exit__(self, kind, error, traceback):
        tries = 0
        while True:
            try:
                status = self._end(self._scope, self._by_reference)
                break
            except (MemoryError, ctypes.ArgumentError):
                tries += 1  # the first null came just here; a grace follows it
                if tries == 10:
                    raise  # a limit around this one refuses all
        self._scope.value = None
        if status != LIMIT_HIT:
            return False
        if isinstance(error, MemoryError):
            if hasattr(error, "add_note"):
                error.add_note(self.message)
            return False
        if error is None:
            raise LimitHit(self.message, self.kind)
        return False

    @property
    def message(self):
        return self._text.value.decode(errors="replace")

    @property
    def kind(self):
        return KINDS[self._error.kind]

    @property
    def measured(self):
        return self._error.measured

    @property
    def allocated(self):
        """Bytes that the block has allocated, exactly."""
        return self._error.allocated
