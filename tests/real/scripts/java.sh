#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# needs: java javac
set -euo pipefail
cat > Main.java <<'JAVA'
import java.util.*;
import java.util.concurrent.*;
public class Main {
  public static void main(String[] a) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(4);
    List<Future<Integer>> parts = new ArrayList<>();
    for (int t = 0; t < 8; ++t) {
      final int n = t;
      parts.add(pool.submit(() -> {
        Map<String, Integer> words = new TreeMap<>();
        for (int i = 0; i < 20000; ++i) words.merge("w" + i * 31 % 997 + n, i, Integer::sum);
        return words.hashCode();
      }));
    }
    for (Future<Integer> part : parts) System.out.println(part.get());
    pool.shutdown();
    java.nio.ByteBuffer direct = java.nio.ByteBuffer.allocateDirect(1 << 20);
    java.util.zip.CRC32 crc = new java.util.zip.CRC32();
    crc.update(direct);
    System.out.println(crc.getValue());
    try { Object o = null; o.hashCode(); } catch (NullPointerException e) { System.out.println("null"); }
    System.exit(6);
  }
}
JAVA
java -Xmx200m Main.java || echo "status $?"
