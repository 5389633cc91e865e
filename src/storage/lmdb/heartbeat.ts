import { statSync } from 'node:fs';
import { machine } from '../../runtime/machine/machine.ts';
import { StoreError } from '../store-error.ts';
import { endedOwners, giveSignOfLife, type Owner, signOfLifeIntervalMs } from './owners.ts';

/** What an open data file looks at every few seconds. */
export interface Heartbeat {
  /** Called when another process that had the file open has ended without closing it. */
  ownerEnded: () => void;
  /** Throws `trouble` if the directory no longer has the data file under its name. */
  checkPresence(trouble: 'unavailable' | 'unknown-outcome'): void;
  stop(): void;
}

interface HeartbeatDeps {
  readonly directory: string;
  readonly path: string;
  readonly self: Owner;
  readonly readOwners: () => readonly Owner[];
}

export function startHeartbeat({ directory, path, self, readOwners }: HeartbeatDeps): Heartbeat {
  const seen = new Set<string>();
  const opened = inodeOf(path);
  const heartbeat: Heartbeat = {
    ownerEnded: () => {},
    checkPresence(trouble) {
      if (inodeOf(path) !== opened) throw lost(path, trouble);
    },
    stop: () => stop(),
  };
  const lookForEnded = () => {
    const ended = endedOwners(readOwners(), self, directory, machine.nowMs());
    const isNew = ended.some((token) => !seen.has(token));
    for (const token of ended) seen.add(token);
    if (isNew) heartbeat.ownerEnded();
  };
  const stop = machine.every(signOfLifeIntervalMs, () => {
    try {
      giveSignOfLife(directory, self.token, machine.nowMs());
      if (self.shared) lookForEnded();
    } catch {
      // The directory may be gone or the disk full. The next request says so.
    }
  });
  return heartbeat;
}

function inodeOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}

function lost(path: string, trouble: 'unavailable' | 'unknown-outcome'): StoreError {
  return new StoreError(
    trouble,
    `The data file ${path} was removed, moved or replaced while it was open. What is written now would be lost with this process. ` +
      'Put the file back, or stop this process and start it anew.',
  );
}
