import { StoreError } from '../store-error.ts';

/** The process that keeps another from opening a data directory. */
export interface DirectoryHolder {
  readonly pid: number;
  /** It lets others in that open the directory for sharing too. */
  readonly shared: boolean;
  /** `self` is the process that asks; `elsewhere` another container or machine, where `pid` means nothing here. */
  readonly place: 'self' | 'here' | 'elsewhere';
}

/** Somebody has the data directory open. The message advises a program; the command line has advice of its own. */
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
