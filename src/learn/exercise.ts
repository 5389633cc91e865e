import type { Bench } from './bench.ts';

/** One exercise. Its texts and files lie under `course/`; this is the part that judges. */
export interface Exercise {
  /** What people type: `stator learn check hot-shipment`. */
  readonly id: string;
  /** The files that the learner changes, the first one first. */
  readonly files: readonly string[];
  /** The pages of the handbook behind it. */
  readonly topics: readonly string[];
  /** Files beside them that are computed, such as logs. Always the same texts. */
  generated?(): Promise<Readonly<Record<string, string>>> | Readonly<Record<string, string>>;
  /** Runs the learner's files step by step. Ends with the first step that does not pass. */
  judge(bench: Bench): Promise<void>;
}

export interface Chapter {
  readonly id: string;
  readonly title: string;
  readonly exercises: readonly Exercise[];
}
