import type { ResourceDescription } from '../../src/physics/describe-resource.ts';
import type { Verdict } from '../../src/physics/verdict.ts';
import { control } from './api.ts';
import { region } from './connection.ts';

export type { PartitionDescription, ResourceDescription } from '../../src/physics/describe-resource.ts';
export type { MinuteLoad } from '../../src/physics/load-history.ts';

export type Mode = 'off' | 'shadow' | 'enforce';

export interface ToldVerdict extends Verdict {
  readonly firstAt: string;
  readonly lastAt: string;
  readonly explanation: string;
}

/** What `/_stator/physics/<table>` tells. */
export interface TablePhysics {
  readonly mode: Mode;
  readonly effects: Readonly<Record<string, boolean>>;
  /** The table first, then its global indexes. */
  readonly resources: readonly ResourceDescription[];
  /** Newest first. */
  readonly verdicts: readonly ToldVerdict[];
  readonly note?: string;
}

export interface ServerClock {
  readonly nowMs: number;
  readonly now: string;
  readonly virtual: boolean;
}

export function tablePhysics(table: string, signal?: AbortSignal): Promise<TablePhysics> {
  return control<TablePhysics>(
    'GET',
    `physics/${encodeURIComponent(table)}?region=${encodeURIComponent(region.value)}`,
    undefined,
    signal,
  );
}

export function serverClock(signal?: AbortSignal): Promise<ServerClock> {
  return control<ServerClock>('GET', 'clock', undefined, signal);
}
