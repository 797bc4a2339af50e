// SPDX-License-Identifier: MIT
/** The pane beside a graph: all that is known of a box, and what can be done with it. */
import { useAnswer, usePage } from "../answers";
import { type Amount, flag, type GraphNode, kindIn, type PackedAmount, type Parameters } from "../api";
import { inUnit, interval, percent, plural, quantity, type Unit, units } from "../format";
import { shorten } from "../names";
import { isFaint, shareInterval } from "../statistics";
import { change, stateNow } from "../state";
import { PlaceLink } from "../widgets/name";
import { kindNames } from "./colours";

export function Details(props: {
  node: GraphNode | null;
  path: string[];
  unit: Unit;
  total: Amount;
  whole: Amount;
  /** Callers follow their callees here: what a box holds is that of the path up to it. */
  upwards?: boolean;
  /** Boxes are functions, which can be chosen as such. */
  functions?: boolean;
  /** What to ask for the lines of this box. */
  lines?: Parameters;
  onZoom: (path: string[]) => void;
  onSelect: (path: string[]) => void;
}) {
  const { node, path } = props;
  if (node === null) {
    return (
      <aside class="details" aria-label="Details">
        <p class="muted">
          Point at a box, or move with the arrow keys: its numbers stand here. Click keeps them,
          double click or Enter zooms in.
        </p>
      </aside>
    );
  }
  const [name, flags, self, total, , hidden] = node;
  const isBox = path.length > 0 && path.at(-1) !== "";
  const isFunction = isBox && props.functions !== false;
  const badges = [
    path.length > 0 && kindNames[kindIn(flags)][0],
    (flags & flag.inlined) !== 0 && "inlined into its caller",
    (flags & flag.allocates) !== 0 && "allocation function",
  ].filter((x): x is string => x !== false);
  return (
    <aside class="details" aria-label="Details" aria-live="polite">
      <h2 class="name">{name}</h2>
      {badges.map((b) => (
        <span key={b} class="badge">
          {b}
        </span>
      ))}
      {props.upwards ? (
        <>
          <Numbers title="Allocated by way of this path" amount={total} {...props} />
          {self[0] > 0 && <Numbers title="Of stacks that begin here" amount={self} {...props} />}
        </>
      ) : (
        <>
          <Numbers title="With all it calls" amount={total} {...props} />
          <Numbers title="By itself" amount={self} {...props} />
        </>
      )}
      {hidden !== null && hidden !== undefined && (
        <p class="muted">
          {plural(hidden[0], "small child", "small children")} of it {hidden[0] === 1 ? "is" : "are"}{" "}
          hidden, {quantity(inUnit(hidden[1], props.unit, 8)[0], props.unit)} in all. Zoom in to see
          them.
        </p>
      )}
      {isFunction && props.lines !== undefined && <LineList question={props.lines} unit={props.unit} />}
      {isBox && (
        <div class="actions">
          <button type="button" class="button" onClick={() => props.onZoom(path)}>Zoom</button>
          {isFunction && <FunctionActions name={name} />}
        </div>
      )}
      {path.length > 1 && (
        <>
          <h3>Path</h3>
          <ol class="path">
            {path.map((p, k) => (
              <li key={k}>
                <button type="button" class="link" onClick={() => props.onSelect(path.slice(0, k + 1))}>
                  {shorten(p === "" ? name : p, 120)}
                </button>
              </li>
            ))}
          </ol>
        </>
      )}
    </aside>
  );
}

function FunctionActions({ name }: { name: string }) {
  return (
    <>
      <button type="button" class="button" onClick={() => change({ panel: "around", focus: name })}>
        Sandwich
      </button>
      <button
        type="button" class="button"
        onClick={() => change({ function: [...stateNow().all("function"), `=${name}`], zoom: null })}
      >
        Only inside
      </button>
      <button
        type="button" class="button"
        onClick={() => change({ "not-function": [...stateNow().all("not-function"), `=${name}`], zoom: null })}
      >
        Not inside
      </button>
      <button
        type="button" class="button"
        onClick={() => change({ hide: [...stateNow().all("hide"), `=${name}`], zoom: null })}
      >
        Hide
      </button>
    </>
  );
}

/** In which lines the function was: where it allocates, or calls what does. */
function LineList(props: { question: Parameters; unit: Unit }) {
  const { trace } = usePage();
  const answer = useAnswer("lines", props.question);
  const rows = answer.data?.rows.filter(([, line]) => line > 0) ?? [];
  if (answer.data === null || rows.length === 0) return null;
  const all = answer.data.rows.reduce((sum, r) => sum + r[3][0], 0);
  return (
    <>
      <h3>{rows.length === 1 ? "Line" : "Lines"}</h3>
      <table class="place-list">
        <tbody>
          {rows.slice(0, 6).map(([file, line, , total]) => {
            const e = inUnit(total, props.unit, trace.word_bytes);
            return (
              <tr key={`${file}:${line}`}>
                <td><PlaceLink file={file} line={line} /></td>
                <td title={`${interval(e, props.unit)} with 95 %, from ${plural(total[0], "sample")}`}>
                  {quantity(e[0], props.unit)} <span class="muted">{percent(total[0] / Math.max(1, all))}</span>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {rows.length + answer.data.more > 6 && (
        <p class="muted">and {plural(rows.length + answer.data.more - 6, "other line")}</p>
      )}
    </>
  );
}

function Numbers(props: {
  title: string;
  amount: PackedAmount;
  unit: Unit;
  total: Amount;
  whole: Amount;
}) {
  const { trace } = usePage();
  const [samples, blocks] = props.amount;
  if (samples === 0) {
    return (
      <>
        <h3>{props.title}</h3>
        <p class="muted">No sample.</p>
      </>
    );
  }
  const shown = [props.unit, ...units.filter((u) => u !== props.unit && u !== "samples")];
  const share = shareInterval(samples, props.total.samples);
  return (
    <>
      <h3>{props.title}</h3>
      <table class="numbers">
        <tbody>
          {shown.filter((u) => u !== "samples").map((u) => {
            const e = inUnit(props.amount, u, trace.word_bytes);
            const faint = e[1] !== e[2] && isFaint(e);
            return (
              <tr key={u} class={faint ? "faint" : ""}>
                <th scope="row">{u}</th>
                <td>{quantity(e[0], u)}</td>
                <td class="interval">{interval(e, u)}</td>
              </tr>
            );
          })}
          <tr>
            <th scope="row">share</th>
            <td>{percent(share[0])}</td>
            <td class="interval">
              {trace.sample_rate >= 1 ? "of the selection" : `${percent(share[1])} to ${percent(share[2])}`}
            </td>
          </tr>
          {props.whole.samples !== props.total.samples && (
            <tr>
              <th scope="row">of all</th>
              <td>{percent(samples / props.whole.samples)}</td>
              <td class="interval">of the whole trace</td>
            </tr>
          )}
        </tbody>
      </table>
      <p class="muted">
        {plural(samples, "sample")} in {plural(blocks, "block")}
        {isFaintAmount(props.amount, trace.sample_rate) && ": too few to rely on"}
      </p>
    </>
  );
}
const isFaintAmount = (a: PackedAmount, rate: number) => rate < 1 && isFaint([a[2], a[3], a[4]]);
