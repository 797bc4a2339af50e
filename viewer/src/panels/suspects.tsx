// SPDX-License-Identifier: MIT
/** Sites that look like leaks, ballooning queues, or caches, with what speaks for it. */
import { useAnswer } from "../answers";
import type { Suspect, Suspects } from "../api";
import { selectionNames } from "../engine/names";
import { change, type Changes, type State } from "../state";
import { EmptyNote, Hint, Quantity, Shown } from "../widgets/basics";
import { Name, PlaceLink } from "../widgets/name";

const kinds: [keyof Suspects, string, string][] = [
  ["leaks", "Look like leaks", "Allocated over a long time and never freed, so that more and more is in use."],
  ["queues", "Look like ballooning queues", "Blocks waited longer and longer, then were freed after all."],
  ["caches", "Look like caches", "Long-lived, at a steady level: the new takes the place of the old."],
];
const most = 8;

export function SuspectsPanel(props: { state: State }) {
  const answer = useAnswer("suspects", props.state.selection);
  return (
    <>
      <Hint id="suspects">
        Guesses from lifetimes alone, the most memory first; the evidence is below each. A leak here is
        memory that only grows in this trace: whether it is still needed, only you can tell. Choose one
        to see only its blocks in all views.
      </Hint>
      <Shown answer={answer}>
        {(s) =>
          kinds.every(([kind]) => s[kind].length === 0) ? (
            <EmptyNote>
              Nothing here looks like a leak, a ballooning queue or a cache. A longer trace or a higher
              rate shows more.
            </EmptyNote>
          ) : (
            <div class="suspects">
              {kinds.map(([kind, title, text]) => (
                <section key={kind} aria-label={title}>
                  <h2>{title}</h2>
                  <p class="muted">{text}</p>
                  {s[kind].length === 0 && <p class="muted none">None here.</p>}
                  <ol>
                    {s[kind].slice(0, most).map((x) => <Card key={x.function} suspect={x} state={props.state} />)}
                  </ol>
                  {s[kind].length > most && <p class="muted">and {s[kind].length - most} smaller ones</p>}
                </section>
              ))}
            </div>
          )
        }
      </Shown>
    </>
  );
}

function Card(props: { suspect: Suspect; state: State }) {
  const { suspect, state } = props;
  const { samples } = suspect.sparkline;
  const top = Math.max(1, ...samples);
  const points = samples.map((s, k) => `${((k + 0.5) / samples.length) * 160},${38 - (s / top) * 34}`).join(" ");
  const choose = () => {
    const changes: Changes = {};
    for (const name of selectionNames) if (state.has(name)) changes[name] = null;
    change({ ...changes, ...suspect.selection, panel: "graph", from: "sites", value: suspect.kind === "queue" ? "peak" : "in_use", zoom: null });
  };
  return (
    <li class="suspect">
      <div class="row">
        <Name text={suspect.function} title="Show only its blocks" onClick={choose} />
        <Quantity amount={suspect.amount} unit={state.unit} />
      </div>
      {suspect.place !== null && <PlaceLink file={suspect.place[0]} line={suspect.place[1]} more={suspect.place[2]} />}
      <svg class="spark" viewBox="0 0 160 40" preserveAspectRatio="none" role="img" aria-label={`In use over time: from ${samples[0]} samples to ${samples.at(-1)}, ${top} at most`}>
        <polygon points={`0,40 ${points} 160,40`} />
        <polyline points={points} />
      </svg>
      <ul>
        {suspect.evidence.map((e) => <li key={e}>{e}</li>)}
      </ul>
    </li>
  );
}
