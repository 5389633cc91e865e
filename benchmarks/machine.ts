import { arch, cpus, loadavg, platform } from 'node:os';

/** Where and when figures were taken. Without it they mean little. */
export interface Machine {
  readonly cores: number;
  readonly processor: string;
  readonly node: string;
  readonly system: string;
  /** Of the last minute, before and after. Well above 0 before the start, the machine was busy with something else. */
  readonly loadAtStart: number;
  readonly loadAtEnd: number;
}

/** Looks at the machine now, and again when the answer is called. */
export function watchMachine(): () => Machine {
  const loadAtStart = loadavg()[0]!;
  return () => ({
    cores: cpus().length,
    processor: cpus()[0]?.model ?? 'unknown',
    node: process.version,
    system: `${platform()} ${arch()}`,
    loadAtStart,
    loadAtEnd: loadavg()[0]!,
  });
}

export function describeMachine({ cores, processor, node, system, loadAtStart, loadAtEnd }: Machine): string {
  return (
    `${cores} cores (${processor}), Node ${node}, ${system}; ` +
    `load ${loadAtStart.toFixed(2)} at the start, ${loadAtEnd.toFixed(2)} at the end`
  );
}
