#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# needs: openssl
set -euo pipefail
seq 1 100000 > plain
openssl enc -aes-256-cbc -pbkdf2 -S 0011223344556677 -pass pass:x -in plain -out secret
openssl enc -d -aes-256-cbc -pbkdf2 -S 0011223344556677 -pass pass:x -in secret -out again
cmp plain again
openssl dgst -sha256 -r secret plain
openssl genrsa -out key.pem 2048 2> /dev/null
openssl req -x509 -new -key key.pem -subj /CN=test -days 1 -out cert.pem
openssl verify -CAfile cert.pem cert.pem
openssl dgst -sha256 -sign key.pem -out signature plain
openssl dgst -sha256 -verify <(openssl rsa -in key.pem -pubout 2> /dev/null) -signature signature plain
