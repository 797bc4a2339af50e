// SPDX-License-Identifier: MIT
/**
 * `suspects`: functions whose blocks look like a leak, a queue that balloons, or a cache, and why. What it takes
 * to be suspected; blocks are sampled ones, "survive" means in use at the end, which is when the process began to end:
 *
 *     leak     20 blocks survive, at least 5 of them born in each of the two middle quarters of the trace, and
 *              these two have between them a quarter of the survivors: steady growth; what was born in the last
 *              quarter may just be young.
 *     queue    at least half of what the function held at its peak is gone at the end; the peak is within the middle
 *              90 % of the trace; of 30 blocks or more born before it lifetimes rise with the time of birth:
 *              Spearman's correlation over 0.5 and 5 standard deviations (chance: 3e-7 for each function), and the
 *              last third live three times as long as the first, for 2 % of the trace or more.
 *     cache    20 blocks survive, half of them born in the first half of the trace, and what is live grew by at
 *              most a fifth since the middle of it.
 *
 * A function is one of these at most, the first that fits. Functions of less than a thousandth of what is in use at the
 * peak are left out.
 */
import { kindIn, type Suspect, type Suspects } from "../api";
import { baseName } from "./kinds";
import { bytesText, countText, durationText, percentText } from "./amount_text";
import { growthOf, type Growth, livesOfSites, type SiteLives } from "./site_lives";
import { Sums, type View, valueIndex } from "./sums";
import { shownFrames, bytewise } from "./tree";
import { never } from "./index";
import { Steps } from "./series";

const leastSurvivors = 20;
const leastInQueue = 30;
const each = 20;
const sparkPoints = 60;

function isLeak(l: SiteLives): boolean {
  const [, second, third] = l.survivorsIn;
  return (
    l.survivors >= leastSurvivors && second >= 5 && third >= 5 && 4 * (second + third) >= l.survivors
  );
}
function mayBeQueue(l: SiteLives, duration: number): boolean {
  const peak = l.peakTime / duration;
  return (
    l.objects.length >= leastInQueue && 2 * l.inUse.samples(0, 0) <= l.peak.samples(0, 0) &&
    peak >= 0.05 && peak <= 0.95
  );
}
function isQueue(g: Growth, duration: number): boolean {
  return (
    g.blocks >= leastInQueue && g.correlation > 0.5 && g.deviations > 5 &&
    g.late >= 3 * g.early && g.late >= 0.02 * duration
  );
}
function isCache(l: SiteLives): boolean {
  return (
    l.survivors >= leastSurvivors && 2 * (l.survivorsIn[0] + l.survivorsIn[1]) >= l.survivors &&
    5 * l.inUse.samples(0, 0) <= 6 * l.atHalf.samples(0, 0)
  );
}

class Judge {
  private readonly shown: Uint8Array;
  constructor(
    private readonly view: View,
    private readonly duration: number,
  ) {
    const { index, chosen } = view;
    this.shown = shownFrames(index, chosen.selection.hide, true);
  }

  private bytes(sums: Sums): number {
    return sums.samples(0, 0) * this.view.index.intervals.bytesPerSample;
  }
  private held(when: string, sums: Sums): string {
    const [value, lower, upper] = this.view.index.intervals.bytes(sums.samples(0, 0), sums.picked);
    const blocks = countText(sums.cells[1]);
    return `${when}: ${bytesText(value)} (${bytesText(lower)} to ${bytesText(upper)}), in ${blocks} sampled blocks.`;
  }

  leak(l: SiteLives): Suspect {
    const q = l.survivorsIn;
    const rate = this.bytes(l.middle) / (this.duration / 2e6);
    return this.make("leak", l, l.inUse, { "live-at-end": ["1"] }, (i) => this.view.inUse(i), [
      this.held("In use at the end", l.inUse),
      this.growthText(l, `${q[0]}, ${q[1]}, ${q[2]} and ${q[3]} were born in the four quarters of the trace`),
      `In the middle half of the trace it grew by ${bytesText(rate)} each second.`,
      `${percentText(this.bytes(l.inUse), this.bytes(l.allocated))} of all that was allocated here is still there.`,
    ]);
  }
  /** Only what has grown to the end did so all along. */
  private growthText(l: SiteLives, quarters: string): string {
    const [first, , , last] = l.survivorsIn;
    if (first > 0 && last > 0) return `It was allocated all along: of these blocks ${quarters}.`;
    const rest = this.duration - l.lastKept;
    const end = last > 0 ? "to the end" : `until ${durationText(l.lastKept)}, and then no more for ${durationText(rest)}`;
    return `It grew from ${durationText(l.firstKept)} on ${end}: of these blocks ${quarters}.`;
  }
  queue(l: SiteLives, g: Growth): Suspect {
    const r = this.view.chosen.residence;
    const atPeak = (i: number) => r.bornEvent[i] <= l.peaks.event && r.goneEvent[i] > l.peaks.event;
    return this.make("queue", l, l.peak, { "live-at": [`${l.peakTime}us`] }, atPeak, [
      this.held(`At its peak, ${durationText(l.peakTime)} after the start`, l.peak),
      `The later a block was born before that, the longer it lived: half of the first third lived for ${durationText(g.early)} or less, half of the last third for ${durationText(g.late)} or more (rank correlation ${g.correlation.toFixed(2)}, ${countText(g.blocks)} sampled blocks).`,
      `At the end ${bytesText(this.bytes(l.inUse))} of it ${l.survivors === 1 ? "is" : "are"} left.`,
    ]);
  }
  cache(l: SiteLives): Suspect {
    const early = l.survivorsIn[0] + l.survivorsIn[1];
    return this.make("cache", l, l.inUse, { "live-at-end": ["1"] }, (i) => this.view.inUse(i), [
      this.held("In use at the end", l.inUse),
      `${early} of these ${l.survivors} blocks were born in the first half of the trace.`,
      `It does not grow: ${bytesText(this.bytes(l.atHalf))} were in use in the middle of the trace.`,
      `Last allocated ${durationText(l.lastBorn)} after the start.`,
    ]);
  }

