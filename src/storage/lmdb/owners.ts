import { readFileSync, readlinkSync, statSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { DirectoryInUse } from './directory-in-use.ts';

/**
 * Who has the data directory open. The list lives in the database itself and is changed within a write
 * transaction, of which LMDB allows one at a time over all processes: two processes that start together cannot
 * both find the directory free.
 *
 * A process that was killed leaves its entry behind, so every entry can be checked for life: by process id and
 * start time, which together are never used twice on one boot. A process in another container has ids of another
 * namespace; of that one only a sign of life can be seen, a file it touches every few seconds.
 */
export interface Owner {
  readonly token: string;
  readonly shared: boolean;
  readonly pid: number;
  readonly started: string;
  readonly namespace: string;
}

export function describeSelf(token: string, shared: boolean): Owner {
  return { token, shared, pid: process.pid, started: startOf(process.pid), namespace: namespaceOfSelf() };
}

/**
 * The list with `self` in it and the dead gone, and whether any had died without closing the store. Throws when
 * somebody living keeps `self` out.
 */
export function admit(
  owners: readonly Owner[],
  self: Owner,
  directory: string,
  nowMs: number,
): { owners: Owner[]; foundDead: boolean } {
  const living = owners.filter((owner) => isAlive(owner, self, directory, nowMs));
  for (const owner of owners) if (!living.includes(owner)) removeSignOfLife(directory, owner.token);
  const other = self.shared ? living.find((owner) => !owner.shared) : living[0];
  if (other !== undefined) throw inUse(other, self, directory);
  return { owners: [...living, self], foundDead: living.length < owners.length };
}

export const signOfLifeIntervalMs = 3_000;
const signOfLifeAgeMsMax = 5 * signOfLifeIntervalMs;

export function giveSignOfLife(directory: string, token: string, nowMs: number): void {
  const path = signPath(directory, token);
  try {
    utimesSync(path, nowMs / 1000, nowMs / 1000);
  } catch {
    writeFileSync(path, '');
  }
}

export function removeSignOfLife(directory: string, token: string): void {
  try {
    unlinkSync(signPath(directory, token));
  } catch {
    // It was never written, or another opener removed it first.
  }
}

function signPath(directory: string, token: string): string {
  return `${directory}/alive-${token}`;
}

function isAlive(owner: Owner, self: Owner, directory: string, nowMs: number): boolean {
  if (owner.namespace !== self.namespace) {
    try {
      return Math.abs(nowMs - statSync(signPath(directory, owner.token)).mtimeMs) < signOfLifeAgeMsMax;
    } catch {
      return false;
    }
  }
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    // EPERM: it lives, under another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return startOf(owner.pid) === owner.started;
}

function inUse(other: Owner, self: Owner, directory: string): DirectoryInUse {
  const isHere = other.namespace === self.namespace;
  const place = isHere ? (other.pid === self.pid ? 'self' : 'here') : 'elsewhere';
  return new DirectoryInUse(directory, { pid: other.pid, shared: other.shared, place });
}

/** Boot and start time of a process, where the system tells (Linux); elsewhere the process id has to do. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the command in parentheses and may hold blanks; the start time is the 22nd.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // Dead, but its parent has not asked how it ended; the first process of a container may never do so.
    if (fields[0] === 'Z' || fields[0] === 'X') return '';
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot}/${fields[19]}`;
  } catch {
    return '';
  }
}

function namespaceOfSelf(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return process.platform;
  }
}
