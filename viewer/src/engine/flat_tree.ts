// SPDX-License-Identifier: MIT
/** Trees as lists, on their way from the worker: copied as they are, one of 4000 levels is too deep for a browser. */

type Node = unknown[];
/** Each node with the number of its children in their place, parents first, children in their order. */
export interface FlatTree {
  flat: Node[];
  children: number;
}

/** `at`: where a node has its children. */
function flatten(root: Node, at: number): FlatTree {
  const flat: Node[] = [];
  const open = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const children = node[at] as Node[];
    flat.push(node.with(at, children.length));
    for (let k = children.length; k-- > 0;) open.push(children[k]);
  }
  return { flat, children: at };
}

function unflatten({ flat, children: at }: FlatTree): Node {
  const path: { node: Node; missing: number }[] = [];
  for (const node of flat) {
    const above = path.at(-1);
    if (above !== undefined) {
      (above.node[at] as Node[]).push(node);
      if (--above.missing === 0) path.pop();
    }
    const missing = node[at] as number;
    node[at] = [];
    if (missing > 0) path.push({ node, missing });
  }
  return flat[0];
}

/** Which members of an answer are trees, and where their nodes have the children. */
const trees: Record<string, [string, number][]> = {
  graph: [["root", 4]],
  around: [["callers", 4], ["callees", 4]],
  diff: [["graph", 5]],
};

function mapTrees(route: string, answer: unknown, map: (tree: never, at: number) => unknown): unknown {
  if (!(route in trees)) return answer;
  const result = { ...(answer as Record<string, unknown>) };
  for (const [name, at] of trees[route]) if (result[name] !== null) result[name] = map(result[name] as never, at);
  return result;
}
export const forTransfer = (route: string, answer: unknown) => mapTrees(route, answer, flatten);
export const fromTransfer = (route: string, answer: unknown) => mapTrees(route, answer, unflatten);
