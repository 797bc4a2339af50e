// SPDX-License-Identifier: MIT
/** Limits that were hit during the trace. */
import { usePage } from "../answers";
import { type LimitHit, threadsOf } from "../api";
import { bytes, duration, timeValue } from "../format";
import { shorten } from "../names";
import { change } from "../state";
import { Hint } from "../widgets/basics";

function amount(l: LimitHit, value: number): string {
  if (l.kind === "token") return "";
  return l.kind === "deadline" ? duration(value / 1000) : bytes(value);
}

export function LimitsPanel() {
  const { trace } = usePage();
  const threads = threadsOf(trace);
  return (
    <>
      <Hint id="limits">
        Each line is a task that was interrupted: when, by which limit, and in which call. "Refused"
        says how often the interrupt was due before, where it could not be raised. Look at what was in
        use just then to see what filled the memory.
      </Hint>
      <div class="scroll" tabIndex={0} role="region" aria-label="Limits hit">
        <table class="data">
          <thead>
            <tr>
              <th scope="col" class="number">Time</th>
              <th scope="col" class="name">Limit</th>
              <th scope="col" class="number">Allowed</th>
              <th scope="col" class="number">Measured</th>
              <th scope="col" class="number">Refused</th>
              <th scope="col" class="number">Thread</th>
              <th scope="col" class="name">In</th>
              <th scope="col" class="name">Look</th>
            </tr>
          </thead>
          <tbody>
            {trace.limits.map((l, k) => (
              <tr key={k}>
                <td class="number">{duration(l.time_us)}</td>
                <td>{l.kind}</td>
                <td class="number">{amount(l, l.allowed)}</td>
                <td class="number">{amount(l, l.measured)}</td>
                <td class="number">{String(l.deferrals)}</td>
                <td class="number">{threads.get(l.thread) ?? ""} {String(l.thread)}</td>
                <td title={[...l.stack].reverse().join("\n")}>{shorten(l.stack.at(-1) ?? "", 140)}</td>
                <td>
                  <button type="button" class="link" onClick={() => change({ "live-at": timeValue(l.time_us), panel: "graph" })}>
                    What was live then
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
