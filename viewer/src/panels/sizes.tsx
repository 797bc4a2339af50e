// SPDX-License-Identifier: MIT
/** Sizes of blocks. */
import { change, type State } from "../state";
import { Switch, Toolbar } from "../widgets/basics";
import { HistogramView } from "./histogram";

export function SizesPanel(props: { state: State }) {
  return (
    <>
      <Toolbar>
        <Switch
          label="Scale"
          value={props.state.choice("scale", ["log", "linear"] as const)}
          options={[{ value: "log", text: "Logarithmic" }, { value: "linear", text: "Linear" }]}
          onChange={(v) => change({ scale: v === "log" ? null : v })}
        />
      </Toolbar>
      <HistogramView state={props.state} what="sizes" />
    </>
  );
}