  private make(
    kind: Suspect["kind"], l: SiteLives, held: Sums, narrowed: Record<string, string[]>,
    counts: (i: number) => boolean, evidence: string[],
  ): Suspect {
    const { index } = this.view;
    const amount = held.amount(index, 0, valueIndex.allocated);
    const way = this.byWayOf(l, counts);
    return {
      kind, function: l.function, place: l.place, score: amount.bytes[1], amount,
      evidence: way === null ? evidence : [...evidence, way],
      selection: { ...(/^0x[0-9a-f]+$/.test(l.function) ? {} : { function: [`=${l.function}`] }), ...narrowed },
      sparkline: this.sparkline(l),
    };
  }

  /** The nearest caller in the program's own code: a leak in a library is the fault of who calls it. */
  private byWayOf(l: SiteLives, counts: (i: number) => boolean): string | null {
    const { index, chosen } = this.view;
    const callers = new Map<string, number>();
    let all = 0;
    for (const i of l.objects) {
      if (!counts(i)) continue;
      all += chosen.samples[i];
      const caller = this.callerOf(index.stack[i], l.function);
      if (caller !== null) callers.set(caller, (callers.get(caller) ?? 0) + chosen.samples[i]);
    }
    const sorted = [...callers].sort((a, b) => b[1] - a[1] || bytewise(a[0], b[0]));
    return sorted.length === 0
      ? null
      : `${percentText(sorted[0][1], all)} of it by way of ${sorted[0][0]}.`;
  }
  private callerOf(stack: number, allocating: string): string | null {
    const { index } = this.view;
    const { frames, functions, files } = index.tables;
    let found = false;
    for (let s = stack; s !== 0; s = index.parent[s]) {
      const k = index.frame[s];
      if (this.shown[k] === 0) continue;
      const name = functions[frames[k][0]];
      found ||= name === allocating;
      if (!found || name === allocating || kindIn(index.flags[k]) !== "own") continue;
      const [, file, line] = frames[k];
      return line > 0 ? `${name} (${baseName(files[file])}:${line})` : name;
    }
    return null;
  }
  private sparkline(l: SiteLives): Suspect["sparkline"] {
    const { chosen } = this.view;
    const steps = new Steps(Math.max(this.view.index.trace.duration_us, 1), sparkPoints);
    const change = new Array<number>(steps.count).fill(0);
    for (const i of l.objects) {
      change[steps.of(chosen.residence.born[i])] += chosen.samples[i];
      if (chosen.residence.goneEvent[i] !== never) {
        change[steps.of(chosen.residence.gone[i])] -= chosen.samples[i];
      }
    }
    let now = 0;
    return { step_us: steps.step_us, samples: change.map((c) => Math.max(0, (now += c))) };
  }
}

export function suspects(view: View): Suspects {
  const duration = Math.max(Math.min(view.index.trace.duration_us, view.index.exit), 1);
  const judge = new Judge(view, duration);
  const found: Suspect[] = [];
  for (const l of livesOfSites(view, leastSurvivors)) {
    const most = Math.max(l.inUse.samples(0, 0), l.peak.samples(0, 0));
    if (1000 * most < view.total.samples(0, valueIndex.peak)) continue;
    if (isLeak(l)) found.push(judge.leak(l));
    else if (mayBeQueue(l, duration)) {
      const g = growthOf(view, l);
      if (isQueue(g, duration)) found.push(judge.queue(l, g));
    } else if (isCache(l)) found.push(judge.cache(l));
  }
  found.sort((a, b) => b.score - a.score || bytewise(a.function, b.function));
  const of = (kind: Suspect["kind"]) => found.filter((s) => s.kind === kind).slice(0, each);
  return { leaks: of("leak"), queues: of("queue"), caches: of("cache") };
}
