import type { Scope } from '../../engine/store-keys.ts';
import { configurationItem } from '../alarms/configuration-item.ts';
import type { ScalingContext } from './scaling-context.ts';
import type { PolicyRecord } from './scaling-records.ts';

/** Deletes a policy and the alarms that it has made. */
export async function deletePolicy(
  { scaling, book, nowMs }: Pick<ScalingContext, 'scaling' | 'book' | 'nowMs'>,
  scope: Scope,
  policy: PolicyRecord,
): Promise<void> {
  for (const { name } of policy.alarms)
    await book.change(scope, name, (before) =>
      before === undefined
        ? { result: undefined }
        : { result: undefined, record: null, history: [configurationItem(before, undefined, nowMs())] },
    );
  await scaling.change(scope, 'policy', policy, policy.name, () => ({ result: undefined, record: null }));
}
