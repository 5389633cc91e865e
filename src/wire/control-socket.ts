import { chmodSync, lstatSync, rmSync } from 'node:fs';
import { connect } from 'node:net';

/** Removes the socket that a killed process has left. One on which a process listens stays, and listening on it fails. */
export async function removeStaleSocket(path: string): Promise<void> {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSocket() !== true) return;
  const isStale = await new Promise<boolean>((resolve) => {
    const probe = connect(path);
    probe.once('connect', () => resolve(false));
    probe.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNREFUSED'));
    probe.once('close', () => probe.destroy());
    probe.once('connect', () => probe.destroy());
  });
  if (isStale) rmSync(path, { force: true });
}

/** Makes the socket its owner's alone: who opens it may use the control API. */
export function closeSocketToOthers(path: string): void {
  if (process.platform !== 'win32') chmodSync(path, 0o600);
}
