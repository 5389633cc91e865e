import type { DynamoError } from '../model/errors.ts';
import { overKeyRange, overMaximum, overProvisioned, overQuota, type Resource } from './resource.ts';
import {
  type AccessKind,
  type ThrottlingCause,
  throttlingError,
  throttlingForm,
  throttlingReasonName,
} from './throttling.ts';

/** By what `Resource.check` answers. */
const causes: Readonly<Record<number, ThrottlingCause>> = {
  [overProvisioned]: 'ProvisionedThroughputExceeded',
  [overMaximum]: 'MaxOnDemandThroughputExceeded',
  [overQuota]: 'AccountLimitExceeded',
  [overKeyRange]: 'KeyRangeThroughputExceeded',
};

export function throttlingCause(code: number): ThrottlingCause {
  const cause = causes[code];
  if (cause === undefined) throw new RangeError(`${code} is no reason to refuse a request`);
  return cause;
}

/** The error for a code of `Resource.check`. Pure, for `decide`: the refusal itself is counted later. */
export function throttlingErrorFor(resource: Resource, kind: AccessKind, code: number): DynamoError {
  const cause = throttlingCause(code);
  const { identity, isIndex, throughput } = resource;
  const reason = throttlingReasonName(cause, kind, isIndex);
  return throttlingError(throttlingForm(cause, kind, isIndex, throughput.mode), [
    { reason, resource: identity.arn },
  ]);
}
