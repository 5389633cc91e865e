import type { Attempt } from '../../learn/judge-exercise.ts';

/** The command by which a check starts the process that runs the learner's files. Nobody types it. */
export const judgeWord = 'learn-judge';

/** What the process is told to judge. */
export interface ToJudge {
  readonly exercise: string;
  readonly folder: string;
}

/** What it answers. */
export type FromJudge =
  /** It listens. */
  | { readonly ready: true }
  /** A step begins. */
  | { readonly step: string }
  | { readonly attempt: Attempt }
  /** The learner's code failed where nobody waited for it. */
  | { readonly lost: string }
  /** The course itself is wrong. */
  | { readonly defect: string };
