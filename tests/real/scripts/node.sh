#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# needs: node
set -euo pipefail
cat > main.js <<'JS'
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');
const crypto = require('crypto'), zlib = require('zlib');
function work(n) {
  const objects = [];
  for (let i = 0; i < 4000; ++i) objects.push({ i, name: 'name ' + (i * n), list: [i, n] });
  const text = JSON.stringify(objects);
  const packed = zlib.gzipSync(text);
  return crypto.createHash('sha256').update(zlib.gunzipSync(packed)).digest('hex');
}
if (isMainThread) {
  const results = [];
  for (let w = 0; w < 4; ++w) {
    const worker = new Worker(__filename, { workerData: w });
    worker.on('message', (m) => { results[w] = m; });
    worker.on('exit', (code) => { if (code !== w) throw new Error('exit ' + code); if (w === 3) setTimeout(() => {
      console.log(results.join('\n')); console.log(work(9)); process.exitCode = 5; }, 300); });
  }
} else {
  parentPort.postMessage(work(workerData));
  process.exitCode = workerData;
}
JS
sed -i 's/setTimeout(() => {/setImmediate(() => {/; s/}, 300); });/}); });/' main.js
sed -i 's/if (w === 3) setImmediate/if (++ended === 4) setImmediate/; s/const results = \[\];/const results = []; let ended = 0;/' main.js
node main.js || echo "status $?"
