import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { dirname } from 'node:path';
import { machine } from '../../runtime/machine/machine.ts';
import type { Cancel } from '../../runtime/virtual-timers.ts';
import type { CommandContext } from '../command.ts';
import { StopSignals } from '../stop-signals.ts';

/** Editors write a file in several steps; what follows within this time belongs together. */
const settleMs = 120;

/**
 * Runs the same command again, without `--watch`, whenever something in the folder of the file changes, until it is
 * stopped. Each run is a process of its own, so that changed modules are loaded afresh.
 */
export async function watchAndRerun(path: string, { output }: CommandContext): Promise<void> {
  const args = process.argv.slice(1).filter((word) => word !== '--watch');
  const signals = new StopSignals();
  let running = false;
  let again = false;
  const run = () => {
    if (running) {
      again = true;
      return;
    }
    running = true;
    const child = spawn(process.execPath, [...process.execArgv, ...args], { stdio: 'inherit' });
    child.on('close', () => {
      running = false;
      if (again && !signals.asked.aborted) {
        again = false;
        run();
      } else output.log('info', `Watching ${dirname(path)}; Ctrl-C ends it.`);
    });
  };
  let cancel: Cancel | undefined;
  const watcher = watch(dirname(path), { recursive: false }, (_event, name) => {
    if (name === null || !/\.(ts|mts|js|mjs|json)$/.test(name)) return;
    cancel?.();
    cancel = machine.timer(settleMs, run);
  });
  run();
  await new Promise<void>((resolve) => {
    signals.asked.addEventListener('abort', () => resolve(), { once: true });
  });
  cancel?.();
  watcher.close();
  signals.release();
}
