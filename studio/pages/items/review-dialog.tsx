import { useState } from 'preact/hooks';
import { errorText } from '../../data/api.ts';
import { commitUnits, transactionMax } from '../../data/commit.ts';
import { type AttributeValue, type Item, shownValue, typeOf } from '../../data/items.ts';
import {
  attributeChanges,
  discardAll,
  rebased,
  type StagedChange,
  stage,
  stagedChanges,
  stagedId,
  unstage,
} from '../../data/staged.ts';
import { commitStaged } from '../../data/stored-changes.ts';
import { Button } from '../../parts/buttons.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { plural, units } from '../../parts/format.ts';
import { Empty, Notice } from '../../parts/states.tsx';
import { visible } from '../../parts/value.tsx';
import type { DialogProps } from '../../shell/open-dialog.ts';

/** Everything that is staged, as differences; from here it is committed together or each by itself. */
export default function ReviewDialog({ onClose }: DialogProps) {
  const changes = [...stagedChanges.value.values()];
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const commit = async (together: boolean) => {
    setBusy(true);
    setProblem(undefined);
    try {
      const { conflicts, failures, committed } = await commitStaged(changes, together);
      if (conflicts.length === 0 && failures.length === 0) return onClose();
      const said = [
        conflicts.length > 0 &&
          `${plural(conflicts.length, 'item')} changed since ${conflicts.length === 1 ? 'it was' : 'they were'} read: see both versions below.`,
        ...failures.map(({ text }) => text),
        together && committed.length === 0 && 'Nothing was written.',
      ];
      setProblem(said.filter(Boolean).join(' '));
    } catch (error) {
      setProblem(errorText(error));
    } finally {
      setBusy(false);
    }
  };
  const isTooMany = changes.length > transactionMax;
  return (
    <Dialog
      title={`Review ${plural(changes.length, 'change')}`}
      onClose={onClose}
      width={760}
      foot={
        changes.length === 0 ? undefined : (
          <>
            <Button
              kind="danger"
              onClick={() => {
                discardAll();
                onClose();
              }}
            >
              Discard all
            </Button>
            <span class="grow" />
            <Button
              disabled={isBusy}
              onClick={() => void commit(false)}
              title="Each item under its own condition; what can be written is written"
            >
              Commit one by one · {units(commitUnits(changes, false))} WCU
            </Button>
            <Button
              kind="primary"
              disabled={isBusy || isTooMany}
              onClick={() => void commit(true)}
              title={isTooMany ? `A transaction has at most ${transactionMax} items` : 'All or nothing'}
            >
              Commit as one transaction · {units(commitUnits(changes, true))} WCU
            </Button>
          </>
        )
      }
    >
      {problem ? <Notice>{problem}</Notice> : null}
      {changes.length === 0 ? <Empty title="Nothing is staged" /> : null}
      {changes.slice(0, 200).map((change) => (
        <Change key={stagedId(change)} change={change} />
      ))}
      {changes.length > 200 ? <p class="faint">and {changes.length - 200} more</p> : null}
      <p class="faint small">
        Writes to indexes cost extra. Each change is written only if the attributes that it touches are still
        what you saw.
      </p>
    </Dialog>
  );
}

function Change({ change }: { readonly change: StagedChange }) {
  const { table, key, before, after, met } = change;
  const word = after === undefined ? 'Delete' : before === undefined ? 'Create' : 'Change';
  return (
    <section class="reviewed">
      <header>
        <span class={`badge ${after === undefined ? 'red' : 'accent'}`}>{word}</span>
        <span class="soft">{table}</span>
        <bdi class="mono cut grow">
          {[...key.values()].map((value) => visible(shownValue(value, 60))).join(' · ')}
        </bdi>
        <Button kind="plain" onClick={() => unstage(stagedId(change))}>
          Discard
        </Button>
      </header>
      {met === undefined ? (
        <Diff before={before} after={after} />
      ) : (
        <Conflict change={change} current={met.item} />
      )}
    </section>
  );
}

/** Both versions beside each other, and what to do about it. */
function Conflict({
  change,
  current,
}: {
  readonly change: StagedChange;
  readonly current: Item | undefined;
}) {
  return (
    <>
      <div class="versions">
        <div class="column">
          <h3>Yours, against what you saw</h3>
          <Diff before={change.before} after={change.after} />
        </div>
        <div class="column">
          <h3>Theirs, against what you saw</h3>
          {current === undefined ? (
            <p class="red">The item is gone.</p>
          ) : (
            <Diff before={change.before} after={current} />
          )}
        </div>
      </div>
      <div class="row">
        <Button kind="primary" onClick={() => stage(rebased(change, current))}>
          Keep mine on top of theirs
        </Button>
        <Button onClick={() => unstage(stagedId(change))}>Take theirs</Button>
      </div>
    </>
  );
}

export function Diff({
  before,
  after,
}: {
  readonly before: Item | undefined;
  readonly after: Item | undefined;
}) {
  const changes = attributeChanges(before, after);
  if (changes.length === 0) return <p class="faint">No difference.</p>;
  return (
    <div class="diff">
      {changes.slice(0, 100).map((one) => (
        <>
          <bdi key={one.name} class="name cut">
            {one.name}
          </bdi>
          <div>
            {one.before === undefined ? null : <Side value={one.before} kind="del" />}
            {one.after === undefined ? null : <Side value={one.after} kind="ins" />}
          </div>
        </>
      ))}
      {changes.length > 100 ? <span class="faint">and {changes.length - 100} more</span> : null}
    </div>
  );
}

function Side({ value, kind }: { readonly value: AttributeValue; readonly kind: 'del' | 'ins' }) {
  const content = (
    <>
      <span class="unseen">{kind === 'del' ? 'was' : 'will be'}</span>
      <span aria-hidden="true">{kind === 'del' ? '− ' : '+ '}</span>
      <span class="type">{typeOf(value)}</span> <bdi>{shownValue(value, 500)}</bdi>
    </>
  );
  return kind === 'del' ? <del>{content}</del> : <ins>{content}</ins>;
}
