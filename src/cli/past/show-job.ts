import { machine } from '../../runtime/machine/machine.ts';
import type { Output } from '../output.ts';
import { progressText } from '../progress-text.ts';
import type { PastPlace } from './past-place.ts';

/** Shows how far the latest backup, restore or export of a table has come. */
export async function showJob(
  place: PastPlace,
  output: Output,
  kind: 'backup' | 'restore' | 'export',
  tableName: string,
  beganMs: number,
): Promise<void> {
  if (!output.showsProgress) return;
  const job = (await place.jobs(kind, tableName)).findLast(({ state }) => state === 'IN_PROGRESS');
  const seconds = (machine.nowMs() - beganMs) / 1_000;
  output.progress(
    job === undefined
      ? `${tableName} …`
      : `${tableName}  ${progressText({ done: job.items, total: job.itemsExpected, seconds, unit: 'items' })}`,
  );
}
