import type { DoctorReport } from '../../doctor/index.ts';
import { Failure } from '../failure.ts';
import type { Output } from '../output.ts';
import { changesText, type TextChoices } from './doctor-text.ts';
import type { Examine } from './examine.ts';

export interface Watching {
  readonly output: Output;
  readonly choices: TextChoices;
  /** Aborted when the watch is to end. */
  readonly signal: AbortSignal;
  readonly print: (report: DoctorReport) => void;
  /** The time between two looks; returns at once when the signal aborts. */
  readonly pause: (signal: AbortSignal) => Promise<void>;
}

/**
 * Looks again and again: the whole report first, then what has come and gone, or with `--json` every report. What fails at
 * the first look ends the command, as a wrong address does; later it is told once, and the watch goes on.
 */
export async function watchTables(
  examine: Examine,
  { output, choices, signal, print, pause }: Watching,
): Promise<void> {
  let before: DoctorReport | undefined;
  let trouble: string | undefined;
  while (!signal.aborted && !output.isUnread) {
    try {
      const report = await examine();
      if (trouble !== undefined) output.log('info', 'The tables can be examined again.');
      trouble = undefined;
      if (before === undefined || output.isJson) print(report);
      else showChanges(before, report, output, choices);
      before = report;
    } catch (error) {
      if (signal.aborted || before === undefined || !(error instanceof Failure)) throw error;
      // A server that goes away fails first in one way, then in others: what helps is what tells troubles apart.
      const now = error.advice ?? error.message;
      if (now !== trouble) output.log('warning', `${error.message} Looking again.`);
      trouble = now;
    }
    await pause(signal);
  }
}

function showChanges(before: DoctorReport, report: DoctorReport, output: Output, choices: TextChoices): void {
  if (changesText(before, report, choices, (_, text) => text) === undefined) return;
  output.page((style) => changesText(before, report, choices, style) ?? '');
}
