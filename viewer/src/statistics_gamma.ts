// SPDX-License-Identifier: MIT
/** memprof/detail/gamma_law.hpp: quantiles of the gamma law, for shapes of 1 or more. */
import { log1pMinus, tailIntegral } from "./statistics_tail";

/** log(x^a e^-x / Gamma(a+1)). */
function logPoissonMass(a: number, x: number): number {
  let shifted = a;
  let product = 1;
  while (shifted < 16) {
    shifted += 1;
    product *= shifted;
  }
  const r = 1 / shifted;
  const y = r * r;
  const rest = r * (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y * (1 / 1680 - y / 1188))));
  const atMode = -0.5 * (1.8378770664093455 + Math.log(shifted)) - rest;
  if (product === 1) return atMode + a * log1pMinus((x - a) / a);
  const logGamma = shifted * Math.log(shifted) - shifted - atMode - Math.log(product);
  return a * Math.log(x) - x - logGamma;
}

/** The tail over the mass, by a series, a continued fraction, or the integral of the binomial. */
function ratioToMass(a: number, x: number, lower: boolean): number {
  if (a >= 30) {
    const reach = 64;
    return lower
      ? a * tailIntegral(a - 1, 0, 1, a - 1 - x)
      : a * reach * tailIntegral(0, a - 1, reach, (x - a + 1) * reach);
  }
  if (lower) {
    let ratio = 0;
    let term = 1;
    for (let n = 1; n < 500 && term > 1e-17 * ratio; ++n) {
      ratio += term;
      term *= x / (a + n);
    }
    return ratio;
  }
  let b = x + 1 - a;
  let c = 1e300;
  let d = 1 / b;
  let h = d;
  for (let i = 1; i < 500; ++i) {
    const numerator = -i * (i - a);
    b += 2;
    d = 1 / (numerator * d + b);
    c = b + numerator / c;
    h *= c * d;
    if (Math.abs(c * d - 1) < 1e-16) break;
  }
  return a * h;
}

function roughNormalQuantile(t: number): number {
  if (t > 0.5) return -roughNormalQuantile(1 - t);
  const s = Math.sqrt(-2 * Math.log(t));
  const over = 2.515517 + s * (0.802853 + s * 0.010328);
  return s - over / (1 + s * (1.432788 + s * (0.189269 + s * 0.001308)));
}

/** x with P(X <= x) = t (`lower`), or P(X > x) = t; t in (0, 1/2]. */
export function gammaQuantile(a: number, t: number, lower: boolean): number {
  const logT = Math.log(t);
  const z = (lower ? -1 : 1) * roughNormalQuantile(t);
  const root = 1 - 1 / (9 * a) + z / (3 * Math.sqrt(a));
  let x = root > 0.2 ? a * root ** 3 : Math.exp((logT - logPoissonMass(a, 1) - 1) / a);
  for (let i = 0; i < 60; ++i) {
    const logMass = logPoissonMass(a, x);
    const direct = x < a + 1;
    let logTail = logMass + Math.log(ratioToMass(a, x, direct));
    if (direct !== lower) logTail = Math.log(1 - Math.exp(logTail));
    const hazard = (Math.exp(logMass - logTail) * a) / x;
    const step = (logT - logTail) / hazard;
    const next = lower
      ? x * Math.exp(Math.max(-2, Math.min(2, step / x)))
      : Math.max(x - step, 0.25 * x);
    const change = Math.abs(next - x);
    x = next;
    if (change < 1e-14 * x) break;
  }
  return x;
}
