import type { Scope } from '../../engine/store-keys.ts';
import type { RecordEdit } from '../record-edit.ts';
import type { ScalingContext } from './scaling-context.ts';
import type { PolicyRecord } from './scaling-records.ts';

/** The edits that delete a policy and the alarms that it has made. */
export function policyDeletion(
  { scaling, book }: Pick<ScalingContext, 'scaling' | 'book'>,
  scope: Scope,
  policy: PolicyRecord,
): RecordEdit[] {
  return [
    ...policy.alarms.map(({ name }) => book.deletion(scope, name)),
    scaling.edit(scope, 'policy', policy, policy.name, () => null),
  ];
}
