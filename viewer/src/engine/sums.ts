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
    const weight = index.weight(object);
    this.cells[at + 2] += index.samples[object] * weight;
    this.cells[at + 3] += index.samples[object] * weight * weight;
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

/** births(k, block) for each that comes, deaths for each that goes, as the file has them. */
export function replay(
  index: Index, chosen: Chosen, births: (event: number, i: number) => void, deaths: (i: number) => void,
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
    else if (whole ? kind === 2 : r.goneEvent[i] === k) deaths(i);
  }
}

export function peakOf(index: Index, chosen: Chosen): ChosenPeak {
  const { samples } = index;
  let now = 0;
  let most = 0;
  let event = -1;
  replay(
    index, chosen,
    (k, i) => {
      now += samples[i];
      if (now > most) {
        most = now;
        event = k;
      }
    },
    (i) => {
      now -= samples[i];
    },
  );
  const time_us = event < 0 ? 0 : chosen.residence.born[index.order[event] >>> 2];
  return { event, time_us, samples: most };
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
    return this.chosen.residence.goneEvent[i] === never;
  }
  atPeak(i: number): boolean {
    const { bornEvent, goneEvent } = this.chosen.residence;
    return bornEvent[i] <= this.peak.event && goneEvent[i] > this.peak.event;
  }
  private sumByNode(): Sums {
    const { index } = this;
    const sums = new Sums(index.nodes);
    const { cells } = sums;
    const { stack, samples } = index;
    const { objects } = this.chosen;
    for (let k = 0; k < objects.length; ++k) {
      const i = objects[k];
      const n = samples[i];
      const weight = index.weight(i);
      for (let value = 0; value < 3; ++value) {
        if ((value === 1 && !this.inUse(i)) || (value === 2 && !this.atPeak(i))) continue;
        const at = stack[i] * 12 + value * 4;
        cells[at] += n;
        cells[at + 1] += 1;
        cells[at + 2] += n * weight;
        cells[at + 3] += n * weight * weight;
      }
    }
    return sums;
  }
  /** By the group of each node of the tree of stacks; -1: in none. */
  sumBy(groups: number, groupOf: ArrayLike<number>): Sums {
    const sums = new Sums(groups);
    for (let node = 0; node < this.index.nodes; ++node) {
      const g = groupOf[node];
      if (g >= 0 && this.byNode.cells[node * 12 + 1] > 0) sums.addFrom(this.byNode, node, g);
    }
    return sums;
  }
}
