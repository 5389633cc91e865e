import { readdirSync, readFileSync, readlinkSync, rmSync, statSync, unlinkSync, utimesSync } from 'node:fs';
import { writePrivateFile } from '../../files/private-files.ts';
import { flag, isA, listOf, object, text, whole } from '../../model/json/fields.ts';
import { StoreError } from '../store-error.ts';
import { DirectoryInUse } from './directory-in-use.ts';

/**
 * A process that has the data directory open. The list of owners is in the database itself and changes within a write
 * transaction. LMDB allows one write transaction at a time over all processes, so two processes that start together
 * cannot both find the directory free.
 *
 * A killed process leaves its entry in the list, so every entry can be checked for life. A process id and a start
 * time together are never used twice on one boot. A process in another container has ids of another namespace; for
 * that one, the only evidence is a file that it touches every few seconds.
 */
export interface Owner {
  readonly token: string;
  readonly shared: boolean;
  readonly pid: number;
  readonly started: string;
  readonly namespace: string;
}

const ownerList = listOf(
  object<Owner>({ token: text, shared: flag, pid: whole, started: text, namespace: text }),
);

export function encodeOwners(owners: readonly Owner[]): Uint8Array {
  return Buffer.from(JSON.stringify(owners));
}

export function decodeOwners(stored: Uint8Array): readonly Owner[] {
  let owners: unknown;
  try {
    owners = JSON.parse(Buffer.from(stored).toString());
  } catch (error) {
    throw new StoreError('corrupt', 'The list of the processes that have the store open is no JSON', error);
  }
  if (isA(ownerList, owners)) return owners;
  const fault = ownerList.fault(owners);
  throw new StoreError(
    'corrupt',
    `The list of the processes that have the store open is damaged: its value${fault}`,
  );
}

export function describeSelf(token: string, shared: boolean): Owner {
  return { token, shared, pid: process.pid, started: startOf(process.pid), namespace: namespaceOfSelf() };
}

/**
 * Adds `self` to the list and removes dead owners. Tells whether any of them died without closing the store. Throws
 * if a living owner excludes `self`.
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

/** The tokens of owners that have ended without leaving the list. */
export function endedOwners(
  owners: readonly Owner[],
  self: Owner,
  directory: string,
  nowMs: number,
): string[] {
  return owners
    .filter((owner) => owner.token !== self.token && !isAlive(owner, self, directory, nowMs))
    .map(({ token }) => token);
}

export const signOfLifeIntervalMs = 3_000;
const signOfLifeAgeMsMax = 5 * signOfLifeIntervalMs;

export function giveSignOfLife(directory: string, token: string, nowMs: number): void {
  const path = signPath(directory, token);
  try {
    utimesSync(path, nowMs / 1000, nowMs / 1000);
  } catch {
    writePrivateFile(path, '');
  }
}

export function removeSignOfLife(directory: string, token: string): void {
  try {
    unlinkSync(signPath(directory, token));
  } catch {
    // The file was never written, or another process removed it first.
  }
}

/** Notes that somebody is about to look up the current file and to open it. */
export function noteOpening(directory: string, token: string): void {
  writePrivateFile(openingPath(directory, token), '');
}

export function removeOpening(directory: string, token: string): void {
  rmSync(openingPath(directory, token), { force: true });
}

/** The notes of those who are opening a file. One who was killed meanwhile leaves a note, which is removed when it is old. */
export function openingNotes(directory: string, nowMs: number): Set<string> {
  const tokens = readdirSync(directory).flatMap((name) => /^opening-(.+)$/.exec(name)?.[1] ?? []);
  return new Set(
    tokens.filter((token) => {
      if (isFresh(openingPath(directory, token), nowMs)) return true;
      removeOpening(directory, token);
      return false;
    }),
  );
}

function isFresh(path: string, nowMs: number): boolean {
  try {
    return Math.abs(nowMs - statSync(path).mtimeMs) < signOfLifeAgeMsMax;
  } catch {
    return false;
  }
}

function openingPath(directory: string, token: string): string {
  return `${directory}/opening-${token}`;
}

function signPath(directory: string, token: string): string {
  return `${directory}/alive-${token}`;
}

function isAlive(owner: Owner, self: Owner, directory: string, nowMs: number): boolean {
  if (owner.namespace !== self.namespace) return isFresh(signPath(directory, owner.token), nowMs);
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    // EPERM: the process lives, under another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return startOf(owner.pid) === owner.started;
}

function inUse(other: Owner, self: Owner, directory: string): DirectoryInUse {
  const isHere = other.namespace === self.namespace;
  const place = isHere ? (other.pid === self.pid ? 'self' : 'here') : 'elsewhere';
  return new DirectoryInUse(directory, { pid: other.pid, shared: other.shared, place });
}

/**
 * The boot id and the start time of a process on Linux. Other systems do not tell, so there the process id must do.
 */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the command in parentheses and may contain blanks. The start time is the 22nd field.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie: the process is dead, but its parent has not collected its status. The first process of a container
    // may never do so.
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
