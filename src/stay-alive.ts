import { machine } from './runtime/machine/machine.ts';
/** Runs some work. Timers of background work do not keep a process alive; a program that waits for the work stays. */
export async function stayAlive(work: () => Promise<void>): Promise<void> {
  const end = machine.stayAlive();
  try {
    await work();
  } finally {
    end();
  }
}
