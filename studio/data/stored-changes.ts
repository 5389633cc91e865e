import { plural, units } from '../parts/format.ts';
import { toast } from '../shell/toast.ts';
import { errorText } from './api.ts';
import { type CommitResult, commitApart, commitTogether, inverse } from './commit.ts';
import { committed } from './committed.ts';
import { type StagedChange, stage, stagedChanges, stagedId, unstage } from './staged.ts';

/** Commits changes, marks what met another version, and offers the way back. */
export async function commitStaged(
  changes: readonly StagedChange[],
  together: boolean,
): Promise<CommitResult> {
  const result = await (together ? commitTogether(changes) : commitApart(changes));
  // What is left of a change that was written in part begins where the writing ended.
  const left = [...result.conflicts, ...result.failures.map(({ change }) => change)];
  const leftIds = new Set(left.map(stagedId));
  for (const id of result.committed.map(stagedId)) if (!leftIds.has(id)) unstage(id);
  for (const change of left) if (stagedChanges.value.has(stagedId(change))) stage(change);
  if (result.committed.length > 0) {
    committed.tell(result.committed);
    toast(`Committed ${plural(result.committed.length, 'change')} · ${units(result.units)} WCU`, {
      action: { label: 'Undo', run: () => void undo(result.committed, together) },
    });
  }
  return result;
}

/** Takes changes back under the same conditions: what others did meanwhile is not overwritten. */
async function undo(changes: readonly StagedChange[], together: boolean): Promise<void> {
  try {
    const back = inverse(changes);
    const result = await (together ? commitTogether(back) : commitApart(back));
    committed.tell(result.committed);
    const left = result.conflicts.length + result.failures.length;
    if (left === 0) toast(`Took back ${plural(changes.length, 'change')}`);
    else toast(`${plural(left, 'item')} changed meanwhile and stayed as they are`, { kind: 'red' });
  } catch (error) {
    toast(errorText(error), { kind: 'red' });
  }
}
