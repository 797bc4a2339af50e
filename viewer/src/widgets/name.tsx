// SPDX-License-Identifier: MIT
/** Names of functions and places in rows: two lines at most, whole on pointing. */
import { usePage } from "../answers";
import { placeText, shorten } from "../names";
import { change } from "../state";

/** What two lines of a table hold, the place included. */
const room = 100;

export function Name(props: { text: string; onClick?: () => void; title?: string }) {
  const text = shorten(props.text, room);
  const title = props.title === undefined ? props.text : `${props.text}\n${props.title}`;
  return props.onClick === undefined ? (
    <span class="name-text" title={title}>{text}</span>
  ) : (
    <button type="button" class="link name-text" title={title} onClick={props.onClick}>{text}</button>
  );
}

/** "parser.cpp:120", a way to the lines around it. Files without a line are modules. */
export function PlaceLink(props: { file: string; line: number; more?: number }) {
  const { source } = usePage();
  const { file, line, more = 0 } = props;
  if (file === "" || line === 0) return null;
  const text = placeText(file, line);
  const others = more > 0 ? ` and ${more} more` : "";
  return (
    <button
      type="button"
      class="link place"
      title={`${file}:${line}${more > 0 ? `, and ${more} other lines with less` : ""}\n${source.offline ? "The lines around it" : "Its source"}`}
      onClick={() => change({ panel: "source", path: file, line: String(line), view: null, sort: null, reverse: null, by: null, search: null })}
    >
      {text}
      {others !== "" && <span class="muted">{others}</span>}
    </button>
  );
}
