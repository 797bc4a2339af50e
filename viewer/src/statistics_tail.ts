// SPDX-License-Identifier: MIT
/** Parts of memprof/detail/binomial_tail.hpp in doubles: what a tail is to the mass at its end. */

const nodes = [
  0.0008811451447203998, 0.004636880650271497, 0.01137002500811287, 0.0210415903931041721,
  0.03359359586066173332, 0.04895059651556285, 0.06702024839387025, 0.0876938845833441684,
  0.1108471742867403, 0.13634087240503645, 0.1640216576929102, 0.193723055166009881,
  0.2252664374524359, 0.2584620991569106, 0.2931103978141975, 0.3290029545871207635,
  0.3659239074963731594, 0.40365120964931445, 0.44195796466237239, 0.480613791246974589,
];
const weights = [
  0.002260638549266596, 0.005249142265576407, 0.008210529190953944, 0.01112292459708347863,
  0.0139685034900117, 0.0167300976412739237, 0.01939108398723600882, 0.021935454092836636,
  0.02434790381753611603, 0.02661392349196841218, 0.02871988454969577568, 0.03065312124646447,
  0.03240200672830052, 0.03395602290761695, 0.03530582369564339, 0.03644329119790203,
  0.0373615845289841321, 0.0380551809503131, 0.0385199090821239828, 0.0387529739892124,
];

const factorialRest = [
  0, 0.08106146679532726, 0.0413406959554093, 0.02767792568499834, 0.02079067210376509,
  0.01664469118982119, 0.013876128823070748, 0.01189670994589177, 0.010411265261972096,
  0.009255462182712733, 0.008330563433362871, 0.00757367548795184, 0.00694284010720953,
  0.006408994188004207, 0.00595137011275885, 0.0055547335519628,
];

/** log k! less Stirling's leading terms. */
export function stirlingRest(k: number): number {
  if (k < 16) return factorialRest[k];
  const r = 1 / k;
  const y = r * r;
  const inner = 1 / 1680 - y * (1 / 1188 - (y * 691) / 360360);
  return r * (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y * inner)));
}

/** log(1 + x) - x, without loss near 0. */
export function log1pMinus(x: number): number {
  if (Math.abs(x) > 0.3) return Math.log1p(x) - x;
  // With r = x / (2 + x): log(1 + x) = 2 (r + r^3/3 + r^5/5 + ...), and 2 r - x = -r x.
  const r = x / (2 + x);
  const s = r * r;
  let sum = 0;
  for (let i = 25; i >= 3; i -= 2) sum = sum * s + 1 / i;
  return -r * x + 2 * r * s * sum;
}

/** x log(x/m) + m - x: what the mass at x loses by not being at the mean m (Loader 2000). */
export function deviance(x: number, m: number): number {
  if (x === 0) return m;
  const d = (m - x) / x;
  return -x * log1pMinus(d);
}

/** The integral of exp(f) over (0, 1), f(u) = a log(1-u) + b log(1+ru) with slope -s at 0. */
export function tailIntegral(a: number, b: number, r: number, s: number): number {
  const f = (u: number) =>
    -s * u + (a > 0 ? a * log1pMinus(-u) : 0) + (b > 0 ? b * log1pMinus(r * u) : 0);
  const deep = 40;
  let end = 1;
  if (s > 0 && deep < s * end) end = deep / s;
  if (a > 0 && 2 * deep < a * end * end) end = Math.sqrt((2 * deep) / a);
  if (b > 0) {
    const x = (2 * deep + Math.sqrt(4 * deep * deep + 18 * b * deep)) / (3 * b);
    if (x < r * end) end = x / r;
  }
  for (let i = 0; i < 60 && end < 1; ++i) {
    const value = f(end);
    if (value > -60) break;
    const slope = -s - (a * end) / (1 - end) - (b * r * r * end) / (1 + r * end);
    end -= (value + deep) / slope;
  }
  let sum = 0;
  for (let i = 0; i < nodes.length; ++i) {
    sum += weights[i] * (Math.exp(f(end * nodes[i])) + Math.exp(f(end * (1 - nodes[i]))));
  }
  return end * sum;
}
