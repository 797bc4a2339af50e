#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# needs: ruby
set -euo pipefail
ruby -e '
  words = Hash.new(0)
  3000.times { |i| "w#{i * 7919 % 613} w#{i % 97}".scan(/\w+/) { |w| words[w] += 1 } }
  p words.sort_by { |w, n| [-n, w] }.first(10)
  p (1..6).map { |t| Thread.new { (1..2000).map { |k| "#{t}-#{k}" }.join.hash ? t : 0 } }.map(&:value)
  GC.start; GC.compact if GC.respond_to?(:compact)
  f = Fiber.new { |x| loop { x = Fiber.yield(x * 2) } }
  p (1..100).map { |i| f.resume(i) }.sum
  pid = fork { exit 4 }; Process.wait(pid); p $?.exitstatus
  begin; raise ArgumentError, "x"; rescue => e; p e; end'
