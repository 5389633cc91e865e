import type { Authorize } from '../model/access/authorize.ts';
import { type PrincipalKind, principalOf } from '../model/access/principal.ts';
import type { Caller } from './events.ts';

export interface ProcessCallerOptions {
  readonly accountId: string;
  readonly region: string;
  readonly requestId: string;
  /** Stands in the place of an access key. */
  readonly accessKeyId: string;
  readonly kind?: PrincipalKind;
  /** Stated, as at every door. Undefined permits everything, as for the parts of Stator that call its operations. */
  readonly authorize: Authorize | undefined;
}

/** A caller within this process that is no client: a part of Stator, or one of its tools. */
export function processCaller({ kind, ...caller }: ProcessCallerOptions): Caller {
  const principal = principalOf({ ...caller, ...(kind && { stated: { kind } }) });
  return { ...caller, principal, header: () => undefined };
}
