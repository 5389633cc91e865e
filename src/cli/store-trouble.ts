import { StoreError, type Trouble } from '../index.ts';
import { DirectoryInUse } from '../open-store.ts';
import { codeOf, Failure } from './failure.ts';
import { adviceToServe, type InUseAdvice } from './in-use-advice.ts';

/** What the command line can do about each trouble, where the message itself does not say. */
const adviceFor: Readonly<Record<Trouble, string | undefined>> = {
  full: 'Make room on that disk, or choose another directory with --data-dir.',
  corrupt: undefined,
  unavailable: undefined,
  'unknown-outcome': 'Start again.',
  contention: 'Start again.',
  'in-use': undefined,
  format: undefined,
  closed: undefined,
};

/** Trouble with the data is the world's and is told in a paragraph; anything else is left as it is, a defect. */
export async function troubleAsFailure(
  error: unknown,
  adviceInUse: InUseAdvice = adviceToServe,
): Promise<unknown> {
  if (error instanceof DirectoryInUse) return new Failure(error.fact, await adviceInUse(error), error);
  if (!(error instanceof StoreError)) return error;
  return new Failure(error.message, adviceFor[error.trouble] ?? adviceForCause(error.cause), error);
}

function adviceForCause(cause: unknown): string | undefined {
  switch (codeOf(cause)) {
    case 'EACCES':
    case 'EPERM':
      return `It must be readable and writable for this user (${process.getuid?.() ?? 'see its properties'}): change its owner or mode, or choose another with --data-dir.`;
    case 'EROFS':
      return 'That file system is read-only: choose another directory with --data-dir, or use --in-memory.';
    case 'EEXIST':
    case 'ENOTDIR':
      return 'Something on that path is a file: choose another directory with --data-dir.';
    case 'ECONNREFUSED':
    case 'ENOTFOUND':
    case 'ETIMEDOUT':
      return 'Check that the database server is running and that the URL in --store names it.';
    default:
      return undefined;
  }
}
