import { StoreError } from '../store-error.ts';

/** The process that has a data directory open. */
export interface DirectoryHolder {
  readonly pid: number;
  /** Whether it opened the directory for sharing, so that others that do the same may open it too. */
  readonly shared: boolean;
  /**
   * Where the process runs: `self` is this process; `elsewhere` is another container or machine, where `pid` means
   * nothing here.
   */
  readonly place: 'self' | 'here' | 'elsewhere';
}

/**
 * The error for a data directory that is in use. The message advises a program; the command line has its own advice.
 */
export class DirectoryInUse extends StoreError {
  /** The message without the advice. */
  readonly fact: string;
  readonly holder: DirectoryHolder;

  constructor(directory: string, holder: DirectoryHolder) {
    const fact = `The data directory ${directory} is ${holderText(holder)}.`;
    super('in-use', `${fact} ${adviceText(holder)}`);
    this.fact = fact;
    this.holder = holder;
  }
}

function holderText({ pid, place }: DirectoryHolder): string {
  if (place === 'self') return 'already open in this process';
  return `in use by process ${pid}${place === 'here' ? '' : ' of another container or machine'}`;
}

function adviceText({ shared, place }: DirectoryHolder): string {
  if (shared)
    return 'Open it for sharing too (store: { directory, shared: true }), or choose another directory.';
  const first = place === 'self' ? 'Use the database that is open' : 'Stop that process';
  return `${first}, choose another directory, or open both for sharing (store: { directory, shared: true }).`;
}
