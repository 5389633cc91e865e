/** A command cannot go on, for a reason that the person who gave it can do something about. Shown without a stack. */
export class Failure extends Error {
  override readonly name: string = 'Failure';
  /** What to do next, as a sentence of its own. */
  readonly advice: string | undefined;
  readonly exitCode: number = exitCodes.failure;

  constructor(message: string, advice?: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.advice = advice;
  }
}

/** The command itself is wrong: an unknown flag, a value that cannot be, two flags that exclude each other. */
export class UsageError extends Failure {
  override readonly name = 'UsageError';
  override readonly exitCode = exitCodes.usage;
}

/** Scripts rely on these; they stand in the help of every command. */
export const exitCodes = { ok: 0, failure: 1, usage: 2 } as const;

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The system's name for what went wrong, such as ENOENT. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
