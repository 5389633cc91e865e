export interface Edge {
  readonly from: number;
  readonly to: number;
  readonly why: string;
}

/**
 * One shortest cycle of each strongly connected component of a graph. Nodes that do not count as steps of a cycle, as
 * those that only pass on an order, are left out of what is told.
 */
export function cyclesOf(edges: readonly Edge[], counts: (node: number) => boolean): Edge[][] {
  const outgoing = new Map<number, Edge[]>();
  for (const edge of edges) {
    const known = outgoing.get(edge.from);
    if (known === undefined) outgoing.set(edge.from, [edge]);
    else known.push(edge);
  }
  return componentsOf(outgoing)
    .filter((component) => component.length > 1)
    .map((component) => shortestCycle(component, outgoing, counts));
}

/** Tarjan's algorithm, with a stack of its own instead of recursion: histories are long. */
function componentsOf(outgoing: ReadonlyMap<number, readonly Edge[]>): number[][] {
  const numbers = new Map<number, number>();
  const lows = new Map<number, number>();
  const stack: number[] = [];
  const onStack = new Set<number>();
  const components: number[][] = [];
  const enter = (node: number) => {
    numbers.set(node, numbers.size);
    lows.set(node, numbers.size - 1);
    stack.push(node);
    onStack.add(node);
    return { node, next: 0 };
  };
  for (const root of outgoing.keys()) {
    if (numbers.has(root)) continue;
    const frames = [enter(root)];
    while (frames.length > 0) {
      const frame = frames[frames.length - 1]!;
      const edge = outgoing.get(frame.node)?.[frame.next];
      if (edge !== undefined) {
        frame.next++;
        if (!numbers.has(edge.to)) frames.push(enter(edge.to));
        else if (onStack.has(edge.to)) lower(lows, frame.node, numbers.get(edge.to)!);
        continue;
      }
      frames.pop();
      const above = frames[frames.length - 1];
      if (above !== undefined) lower(lows, above.node, lows.get(frame.node)!);
      if (lows.get(frame.node) !== numbers.get(frame.node)) continue;
      const component = stack.splice(stack.lastIndexOf(frame.node));
      for (const node of component) onStack.delete(node);
      components.push(component);
    }
  }
  return components;
}

function lower(lows: Map<number, number>, node: number, low: number): void {
  if (low < lows.get(node)!) lows.set(node, low);
}

function shortestCycle(
  component: readonly number[],
  outgoing: ReadonlyMap<number, readonly Edge[]>,
  counts: (node: number) => boolean,
): Edge[] {
  const inside = new Set(component);
  const start = component.find(counts)!;
  const reachedBy = new Map<number, Edge>();
  const queue = [start];
  for (let at = 0; at < queue.length; at++) {
    for (const edge of outgoing.get(queue[at]!) ?? []) {
      if (!inside.has(edge.to) || reachedBy.has(edge.to)) continue;
      reachedBy.set(edge.to, edge);
      queue.push(edge.to);
    }
  }
  const cycle: Edge[] = [];
  for (let node = start; cycle.length === 0 || node !== start; node = cycle[0]!.from)
    cycle.unshift(reachedBy.get(node)!);
  return cycle.filter(({ from }) => counts(from));
}
