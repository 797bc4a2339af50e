// SPDX-License-Identifier: MIT
/** Histograms of sizes and lifetimes, logarithmic as they come or put into equal bins. */
import { useMemo } from "preact/hooks";
import { useAnswer, usePage } from "../answers";
import type { Amount, Bin, LifetimeBin } from "../api";
import { csv, download, fileBase } from "../download";
import { bytes, duration, inUnit, percent, quantity, type Unit } from "../format";
import type { State } from "../state";
import { EmptyNote, Hint, Quantity, Shown } from "../widgets/basics";
import { Chart } from "../widgets/chart";

interface Bar {
  from: number;
  to: number;
  size: number;
  survived: number;
}

const size = (a: Amount, unit: Unit, word: number) => inUnit(a, unit, word)[0];

/** The bins as they come: each twice as wide as the one before. */
export function doubling(bins: Bin[], of: (b: Bin) => number): Bar[] {
  return bins.map((b) => ({
    from: b.from,
    to: b.to,
    size: of(b),
    survived: b.samples > 0 ? (of(b) * ((b as LifetimeBin).survived ?? 0)) / b.samples : 0,
  }));
}

/** `n` equal bins; what lies in a logarithmic one is spread evenly over it. */
export function linear(bins: Bin[], of: (b: Bin) => number, n: number): Bar[] {
  const end = Math.max(1, ...bins.filter((b) => b.samples > 0).map((b) => b.to));
  const width = end / n;
  const bars = Array.from({ length: n }, (_, k) => ({ from: k * width, to: (k + 1) * width, size: 0, survived: 0 }));
  for (const b of bins) {
    if (b.samples === 0) continue;
    const share = ((b as LifetimeBin).survived ?? 0) / b.samples;
    const last = Math.min(n - 1, Math.floor((b.to - 1e-9) / width));
    for (let k = Math.floor(b.from / width); k <= last; ++k) {
      const part = Math.min(b.to, bars[k].to) - Math.max(b.from, bars[k].from);
      const amount = (of(b) * Math.max(0, part)) / (b.to - b.from);
      bars[k].size += amount;
      bars[k].survived += amount * share;
    }
  }
  return bars;
}

export function HistogramView(props: { state: State; what: "sizes" | "lifetimes" }) {
  const { state, what } = props;
  const { trace } = usePage();
  const answer = useAnswer("histograms", state.selection);
  const log = state.get("scale") !== "linear";
  const bins: Bin[] = answer.data?.[what] ?? [];
  const text = what === "sizes" ? bytes : duration;
  const bars = useMemo(() => {
    const of = (b: Bin) => size(b.amount, state.unit, trace.word_bytes);
    return log ? doubling(bins, of) : linear(bins, of, 80);
  }, [answer.data, log, state.unit, what]);
  const total = bars.reduce((sum, b) => sum + b.size, 0);
  const base = fileBase(trace);
  const readout = (k: number) => {
    const b = bars[k];
    const name = `${text(b.from)} to ${text(b.to)}`;
    const kept = what === "lifetimes" && b.survived > 0 ? ` · of it never freed ${quantity(b.survived, state.unit)}` : "";
    return `${name} · ${quantity(b.size, state.unit)} · ${percent(b.size / Math.max(total, 1e-300))}${kept}`;
  };
  return (
    <>
      {what === "sizes" ? (
        <Hint id="sizes">
          How large the blocks are that the memory went to, headers not counted. Many small blocks cost
          headers and time; a few large ones are found at once in the graph with a size filter. On the
          linear scale what lies in a bin is spread evenly over it.
        </Hint>
      ) : (
        <Hint id="lifetimes">
          How long blocks live, from allocation until they are freed. The upper part of a bar in the
          other colour was never freed: it lived at least so long. On the linear scale what lies in a
          bin is spread evenly over it.
        </Hint>
      )}
      <Shown answer={answer}>
        {() =>
          total === 0 ? (
            <EmptyNote>No sampled block is in this selection.</EmptyNote>
          ) : (
            <>
              <Chart
                label={what === "sizes" ? `Allocated, by size of block (${state.unit})` : `Allocated, by lifetime (${state.unit})`}
                xs={bars.map((b) => (log ? Math.sqrt(Math.max(b.from, b.to / 2) * b.to) : (b.from + b.to) / 2))}
                edges={bars.map((b) => [b.from, b.to])}
                ys={what === "sizes" ? [bars.map((b) => b.size)] : [bars.map((b) => b.size), bars.map((b) => b.size - b.survived)]}
                lines={
                  what === "sizes"
                    ? [{ label: "allocated", color: "--series-0", bars: true }]
                    : [
                        { label: "never freed", color: "--series-1", bars: true },
                        { label: "freed", color: "--series-0", bars: true },
                      ]
                }
                height={330}
                logX={log}
                xText={text}
                binary={state.unit === "bytes"}
                yText={(y) => quantity(y, state.unit)}
                readout={readout}
              />
              <details class="below">
                <summary>As a table</summary>
                <table class="data">
                  <thead>
                    <tr>
                      <th scope="col" class="number">From</th>
                      <th scope="col" class="number">To, not including</th>
                      <th scope="col" class="number">Allocated</th>
                      <th scope="col" class="number">Samples</th>
                    </tr>
                  </thead>
                  <tbody>
                    {bins.filter((b) => b.samples > 0).map((b) => (
                      <tr key={b.from}>
                        <td class="number">{text(b.from)}</td>
                        <td class="number">{text(b.to)}</td>
                        <td class="number"><Quantity amount={b.amount} unit={state.unit} /></td>
                        <td class="number">{b.samples.toLocaleString("en")}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </details>
              <p class="below">
                <button
                  type="button" class="link"
                  onClick={() =>
                    download(`${base}-${what}.csv`, "text/csv",
                      csv(["from", "to", "samples", "blocks", "bytes", "bytes_lower", "bytes_upper", "objects", "objects_lower", "objects_upper"],
                        bins.map((b) => [b.from, b.to, b.samples, b.amount.blocks, ...b.amount.bytes, ...b.amount.objects])))}
                >
                  Download CSV
                </button>
              </p>
            </>
          )
        }
      </Shown>
    </>
  );
}
