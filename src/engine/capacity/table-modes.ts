import { type MaybePromise, whenDone } from '../../model/maybe-promise.ts';
import { tableArnIn } from '../../model/tables/table-arn.ts';
import { mergeOverrides, type PhysicsOverrides, type PhysicsSettings } from '../../physics/modes.ts';
import type { Scope } from '../store-keys.ts';
import type { Catalogue } from '../tables/catalogue.ts';
import type { ModeSettings } from './mode-settings.ts';

interface TableModesDeps {
  readonly catalogue: Catalogue;
  readonly capacity: { readonly modes: ModeSettings };
}

/**
 * Gives a table settings of its own, beside those it has, or takes all of them back. They go into its record under a new
 * epoch, so that every process meets them with its next request to the table. Answers what holds then; undefined if there
 * is no such table.
 */
export function setTableModes(
  { catalogue, capacity: { modes } }: TableModesDeps,
  scope: Scope,
  name: string,
  wanted: PhysicsOverrides | undefined,
): MaybePromise<PhysicsSettings | undefined> {
  const arn = tableArnIn(scope, name);
  const changed = catalogue.change(scope, name, (current) => {
    if (current === undefined || current.phases.deletingUntil !== undefined) return undefined;
    const { physics: before, ...record } = current;
    const physics = wanted && mergeOverrides(before, wanted);
    return { put: { ...record, epoch: current.epoch + 1, ...(physics && { physics }) } };
  });
  return whenDone(changed, (record) => {
    if (record === undefined) return undefined;
    modes.noteTable(arn, record.physics);
    return modes.of(arn);
  });
}
