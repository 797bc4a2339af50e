// SPDX-License-Identifier: MIT
/** The keys, and what the numbers mean. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { usePage } from "../answers";
import { bytes, percent, rate } from "../format";

const keys: [string, string][] = [
  ["1 2 3 …", "the panels, from the left"],
  ["/", "search"],
  ["f", "add a filter"],
  ["r", "the range of time"],
  ["g", "the graph, for the keys below"],
  ["← ↓ ↑ →, h j k l", "move from box to box"],
  ["Enter", "zoom into the box"],
  ["Esc", "zoom out by one; close what is open"],
  ["v", "next value: allocated, in use at the end, at the peak"],
  ["t", "dark or light"],
  ["?", "this page"],
];

/**
 * `asked` grows with each request. A browser says that a dialog was closed only later (0.3 s were
 * seen on a busy machine): until then a new request opens it again, and the old news is not obeyed.
 */
export function Help(props: { asked: number; onClose: () => void }) {
  const { trace } = usePage();
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const box = dialog.current!;
    if (box.open) return;
    if (box.showModal) box.showModal();
    else box.setAttribute("open", "");
  }, [props.asked]);
  const perSample = trace.word_bytes / trace.sample_rate;
  return (
    <dialog ref={dialog} class="help" aria-label="Help" onClose={() => !dialog.current?.open && props.onClose()} onClick={(e) => e.target === dialog.current && dialog.current?.close()}>
      <h2>Keys</h2>
      <table>
        <tbody>
          {keys.map(([k, text]) => (
            <tr key={k}>
              <th scope="row"><kbd>{k}</kbd></th>
              <td>{text}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <h2>What the numbers mean</h2>
      <p>
        The program was sampled: each word of each block with probability {rate(trace.sample_rate)}. A sample
        therefore stands for {bytes(perSample)} on average, and all amounts are estimates
        {trace.sample_rate >= 1 && " (at rate 1: exact)"}. What stands after “±” is the wider side of
        the interval that holds the truth with 95 %: one sample is ± {percent(4.58)}, a hundred ± {percent(0.22)},
        ten thousand ± {percent(0.02)}.
      </p>
      <p>
        Faint numbers and dashed boxes have intervals that reach zero or are wider than the number
        itself. They are there, but do not build on their size.
      </p>
      <p>
        The address in the browser holds the whole view. Copy it to come back, or to show it to somebody
        who serves the same trace.
      </p>
      <p class="muted">memprof {trace.memprof}, trace format {trace.version}.</p>
      <form method="dialog">
        <button class="button primary">Close</button>
      </form>
    </dialog>
  );
}
