#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# needs: perl
set -euo pipefail
perl -e '
  my (%words, @lines);
  for my $i (1 .. 4000) { push @lines, join " ", map { "w" . ($i * $_ * 7919 % 613) } 1 .. 8 }
  for my $line (@lines) { $words{$_}++ for $line =~ /\w+/g }
  print join(" ", map { "$_=$words{$_}" } (sort { $words{$b} <=> $words{$a} || $a cmp $b } keys %words)[0 .. 20]), "\n";
  my $text = join "\n", @lines; my $n = () = $text =~ s/w(\d+)/<$1>/gr =~ /<\d+5>/g; print "$n\n";
  my $pid = fork(); exit 3 if !$pid; waitpid $pid, 0; print $? >> 8, "\n";
  eval { die { code => 5 } }; print $@->{code}, "\n";'
