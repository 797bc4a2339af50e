#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# needs: nginx python3
set -euo pipefail
chmod 755 .
mkdir -p files
for i in 1 100 10000 200000; do head -c "$i" < <(yes "line of $i") > "files/$i"; done
cat > conf <<CONF
daemon off; pid $PWD/pid; error_log $PWD/errors; worker_processes 2;
events { worker_connections 128; }
http {
  access_log off; gzip on; gzip_min_length 100; gzip_types *; client_body_temp_path $PWD/b; proxy_temp_path $PWD/p;
  fastcgi_temp_path $PWD/f; uwsgi_temp_path $PWD/u; scgi_temp_path $PWD/c;
  server { listen unix:$PWD/s; root $PWD/files; location /back/ { proxy_pass http://unix:$PWD/s:/; } }
}
CONF
[[ $(id -u) == 0 ]] && sed -i '1s/^/user root; /' conf
nginx -e "$PWD/errors" -p "$PWD" -c "$PWD/conf" &
server=$!
for _ in $(seq 600); do [[ -S s ]] && break; sleep 0.05; done
cat > load.py <<'PY'
import hashlib, http.client, os, signal, socket, sys, threading
class Unix(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect("s")
def client(t, out):
    digest, status = hashlib.sha256(), {}
    c = Unix("x")
    for i in range(150):
        name = ["1", "100", "10000", "200000", "none", "back/10000"][i % 6]
        c.request("GET", "/" + name, headers={"Accept-Encoding": "gzip"} if i % 4 == 0 else {})
        r = c.getresponse()
        digest.update(r.read())
        status[r.status] = status.get(r.status, 0) + 1
    out[t] = digest.hexdigest(), sorted(status.items())
out = {}
threads = [threading.Thread(target=client, args=(t, out)) for t in range(6)]
for t in threads: t.start()
for t in threads: t.join()
for t in sorted(out): print(t, *out[t])
PY
env -u LD_PRELOAD -u MEMPROF_RECORDER python3 load.py
kill -HUP "$(cat pid)"
sleep 0.3
env -u LD_PRELOAD -u MEMPROF_RECORDER python3 load.py
kill -QUIT "$(cat pid)"
wait "$server" || echo "status $?"
