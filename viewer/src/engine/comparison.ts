// SPDX-License-Identifier: MIT
/** Two selections whose amounts are compared. */
import type { Value } from "../api";
import { chanceOfDifference, chanceOfShares, varianceOfSample } from "../statistics";
import { type View, valueIndex } from "./sums";
import type { Grouping } from "./table";

export interface DiffOptions {
  by: Grouping;
  compare: "self" | "total" | "paths";
  value: Value;
  normalize: "none" | "total" | "duration";
  least: number;
  limit: number;
}
function scaleOf(view: View, first: View, o: DiffOptions): number {
  const bytes = view.index.intervals.bytesPerSample;
  const value = valueIndex[o.value];
  if (o.normalize === "total") {
    const own = view.total.samples(0, value) * bytes;
    const wanted = first.total.samples(0, value) * first.index.intervals.bytesPerSample;
    return own > 0 ? (bytes * wanted) / own : bytes;
  }
  const duration = view.index.trace.duration_us;
  return o.normalize === "duration" && duration > 0 ? (bytes * 1e6) / duration : bytes;
}

/** What samples stand for on one side, and how they vary. */
interface Side {
  scale: number;
  /** Of a count, over its mean. */
  variance: number;
  whole: number;
}

/** Two counts as amounts, and what of their difference may be chance: analysis::compare. */
export class Comparison {
  readonly before: Side;
  readonly after: Side;
  constructor(
    before: View,
    after: View,
    readonly o: DiffOptions,
  ) {
    const side = (view: View): Side => ({
      scale: scaleOf(view, before, o),
      variance: varianceOfSample(view.index.trace.sample_rate, view.chosen.picked || o.value === "peak"),
      whole: view.total.samples(0, valueIndex[o.value]),
    });
    this.before = side(before);
    this.after = side(after);
  }
  /** The standard error of the difference. */
  error(b: number, a: number): number {
    const of = (n: number, { scale, variance, whole }: Side) => {
      const shared = this.o.normalize === "total" && whole > 0 ? 1 - n / whole : 1;
      return n * shared * variance * scale ** 2;
    };
    return Math.sqrt(of(b, this.before) + of(a, this.after));
  }
  /** Of a difference as large as this if both runs did the same. At rate 1 there is no error. */
  chance(b: number, a: number): number {
    const [before, after] = [this.before, this.after];
    const shares = this.o.normalize === "total";
    if (this.error(b, a) <= 0) {
      const same = shares ? b * after.whole === a * before.whole : b * before.scale === a * after.scale;
      return same || (shares && b === before.whole && a === after.whole) ? 1 : 0;
    }
    const poisson = (n: number, { variance }: Side) => (variance <= 1 ? n : Math.round(n / variance));
    if (shares) {
      return chanceOfShares(
        poisson(a, after), poisson(after.whole, after), poisson(b, before), poisson(before.whole, before),
      );
    }
    return chanceOfDifference(
      poisson(a, after), after.scale * Math.max(1, after.variance),
      poisson(b, before), before.scale * Math.max(1, before.variance),
    );
  }
}
