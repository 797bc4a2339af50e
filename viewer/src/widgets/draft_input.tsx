// SPDX-License-Identifier: MIT
/** A text field whose content counts when it is complete: by Enter, on leaving, or chosen from its list. */
import { useEffect, useState } from "preact/hooks";

/**
 * What is typed is a state of its own, so that an answer that comes in between draws nothing over it.
 * "change" is the browser's event: it comes once, when the content is complete. Never import
 * preact/compat anywhere in the page: it makes `onChange` mean every letter, everywhere.
 */
export function DraftInput(props: {
  id: string;
  value: string;
  placeholder: string;
  list?: string;
  size?: number;
  onCommit: (text: string) => void;
}) {
  const [draft, setDraft] = useState(props.value);
  useEffect(() => setDraft(props.value), [props.value]);
  return (
    <input
      id={props.id}
      type="text"
      list={props.list}
      size={props.size}
      spellcheck={false}
      placeholder={props.placeholder}
      value={draft}
      onInput={(e) => setDraft(e.currentTarget.value)}
      onChange={(e) => props.onCommit(e.currentTarget.value.trim())}
      onKeyDown={(e) => {
        if (e.key !== "Escape" || draft === props.value) return;
        e.stopPropagation();
        setDraft(props.value);
      }}
    />
  );
}
