#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# needs: python3.11
# CPython's own tests (libpython3.11-testsuite), each test's result. All objects come from malloc.
set -euo pipefail
/usr/bin/python3.11 -c 'import test.test_json' 2> /dev/null || { echo "skipped: libpython3.11-testsuite is not installed"; exit 0; }
export PYTHONMALLOC=malloc PYTHONDONTWRITEBYTECODE=1 PYTHONHASHSEED=1
modules="test_json.test_decode test_dict test_struct test_contextlib"
[[ ${REAL_SHORT:-} ]] || modules+=" test_json.test_dump test_list test_weakref test_queue test_re test_bytes test_unicode test_set test_deque test_heapq test_itertools test_functools
 test_generators test_coroutines test_descr test_class test_exceptions test_thread test_threading test_threading_local
 test_fork1 test_subprocess test_signal test_mmap test_array test_memoryview test_pickle test_copy test_csv test_configparser
 test_collections test_datetime test_decimal test_fractions test_float test_int test_long test_math test_cmath test_random
 test_statistics test_string test_textwrap test_tokenize test_ast test_compile test_symtable test_dis test_code test_codecs
 test_io test_bufio test_file test_fileio test_os test_posix test_pathlib test_tempfile test_shutil test_zipfile test_tarfile
 test_zlib test_gzip test_bz2 test_lzma test_hashlib test_hmac test_base64 test_binascii test_uuid test_socket test_selectors
 test_select test_poll test_epoll test_asyncio.test_events test_concurrent_futures test_ctypes test_sqlite3 test_xml_etree
 test_minidom test_expat test_html test_urlparse test_httplib test_email test_logging test_argparse test_enum test_dataclasses
 test_typing test_unittest test_traceback test_gc test_types test_operator test_sort test_bisect test_range test_slice"
cat > run.py <<'PY'
import sys, unittest
class result(unittest.TestResult):
    lines = []
    def note(self, test, how): self.lines.append(f"{test.id()} {how}")
    def addSuccess(self, test): self.note(test, "ok")
    def addError(self, test, error): self.note(test, "error")
    def addFailure(self, test, error): self.note(test, "failure")
    def addSkip(self, test, reason): self.note(test, "skipped")
    def addExpectedFailure(self, test, error): self.note(test, "expected failure")
r = result()
for name in sys.argv[1:]:
    try:
        suite = unittest.defaultTestLoader.loadTestsFromName("test." + name)
        suite.run(r)
    except unittest.SkipTest:
        r.lines.append(f"{name} skipped")
print("\n".join(sorted(r.lines)))
PY
# shellcheck disable=SC2086
/usr/bin/python3.11 run.py $modules 2> /dev/null
