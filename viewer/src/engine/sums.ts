// SPDX-License-Identifier: MIT
/** Sums of chosen blocks by group: allocated, in use at the end, at the peak of what is chosen. */
import type { Amount, PackedAmount, PackedSum, Sum, Value } from "../api";
import { type Index, never } from "./index";
import type { Chosen } from "./selection";

export const valueIndex: Record<Value, number> = { allocated: 0, in_use: 1, peak: 2 };

/** Samples, blocks, objects they stand for and the spread of that, for `groups` groups and three values. */
export class Sums {
  readonly cells: Float64Array;
  constructor(readonly groups: number) {
    this.cells = new Float64Array(groups * 12);
  }
  add(index: Index, group: number, value: number, object: number): void {
    const at = group * 12 + value * 4;
    this.cells[at] += index.samples[object];
    this.cells[at + 1] += 1;
    this.cells[at + 2] += index.weight[object];
    this.cells[at + 3] += index.spread[object];
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
    const bytes = index.intervals.bytes(this.cells[at]);
    const [samples, blocks, estimate, spread] = this.cells.subarray(at, at + 4);
    const objects = index.intervals.objects(samples, blocks, estimate, spread);
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

/** When most of the chosen blocks was in use, in the order of the file. */
export interface ChosenPeak {
  event: number;
  time_us: number;
  samples: number;
}

/** Which objects are chosen, as a mask. */
export function maskOf(index: Index, chosen: Chosen): Uint8Array {
  const mask = new Uint8Array(index.objects);
  for (const i of chosen.objects) mask[i] = 1;
  return mask;
}

export function peakOf(index: Index, chosen: Chosen): ChosenPeak {
  const mask = maskOf(index, chosen);
  const r = chosen.residence;
  const peak: ChosenPeak = { event: -1, time_us: 0, samples: 0 };
  let now = 0;
  for (const entry of index.order) {
    const kind = entry % 4;
    const i = (entry - kind) / 4;
    if (mask[i] === 0) continue;
    const event =
      kind === 0
        ? index.born_event[i]
        : kind === 1
          ? index.promoted_event[i]
          : index.gone_event[i];
    if (event === r.bornEvent(i)) {
      now += index.samples[i];
      if (now > peak.samples) {
        peak.samples = now;
        peak.event = event;
        peak.time_us = r.born(i);
      }
    } else if (event === r.goneEvent(i)) {
      now -= index.samples[i];
    }
  }
  return peak;
}

/** A selection looked at: its blocks, its peak, and how much there is in all. */
export class View {
  readonly peak: ChosenPeak;
  readonly total: Sums;
  constructor(
    readonly index: Index,
    readonly chosen: Chosen,
  ) {
    this.peak = peakOf(index, chosen);
    this.total = this.sumBy(1, () => 0);
  }
  inUse(i: number): boolean {
    return this.chosen.residence.goneEvent(i) === never;
  }
  atPeak(i: number): boolean {
    const r = this.chosen.residence;
    return r.bornEvent(i) <= this.peak.event && r.goneEvent(i) > this.peak.event;
  }
  /** -1: in no group. */
  sumBy(groups: number, groupOf: (object: number) => number): Sums {
    const sums = new Sums(groups);
    for (const i of this.chosen.objects) {
      const g = groupOf(i);
      if (g < 0) continue;
      sums.add(this.index, g, 0, i);
      if (this.inUse(i)) sums.add(this.index, g, 1, i);
      if (this.atPeak(i)) sums.add(this.index, g, 2, i);
    }
    return sums;
  }
}
