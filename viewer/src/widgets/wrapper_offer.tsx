// SPDX-License-Identifier: MIT
/** Offers to leave out functions that only pass memory on, and remembers the answer for this program. */
import { useEffect, useState } from "preact/hooks";
import { useAnswer, usePage } from "../answers";
import { fileBase } from "../download";
import { percent } from "../format";
import { shorten } from "../names";
import { change, type State, stateNow } from "../state";
import { remembered } from "./remembered";

export function WrapperOffer(props: { state: State }) {
  const { trace } = usePage();
  const { data } = useAnswer("wrappers", []);
  const key = `wrappers-${fileBase(trace)}`;
  const [choice, setChoice] = useState(() => remembered.get(key));
  const hidden = new Set(props.state.all("hide"));
  const offered = (data?.functions ?? []).filter((f) => !hidden.has(`=${f}`));
  const decide = (answer: "hide" | "keep") => {
    remembered.set(key, answer);
    setChoice(answer);
  };
  const hide = (replace: boolean) =>
    change({ hide: [...stateNow().all("hide"), ...offered.map((f) => `=${f}`)], zoom: null }, replace);
  useEffect(() => {
    // A link says itself what is hidden.
    if (choice === "hide" && offered.length > 0 && stateNow().parameters.length === 0) hide(true);
  }, [data]);
  if (choice === "keep" || data === null || offered.length === 0) return null;
  const names = offered.slice(0, 4).map((f) => shorten(f, 40)).join(", ");
  return (
    <p class="offer" role="note">
      <span title={offered.join("\n")}>
        <b>{names}</b>
        {offered.length > 4 && ` and ${offered.length - 4} more`} {offered.length === 1 ? "only passes" : "only pass"} memory
        on: {percent(data.share)} of what is allocated. Without {offered.length === 1 ? "it" : "them"} one sees for whom.
      </span>{" "}
      <button
        type="button" class="button"
        onClick={() => {
          decide("hide");
          hide(false);
        }}
      >
        Hide {offered.length === 1 ? "it" : "them"}
      </button>{" "}
      <button type="button" class="button" onClick={() => decide("keep")}>Keep</button>
    </p>
  );
}
