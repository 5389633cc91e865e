/** What of a `.cpuprofile` is read here. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  readonly children?: readonly number[];
}

export interface ProfileSummary {
  /** Milliseconds that the processor was busy; waiting for requests is left out. */
  readonly busyMs: number;
  /** Self time. */
  readonly functions: readonly Share[];
  readonly files: readonly Share[];
  /** Time of functions with all that they call. */
  readonly whole: readonly Share[];
}

export interface Share {
  readonly name: string;
  readonly percent: number;
}

/** Where the time went, largest first. */
export function summarise({ nodes, samples, timeDeltas }: CpuProfile): ProfileSummary {
  const self = new Map<number, number>();
  for (const [at, id] of samples.entries()) self.set(id, (self.get(id) ?? 0) + (timeDeltas[at] ?? 0));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const functions = new Map<string, number>();
  const files = new Map<string, number>();
  const whole = new Map<string, number>();
  let busy = 0;
  /** Adds a node up and answers its time with all below; a function within itself is counted once. */
  const visit = (node: ProfileNode, above: ReadonlySet<string>): number => {
    const { functionName, url } = node.callFrame;
    if (functionName === '(idle)' || isProfiler(node)) return 0;
    const own = self.get(node.id) ?? 0;
    const name = nameOf(node);
    busy += own;
    add(functions, name, own);
    add(files, fileOf(url, functionName), own);
    const within = new Set(above).add(name);
    let all = own;
    for (const child of node.children ?? []) all += visit(byId.get(child)!, within);
    if (!above.has(name)) add(whole, name, all);
    return all;
  };
  const called = new Set(nodes.flatMap(({ children = [] }) => children));
  for (const node of nodes) if (!called.has(node.id)) visit(node, new Set());
  return {
    busyMs: busy / 1_000,
    functions: shares(functions, busy),
    files: shares(files, busy),
    whole: shares(whole, busy),
  };
}

export function renderProfile(title: string, { busyMs, functions, files, whole }: ProfileSummary): string {
  const lines = (list: readonly Share[], most: number) =>
    list.slice(0, most).map(({ name, percent }) => `${percent.toFixed(1).padStart(6)} %  ${name}`);
  return [
    title,
    `${busyMs.toFixed(0)} ms by the clock, waiting for requests left out`,
    '',
    'Functions, self time',
    ...lines(functions, 40),
    '',
    'Files, self time',
    ...lines(files, 30),
    '',
    'Functions of the package, with all that they call',
    ...lines(
      whole.filter(({ name }) => name.includes('/') && !name.includes('node:')),
      50,
    ),
    '',
  ].join('\n');
}

/** Starting and stopping the profiler is seen by itself. */
function isProfiler({ callFrame: { functionName, url } }: ProfileNode): boolean {
  return url === '' && functionName === 'dispatch';
}

function add(sums: Map<string, number>, name: string, micros: number): void {
  sums.set(name, (sums.get(name) ?? 0) + micros);
}

function shares(sums: ReadonlyMap<string, number>, all: number): Share[] {
  return [...sums]
    .filter(([, micros]) => micros > 0)
    .map(([name, micros]) => ({ name, percent: (micros / all) * 100 }))
    .sort((a, b) => b.percent - a.percent);
}

function nameOf({ callFrame: { functionName, url, lineNumber } }: ProfileNode): string {
  if (url === '') return functionName || '(native)';
  return `${functionName || '(anonymous)'}  ${fileOf(url, functionName)}:${lineNumber + 1}`;
}

/** Below the package's folder, or the package it is from; what has no file is the collector, or native code. */
function fileOf(url: string, functionName: string): string {
  if (url === '') return functionName.startsWith('(') ? functionName : '(native)';
  return url
    .replace(/^file:\/\//, '')
    .replace(/^.*\/(?:dist|node_modules)\//, '')
    .replace(/^.*\/(?=benchmarks\/)/, '');
}
