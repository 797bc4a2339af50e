// SPDX-License-Identifier: MIT
/** The head of a column by which a table can be sorted. */
export function SortHead(props: {
  text: string;
  active: boolean;
  ascending: boolean;
  numeric?: boolean;
  onClick: () => void;
}) {
  const sort = !props.active ? "none" : props.ascending ? "ascending" : "descending";
  return (
    <th scope="col" aria-sort={sort} class={props.numeric ? "number" : "name"}>
      <button type="button" class="sort" onClick={props.onClick}>
        {props.text}
        <span aria-hidden="true" class="arrow">
          {props.active ? (props.ascending ? "↑" : "↓") : ""}
        </span>
      </button>
    </th>
  );
}
