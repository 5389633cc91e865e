import { writeSync } from 'node:fs';

/**
 * Prints a line at once: when this returns, the line has left the process, and a kill cannot take it back. A pipe that
 * is full refuses for a moment (EAGAIN), until the parent has read on.
 */
export function say(line: string): void {
  for (let rest = Buffer.from(`${line}\n`); rest.length > 0; ) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}
