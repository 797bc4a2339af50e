#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: bounds_reference.py > tests/unit/stats/data/far-tails.csv

Tails of the binomial law with mpmath (50 digits), at points far outside the other tables: for the
tests of the bounds. By another method than theirs: the continued fraction of the incomplete beta
function (DLMF 8.17.22), or, where that takes too long, tanh-sinh integration. A rate is
1/integer, up to 2^16, if it is the double next to that, else the exact value of the double. Takes a minute.
"""

import math
import sys

import mpmath as mp

mp.mp.dps = 50
RATES = [1e-9, 1e-6, 1e-4, 3e-4, 1e-2, 0.3, 0.5, 0.875, 0.999, 1 - 2.0**-40]
COUNTS = [1, 2, 3, 7, 30, 1000, 123456, 10**6, 10**9, 10**13, 10**17]
# Chernoff exponents: ln 1e3, ln 1e50, ln 1e300, for both sides; 0 is the mean.
DEPTHS = [0, 1, math.log(1e3), math.log(1e50), math.log(1e300)]


def chernoff(k, n, p):
    """-log of the Chernoff bound on being at k instead of np."""
    mean = n * p
    if n <= k:
        return mp.inf
    return k * mp.log(k / mean) + (n - k) * mp.log((n - k) / (n - mean))


def place(k, p, depth, upper):
    """n at which the tail at k is about exp(-depth)."""
    mean = mp.mpf(k) / p
    if depth == 0:
        return int(mean)
    low, high = (mp.mpf(k), mean) if upper else (mean, mean * 3000)
    for _ in range(300):
        middle = (low + high) / 2
        if (chernoff(k, middle, p) > depth) == upper:
            low = middle
        else:
            high = middle
    return int(low)


def continued_fraction(a, b, x):
    """I_x(a, b) / (x^a (1-x)^b / (a B(a, b))) for x < (a+1)/(a+b+2), by Lentz's method; None if long."""
    tiny = mp.mpf(10) ** -4000
    c, d = mp.mpf(1), 1 / (1 - (a + b) * x / (a + 1))
    f = d
    for m in range(1, 60_000):
        for t in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                  -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):
            d = 1 / ((1 + t * d) or tiny)
            c = (1 + t / c) or tiny
            f *= c * d
        if abs(c * d - 1) < mp.mpf(10) ** -26:
            return f
    return None


def integral(a, b, x):
    """The same by integration: a times the integral of (1-u)^(a-1) (1 + u x/(1-x))^(b-1)."""
    r = x / (1 - x)

    def exponent(u):
        return (a - 1) * mp.log1p(-u) + (b - 1) * mp.log1p(u * r)

    low, high = mp.mpf(0), mp.mpf(1) - mp.mpf(10) ** -45
    for _ in range(400):
        middle = (low + high) / 2
        if exponent(middle) < -80:
            high = middle
        else:
            low = middle
    pieces = [high * i / 6 for i in range(7)]
    with mp.workdps(60):
        total = mp.quad(lambda u: mp.exp(exponent(u)), pieces)
    return a * total / (1 - x)


def small_tail(k, n, p):
    """P(Bin(n, p) >= k) for k > np."""
    a, b = mp.mpf(k), mp.mpf(n - k + 1)
    front = mp.exp(a * mp.log(p) + b * mp.log1p(-p) + mp.loggamma(a + b) - mp.loggamma(a)
                   - mp.loggamma(b)) / a
    rest = continued_fraction(a, b, p) if n * p * (1 - p) < 3e11 else None
    return front * (rest if rest is not None else integral(a, b, p))


def main():
    print("sampling_rate,k_samples,n_words,p_interrupted,p_not_interrupted")
    for rate in RATES:
        whole = round(1 / rate)
        p = 1 / mp.mpf(whole) if whole < 65536 and 1 / whole == rate else mp.mpf(rate)
        for k in COUNTS:
            seen = set()
            for depth in DEPTHS:
                for upper in (True, False):
                    n = place(k, p, depth, upper)
                    if n < k or n > 2**62 or n in seen:
                        continue
                    seen.add(n)
                    with mp.workdps(80):
                        if k > n * p:
                            high = small_tail(k, n, p)
                            low = 1 - high
                        else:
                            low = small_tail(n - k + 1, n, 1 - p)
                            high = 1 - low
                        print(f"{rate!r},{k},{n},{mp.nstr(high, 20, min_fixed=0, max_fixed=0)},"
                              f"{mp.nstr(low, 20, min_fixed=0, max_fixed=0)}")
            print(f"rate {rate!r}, {k} samples", file=sys.stderr)


if __name__ == "__main__":
    main()
