import type { SharedSecond } from '../observe/live-rates.ts';
import type { ProcessMetrics } from '../observe/prometheus.ts';
import type { StatorServer } from '../server.ts';
import type { ServerPlan } from './open-database.ts';

/** The command by which the primary starts its workers. It is not in the list of commands, since nobody types it. */
export const workerWord = 'worker';

/** What the primary says to a worker. */
export type ToWorker =
  | { readonly start: ServerPlan; readonly number: number }
  /** What another worker counted. */
  | { readonly counted: SharedSecond; readonly by: number }
  /** Another worker is asked for the metrics of all. The answer has the same number. */
  | { readonly metricsWanted: number }
  /** The metrics of the other workers, for the one that asked. */
  | { readonly metricsOfOthers: readonly ProcessMetrics[]; readonly asked: number }
  /** The process of another worker has ended, maybe in the middle of a commit. */
  | { readonly workerEnded: number }
  /** Finish the requests under way, and end. */
  | { readonly stop: true };

/** What a worker says to the primary. */
export type FromWorker =
  /** It listens to the primary; what was said before is lost. */
  | { readonly ready: true }
  | { readonly listening: Pick<StatorServer, 'host' | 'port' | 'url' | 'controlUrl'> }
  /** What it counted in a second, for the other workers. */
  | { readonly counted: SharedSecond }
  /** It wants the metrics of the other workers, and numbers its question. */
  | { readonly askMetrics: number }
  | { readonly metrics: ProcessMetrics; readonly wanted: number }
  /** Why it cannot serve, in the words of a `Failure`; it ends after that. */
  | { readonly failed: WorkerFailure };

export interface WorkerFailure {
  readonly message: string;
  readonly advice?: string | undefined;
  /** The system's name for what was wrong with listening. */
  readonly code?: string | undefined;
}
