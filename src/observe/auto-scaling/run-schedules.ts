import type { Scope } from '../../engine/store-keys.ts';
import { minuteOf } from '../metrics.ts';
import type { ScalingBook } from './scaling-book.ts';
import type { ScheduledRecord, TargetRecord } from './scaling-records.ts';
import { readSchedule } from './schedule.ts';

/** Runs the scheduled actions of a target that are due in a minute. Answers the target after each. */
export async function runSchedules(
  { scaling, nowMs, newUuid }: { scaling: ScalingBook; nowMs: () => number; newUuid: () => string },
  { scope, target, schedules }: { scope: Scope; target: TargetRecord; schedules: readonly ScheduledRecord[] },
  minute: number,
): Promise<readonly TargetRecord[]> {
  const changed: TargetRecord[] = [];
  for (const schedule of schedules) {
    const { name, action = {}, startAt = 0, endAt = Number.POSITIVE_INFINITY } = schedule;
    const atMs = minute * 60_000;
    const read = readSchedule(schedule.schedule, schedule.timezone);
    if (typeof read === 'string' || target.suspended.ScheduledScalingSuspended) continue;
    if (atMs + 59_999 < startAt || atMs > endAt) continue;
    if (!read.isDue(minute, minuteOf(startAt === 0 ? schedule.createdAt : startAt))) continue;
    const record = await scaling.change<'target', TargetRecord | undefined>(
      scope,
      'target',
      target,
      '',
      (now) => {
        if (now === undefined) return { result: undefined };
        // One bound alone moves the other one along.
        const min = action.MinCapacity ?? Math.min(now.min, action.MaxCapacity ?? now.min);
        const max = action.MaxCapacity ?? Math.max(now.max, min);
        const next: TargetRecord = {
          ...now,
          min,
          max,
          pending: { cause: `scheduled action name ${name} was triggered` },
        };
        return { result: next, record: next };
      },
    );
    if (record === undefined) continue;
    changed.push(record);
    const what = `min capacity to ${record.min} and max capacity to ${record.max}`;
    await scaling.addActivity(scope, {
      id: newUuid(),
      resourceId: target.resourceId,
      dimension: target.dimension,
      description: `Setting ${what}`,
      cause: `scheduled action name ${name} was triggered`,
      startedAt: nowMs(),
      endedAt: nowMs(),
      status: 'Successful',
      message: `Successfully set ${what}`,
    });
    // A schedule that is due once has had its life.
    if (read.onceAtMs !== undefined)
      await scaling.change(scope, 'schedule', schedule, name, () => ({ result: undefined, record: null }));
  }
  return changed;
}
