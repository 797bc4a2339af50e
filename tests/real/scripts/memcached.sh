#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# needs: memcached python3
set -euo pipefail
memcached -u "$(id -un)" -s "$PWD/s" -t 4 -m 64 &
server=$!
for _ in $(seq 600); do [[ -S s ]] && break; sleep 0.05; done
env -u LD_PRELOAD -u MEMPROF_RECORDER python3 - <<'PY'
import hashlib, socket, threading
def client(t, out):
    s = socket.socket(socket.AF_UNIX)
    s.connect("s")
    f = s.makefile("rwb")
    digest = hashlib.sha256()
    for i in range(1500):
        value = (b"%d-%d " % (t, i)) * (i % 200 + 1)
        f.write(b"set k%d-%d 0 0 %d\r\n%s\r\n" % (t, i % 300, len(value), value)); f.flush()
        assert f.readline() == b"STORED\r\n"
        f.write(b"get k%d-%d\r\n" % (t, i % 300)); f.flush()
        digest.update(f.readline()); digest.update(f.read(len(value) + 2)); f.readline()
    out[t] = digest.hexdigest()
out = {}
threads = [threading.Thread(target=client, args=(t, out)) for t in range(6)]
for t in threads: t.start()
for t in threads: t.join()
for t in sorted(out): print(t, out[t])
PY
kill -TERM "$server"
wait "$server" || echo "status $?"
