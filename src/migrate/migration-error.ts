/**
 * Why a migration does not go on. Nothing is half done: what was done is in the history, and the same command goes on
 * where it ended.
 *
 * - `locked`: another runner is at work.
 * - `plan`: a migration by another plan has begun.
 * - `schema`: a table is not as the migration left it.
 * - `denied`: the credentials lack a permission.
 * - `data`: items contradict the new design, such as two with one unique value.
 * - `state`: what is asked for does not fit how far the migration has come.
 */
export type MigrationTrouble = 'locked' | 'plan' | 'schema' | 'denied' | 'data' | 'state';

/** A migration does not go on; `trouble` says why and `advice` what to do next. */
export class MigrationError extends Error {
  readonly trouble: MigrationTrouble;
  /** What to do next. */
  readonly advice: string | undefined;

  constructor(trouble: MigrationTrouble, message: string, advice?: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'MigrationError';
    this.trouble = trouble;
    this.advice = advice;
  }
}
