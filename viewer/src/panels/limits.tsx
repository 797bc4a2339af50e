// SPDX-License-Identifier: MIT
/** Limits that were hit during the trace. */
import { usePage } from "../answers";
import { bytes, duration, timeValue } from "../format";
import { change } from "../state";
import { Hint } from "../widgets/basics";

export function LimitsPanel() {
  const { trace } = usePage();
  return (
    <>
      <Hint id="limits">
        Each line is a task that used up the memory it was allowed, when, and under which limit. Look
        at what was in use just then to see what filled it.
      </Hint>
      <div class="scroll" tabIndex={0} role="region" aria-label="Limits hit">
        <table class="data">
          <thead>
            <tr>
              <th scope="col" class="number">Time</th>
              <th scope="col" class="name">Kind</th>
              <th scope="col" class="number">Limit</th>
              <th scope="col" class="name">Scope</th>
              <th scope="col" class="name">Thread</th>
              <th scope="col" class="name">Look</th>
            </tr>
          </thead>
          <tbody>
            {trace.limits.map((l, k) => (
              <tr key={k}>
                <td class="number">{duration(l.time_us)}</td>
                <td>{l.kind}</td>
                <td class="number">{bytes(l.limit_bytes)}</td>
                <td>{l.scope}</td>
                <td>{String(l.thread)}</td>
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
