// SPDX-License-Identifier: MIT
/** Sums of chosen blocks by group: allocated, in use at the end, at the peak of what is chosen. */
import type { Amount, PackedAmount, PackedSum, Sum, Value } from "../api";
import { type Index, staysToTheEnd } from "./index";
import type { Chosen } from "./selection";

export const valueIndex: Record<Value, number> = { allocated: 0, in_use: 1, peak: 2 };

/** Samples, blocks, objects they stand for and the spread of that, for `groups` groups and three values. */
export class Sums {
  readonly cells: Float64Array;
  /** picked: not only the third value is of the peak (Intervals). */
  constructor(
    readonly groups: number,
    readonly picked = false,
  ) {
    this.cells = new Float64Array(groups * 12);
  }
  /** So many samples of a block. */
  add(index: Index, group: number, value: number, object: number, samples: number): void {
    const at = group * 12 + value * 4;
    this.cells[at] += samples;
    this.cells[at + 1] += 1;
    const weight = index.weight(object);
    this.cells[at + 2] += samples * weight;
    this.cells[at + 3] += samples * weight * weight;
  }
  /** Its samples as the peak counts them: each half at the last moment at which the other had most. */
  addAtPeak(index: Index, group: number, value: number, object: number, chosen: Chosen, peak: Peaks): void {
    if (index.exact) {
      if (livesAt(chosen, object, peak.first)) {
        this.add(index, group, value, object, chosen.samples[object]);
      }
      return;
    }
    const [first, second] = [index.first[object], index.second[object]];
    if (first > 0 && livesAt(chosen, object, peak.second)) this.add(index, group, value, object, first);
    if (second > 0 && livesAt(chosen, object, peak.first)) this.add(index, group, value, object, second);
  }
  /** Adds the sums of one group to those of another. */
  fold(from: number, to: number): void {
    for (let k = 0; k < 12; ++k) this.cells[to * 12 + k] += this.cells[from * 12 + k];
  }
  addFrom(other: Sums, from: number, to: number): void {
    for (let k = 0; k < 12; ++k) this.cells[to * 12 + k] += other.cells[from * 12 + k];
  }
  samples(group: number, value: number): number {
    return this.cells[group * 12 + value * 4];
  }
  packed(index: Index, group: number, value: number): PackedAmount {
    const at = group * 12 + value * 4;
    const picked = this.picked || value === 2;
    const bytes = index.intervals.bytes(this.cells[at], picked);
    const [samples, blocks, estimate, spread] = this.cells.subarray(at, at + 4);
    const objects = index.intervals.objects(samples, blocks, estimate, spread, picked);
    return [samples, blocks, ...bytes, ...objects];
  }
  packedSum(index: Index, group: number): PackedSum {
    return [0, 1, 2].map((v) => this.packed(index, group, v)) as PackedSum;
  }
  amount(index: Index, group: number, value: number): Amount {
    const [samples, blocks, b0, b1, b2, o0, o1, o2] = this.packed(index, group, value);
    return { samples, blocks, bytes: [b0, b1, b2], objects: [o0, o1, o2] };
  }
  sum(index: Index, group: number): Sum {
    return {
      allocated: this.amount(index, group, 0),
      in_use: this.amount(index, group, 1),
      peak: this.amount(index, group, 2),
    };
  }
}

/** Of each half of the samples, the last event after which it has most: analysis::live_peak. */
export interface Peaks {
  first: number;
  second: number;
}
/** And the first one after which all samples together are most, in the order of the file. */
export interface ChosenPeak extends Peaks {
  event: number;
  time_us: number;
  samples: number;
}

/** After this event. */
export function livesAt({ residence: r }: Chosen, i: number, event: number): boolean {
  return r.bornEvent[i] <= event && r.goneEvent[i] > event;
}

/** What is live of each half, and the last event after which that was most; the first one if nothing is random. */
export class HalfCurve {
  private now = 0;
  private most = 0;
  at = -1;
  constructor(private readonly exact: boolean) {}
  change(samples: number, event: number): void {
    this.now += samples;
    if (this.now < this.most || (this.exact && this.now === this.most)) return;
    this.most = this.now;
    this.at = event;
  }
}

/** births(k, block) for each that comes, deaths for each that goes, as the file has them. */
export function replay(
  index: Index, chosen: Chosen, births: (event: number, i: number) => void, deaths: (event: number, i: number) => void,
): void {
  const { order } = index;
  const { mask, residence: r } = chosen;
  // Where all heaps are chosen each kind of event is what it says.
  const whole = r.born === index.born;
  for (let k = 0; k < order.length; ++k) {
    const i = order[k] >>> 2;
    if (mask[i] === 0) continue;
    const kind = order[k] & 3;
    if (whole ? kind === 0 : r.bornEvent[i] === k) births(k, i);
    else if (whole ? kind === 2 : r.goneEvent[i] === k) deaths(k, i);
  }
}

export function peakOf(index: Index, chosen: Chosen): ChosenPeak {
  const { samples } = chosen;
  const [first, second] = [new HalfCurve(index.exact), new HalfCurve(index.exact)];
  let now = 0;
  let most = 0;
  let event = -1;
  replay(
    index, chosen,
    (k, i) => {
      first.change(index.first[i], k);
      second.change(index.second[i], k);
      now += samples[i];
      if (now > most) {
        most = now;
        event = k;
      }
    },
    (k, i) => {
      first.change(-index.first[i], k);
      second.change(-index.second[i], k);
      now -= samples[i];
    },
  );
  const time_us = event < 0 ? 0 : chosen.residence.born[index.order[event] >>> 2];
  return { first: first.at, second: second.at, event, time_us, samples: most };
}

/** A selection looked at: its blocks, its peak, and how much there is in all. */
export class View {
  readonly peak: ChosenPeak;
  readonly total: Sums;
  /** Of the blocks of each stack, which answers add up as they need. */
  readonly byNode: Sums;
  constructor(
    readonly index: Index,
    readonly chosen: Chosen,
  ) {
    this.peak = peakOf(index, chosen);
    this.byNode = this.sumByNode();
    this.total = this.sumBy(1, new Uint8Array(index.nodes));
  }
  inUse(i: number): boolean {
    const r = this.chosen.residence;
    return staysToTheEnd(this.index, r.born[i], r.gone[i], r.goneEvent[i]);
  }
  private sumByNode(): Sums {
    const { index } = this;
    const { objects, picked, samples } = this.chosen;
    const sums = new Sums(index.nodes, picked);
    const { stack } = index;
    for (let k = 0; k < objects.length; ++k) {
      const i = objects[k];
      sums.add(index, stack[i], 0, i, samples[i]);
      if (this.inUse(i)) sums.add(index, stack[i], 1, i, samples[i]);
      // The blocks that were chosen by the peak are those of the peak.
      if (picked) sums.add(index, stack[i], 2, i, samples[i]);
      else sums.addAtPeak(index, stack[i], 2, i, this.chosen, this.peak);
    }
    return sums;
  }
  /** By the group of each node of the tree of stacks; -1: in none. */
  sumBy(groups: number, groupOf: ArrayLike<number>): Sums {
    const sums = new Sums(groups, this.chosen.picked);
    for (let node = 0; node < this.index.nodes; ++node) {
      const g = groupOf[node];
      if (g >= 0 && this.byNode.cells[node * 12 + 1] > 0) sums.addFrom(this.byNode, node, g);
    }
    return sums;
  }
}
