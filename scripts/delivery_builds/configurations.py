# SPDX-License-Identifier: MIT
"""The configurations of a compiler, and what is known to go wrong in each because the binary does not tell."""

# What is wrong because the binary does not tell: {name of a link: {situation: cause}}.
C_UNDER_LTO = {name: "C or -fno-exceptions code merged by link-time optimisation" for name in (
    "c_library_callback", "c_library_callback_block", "c_library_callback_under_cxx_frames",
    "no_exceptions_without_tables")}
NO_SYMBOLS = {name: "stripped: no symbol says that it is C, or an initialiser" for name in (
    "c_library_callback", "c_library_callback_block", "c_library_callback_under_cxx_frames",
    "thread_local_dynamic_init", "thread_local_string", "thread_local_of_the_same_file")}
# Of libc++, whatever throws; and situations that are about what libstdc++ allocates or swallows.
OF_LIBCXX = {
    "deque_copy": "libc++'s deque does not destroy what it has copied when a copy throws",
    **dict.fromkeys(("pthread_cancel_destructor_allocates", "pthread_exit_catch_all_allocates",
                     "pthread_exit_destructor_allocates", "pthread_exit_noexcept_false_destructor"),
                    "with Debian's libc++ and libunwind pthread_exit crashes, without memprof, too")}
NOT_OF_LIBCXX = {"filesystem_path", "istream_extract_number", "ostringstream_grow", "promise_constructor",
                 "variant_emplace_valueless"}


class Configuration:
    """How to build it, and which wrong verdicts are known. The flags are those of compiling C++ and C
    with optimisation, and of linking."""

    def __init__(self, toolchain, level, kind, cxx=(), c=(), link=(), strip=None, known=None):
        self.toolchain, self.level, self.kind = toolchain, level, kind
        self.cxx, self.c, self.link, self.strip = list(cxx), list(c), list(link), strip
        self.known = dict(known or {})
        if toolchain.name.startswith("clang++ 16."):
            self.known.setdefault("coroutine_after_yield",
                                  "clang destroys locals of a coroutine twice when unhandled_exception "
                                  "rethrows, whatever was thrown")
        self.without = set()
        if toolchain.library.startswith("libc++"):
            self.known.update(OF_LIBCXX)
            self.without = NOT_OF_LIBCXX
        self.labels = [toolchain.name, toolchain.library, level, kind]
        self.name = " ".join(self.labels)


def configurations(toolchain, all_links):
    if not all_links:
        return [Configuration(toolchain, "-O0", "dynamic"), Configuration(toolchain, "-O2", "dynamic")]
    result = []
    for level in ("-O0", "-O1", "-O2", "-O3"):
        result += [
            Configuration(toolchain, level, "dynamic"),
            Configuration(toolchain, level, "shared"),
            Configuration(toolchain, level, "static", link=["-static", "-Wl,--eh-frame-hdr"])]
    lto = "-flto=thin" if toolchain.is_clang else "-flto"
    return result + [
        Configuration(toolchain, "-O2", "lto", [lto], [lto], [lto], known=C_UNDER_LTO),
        Configuration(toolchain, "-O2", "lto, C apart", [lto], [], [lto]),
        Configuration(toolchain, "-O2", "stripped", strip="--strip-all", known=NO_SYMBOLS),
        Configuration(toolchain, "-O2", "debug stripped", strip="--strip-debug")]
