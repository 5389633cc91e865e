import { readFileSync } from 'node:fs';

/** Megabytes that a process occupies; undefined where the system does not tell. */
export function residentMegabytes(pid: number): number | undefined {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(procFile(pid, 'status'))?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
}

/**
 * Megabytes of a process that are its own; undefined where the system does not tell. Unlike the resident set it leaves
 * out what is mapped from files, of which lmdb maps all that it has read or written.
 */
export function ownMegabytes(pid: number): number | undefined {
  const kilobytes = /RssAnon:\s+(\d+)/.exec(procFile(pid, 'status'))?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
}

/**
 * Seconds of processor time that a process has used so far, with the processes that it has started and that still run;
 * undefined where the system does not tell.
 */
export function processorSeconds(pid: number): number | undefined {
  const stat = procFile(pid, 'stat');
  if (stat === '') return undefined;
  const children = procFile(pid, `task/${pid}/children`).split(' ').filter(Boolean).map(Number);
  const ofChildren = children.map((child) => processorSeconds(child) ?? 0);
  // The name of the program stands in brackets and may itself hold blanks and brackets.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const own = (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  return ofChildren.reduce((sum, seconds) => sum + seconds, own);
}

/** What Linux counts processor time in, on every architecture that Node runs on. */
const ticksPerSecond = 100;

function procFile(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}
