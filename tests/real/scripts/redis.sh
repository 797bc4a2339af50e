#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# needs: redis-server redis-cli redis-benchmark
set -euo pipefail
start() {
  redis-server --port 0 --unixsocket "$PWD/s" --dir "$PWD" --save '' --enable-debug-command yes --daemonize no > log 2>&1 &
  for _ in $(seq 600); do redis-cli -s s ping > /dev/null 2>&1 && break; sleep 0.05; done
}
start
redis-benchmark -s s -q -n 4000 -c 20 -P 4 -t set,get,incr,lpush,rpop,sadd,hset,zadd,lrange_100 > /dev/null
for i in $(seq 1 3000); do
  echo "set key:$i value:$i"; echo "lpush list:$((i % 50)) $i"; echo "hset hash:$((i % 20)) f$i $i"; echo "zadd z $i m$i"
done | redis-cli -s s > /dev/null
redis-cli -s s del counter:__rand_int__ key:__rand_int__ > /dev/null
redis-cli -s s dbsize
redis-cli -s s debug digest
redis-cli -s s eval 'local n = 0 for i = 1, 1000 do n = n + #redis.call("get", "key:" .. i) end return n' 0
redis-cli -s s bgsave > /dev/null
for _ in $(seq 600); do
  [[ $(redis-cli -s s info persistence) == *rdb_bgsave_in_progress:0* ]] && break
  sleep 0.05
done
redis-cli -s s info persistence | grep -o 'rdb_last_bgsave_status:ok'
redis-cli -s s shutdown nosave
wait
start
redis-cli -s s debug digest
redis-cli -s s shutdown nosave
wait
