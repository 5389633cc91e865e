import { useSignal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { DynamoError } from '../../../src/model/errors.ts';
import { readItem } from '../../../src/model/values/read-attribute-value.ts';
import { committed } from '../../data/committed.ts';
import { type Item, keyId, keyOf, sameItem, shownValue, wireJson, wireOf } from '../../data/items.ts';
import { rebased, type StagedChange, stage, stagedChanges, stagedId, unstage } from '../../data/staged.ts';
import { attributeType, type TableDescription } from '../../data/tables.ts';
import { Button, Menu } from '../../parts/buttons.tsx';
import { Inspector } from '../../parts/page-frame.tsx';
import { Notice } from '../../parts/states.tsx';
import { visible } from '../../parts/value.tsx';
import { useKeys } from '../../shell/keyboard.ts';
import { openDialog } from '../../shell/open-dialog.ts';
import { go } from '../../shell/router.ts';
import { copyEntries } from './copy-as.ts';
import type { Entities } from './entities.ts';
import { ItemEditor } from './item-editor.tsx';

export interface ItemInspectorProps {
  readonly table: TableDescription;
  /** The item as the server has it; undefined for one that is being created. */
  readonly stored: Item | undefined;
  /** What a new item begins with: nothing, or the item that it is a copy of. */
  readonly template?: Item | undefined;
  /** The id under which the new item is staged already. */
  readonly stagedAs?: string | undefined;
  readonly entities: Entities;
  readonly onClose: () => void;
  readonly onClone: (item: Item) => void;
  readonly onDelete: (item: Item) => void;
  /** Told when the new item is there. */
  readonly onCreated?: (item: Item) => void;
}

/** The one place for the details of an item. Whatever is typed here is staged; nothing is sent before the review. */
export function ItemInspector({
  table,
  stored,
  template,
  stagedAs: begunAs,
  entities,
  onClose,
  onClone,
  onDelete,
  onCreated,
}: ItemInspectorProps) {
  const names = table.KeySchema.map(({ AttributeName }) => AttributeName);
  const id = stored === undefined ? undefined : keyId(table.TableName, keyOf(table, stored));
  const staged = id === undefined ? undefined : stagedChanges.value.get(id);
  const [view, setView] = useState<'fields' | 'json'>('fields');
  const problems = useSignal(0);
  const newId = useSignal<string | undefined>(begunAs);
  const isTaken = useSignal(false);
  useKeys({ Escape: onClose });
  const draft = useRef({
    item: staged?.after ?? stored ?? template ?? emptyItem(table),
    base: stored,
    version: 0,
  });
  const item = staged?.after ?? stored ?? draft.current.item;
  const isDeleted = staged !== undefined && staged.after === undefined;
  if (stored !== undefined) {
    if (sameItem(item, draft.current.item)) {
      if (staged === undefined) draft.current.base = stored;
    } else if (staged !== undefined || problems.value === 0) {
      // It was read again, committed, taken back or discarded: an older draft would undo that with the next key.
      draft.current = { item, base: stored, version: draft.current.version + 1 };
    }
  }
  const { version } = draft.current;
  useEffect(() => {
    problems.value = 0;
  }, [view, version]);
  const onChange = (next: Item) => {
    draft.current.item = next;
    if (stored === undefined) return stageNew(next);
    const before = stagedChanges.value.get(id!)?.before ?? draft.current.base;
    stage({ table: table.TableName, keyNames: names, key: keyOf(table, next), before, after: next });
  };
  /** Stages a new item under the key that it has so far. A key that is typed passes others, which may be staged themselves. */
  const stageNew = (next: Item) => {
    const key = keyOf(table, next);
    const isWhole =
      key.size === names.length && [...key.values()].every((value) => Object.values(value)[0] !== '');
    const nextId = isWhole ? keyId(table.TableName, key) : undefined;
    if (newId.value !== undefined && newId.value !== nextId) unstage(newId.value);
    isTaken.value = nextId !== undefined && nextId !== newId.value && stagedChanges.value.has(nextId);
    newId.value = isTaken.value ? undefined : nextId;
    if (nextId === undefined || isTaken.value) return;
    const before = stagedChanges.value.get(nextId)?.before;
    stage({ table: table.TableName, keyNames: names, key, before, after: next });
  };
  useEffect(
    () =>
      committed.subscribe((changes) => {
        const own = changes.find((change) => stagedId(change) === newId.value);
        if (own?.after !== undefined) onCreated?.(own.after);
      }),
    [onCreated],
  );
  const onProblems = (found: number) => {
    problems.value = found;
  };
  const stagedAs = id ?? newId.value;
  const isStaged = stagedAs !== undefined && stagedChanges.value.has(stagedAs);
  const discard = () => {
    if (stagedAs !== undefined) unstage(stagedAs);
    if (stored === undefined) return onClose();
    draft.current = { item: stored, base: stored, version: version + 1 };
    problems.value = 0;
  };
  const entity = entities.of(item);
  return (
    <Inspector
      title={
        <span class="row" style={{ '--entity': `var(--entity-${entity.colour})` }}>
          <span class="dot" />
          <strong>{stored === undefined ? 'New item' : entity.name}</strong>
          <bdi class="mono soft cut">
            {stored === undefined
              ? ''
              : [...keyOf(table, item).values()].map((value) => visible(shownValue(value, 60))).join(' · ')}
          </bdi>
        </span>
      }
      onClose={onClose}
      actions={
        stored === undefined ? undefined : (
          <Menu
            label="Actions of this item"
            entries={[
              { label: 'Clone', icon: 'plus', run: () => onClone(item) },
              ...copyEntries(table, () => [item]),
              {
                label: 'Earlier versions',
                icon: 'clock',
                run: () =>
                  go(table.TableName, 'history', { item: JSON.stringify(wireOf(keyOf(table, stored))) }),
              },
              { label: 'Delete', icon: 'trash', danger: true, run: () => onDelete(stored) },
            ]}
          />
        )
      }
      footer={
        <div class="row">
          <Button kind={view === 'fields' ? undefined : 'plain'} onClick={() => setView('fields')}>
            Fields
          </Button>
          <Button kind={view === 'json' ? undefined : 'plain'} onClick={() => setView('json')}>
            JSON
          </Button>
          <span class="grow" />
          {problems.value > 0 ? (
            <span class="red small">not staged: {problems.value} to mend</span>
          ) : isStaged ? null : (
            <span class={isTaken.value ? 'red small' : 'faint small'}>
              {stored !== undefined
                ? 'Changes are staged as you type'
                : isTaken.value
                  ? 'Another change of this key is staged'
                  : 'Give it a key'}
            </span>
          )}
          {isStaged || problems.value > 0 ? (
            <Button kind="plain" onClick={discard}>
              Discard
            </Button>
          ) : null}
          {isStaged && problems.value === 0 ? (
            <Button kind="primary" onClick={() => openDialog('review')}>
              Review
            </Button>
          ) : null}
        </div>
      }
    >
      {staged?.met ? <Conflict change={staged} /> : null}
      {isDeleted ? (
        <div class="column">
          <Notice kind="red">This item will be deleted with the next commit.</Notice>
          <div>
            <Button icon="undo" onClick={() => unstage(id!)}>
              Keep it
            </Button>
          </div>
        </div>
      ) : view === 'fields' ? (
        <ItemEditor
          key={`${id ?? 'new'} ${version}`}
          table={table}
          item={item}
          before={stored}
          keyNames={names}
          isNew={stored === undefined}
          onChange={onChange}
          onProblems={onProblems}
        />
      ) : (
        <JsonEditor
          key={`${id ?? 'new'} ${version}`}
          item={item}
          names={names}
          isNew={stored === undefined}
          onChange={onChange}
          onProblems={onProblems}
        />
      )}
    </Inspector>
  );
}

function Conflict({ change }: { readonly change: StagedChange }) {
  return (
    <div style={{ marginBottom: '12px' }}>
      <Notice kind="amber">
        Somebody else changed this item. Review shows both versions.{' '}
        <button type="button" class="button" onClick={() => stage(rebased(change, change.met!.item))}>
          Keep mine on top of theirs
        </button>
      </Notice>
    </div>
  );
}

/** An item with its key and nothing else, to begin with. */
function emptyItem(table: TableDescription): Item {
  return new Map(
    table.KeySchema.map(({ AttributeName }) => {
      const type = attributeType(table, AttributeName) ?? 'S';
      return [AttributeName, { [type]: '' } as never];
    }),
  );
}

function JsonEditor({
  item,
  names,
  isNew,
  onChange,
  onProblems,
}: {
  readonly item: Item;
  readonly names: readonly string[];
  readonly isNew: boolean;
  readonly onChange: (item: Item) => void;
  readonly onProblems: (count: number) => void;
}) {
  const [text, setText] = useState(() => wireJson(item));
  const [problem, note] = useState<string>();
  const setProblem = (found: string | undefined) => {
    note(found);
    onProblems(found === undefined ? 0 : 1);
  };
  const onInput = (next: string) => {
    setText(next);
    const read = readJson(next);
    if (typeof read === 'string') return setProblem(read);
    const moved = isNew
      ? undefined
      : names.find((name) => JSON.stringify(wireOf(read)[name]) !== JSON.stringify(wireOf(item)[name]));
    if (moved !== undefined)
      return setProblem(`${moved} is part of the key, which cannot change: clone the item instead`);
    setProblem(undefined);
    onChange(read);
  };
  return (
    <div class="column" style={{ height: '100%' }}>
      <textarea
        class="field mono"
        style={{ flex: 1, minHeight: '320px', resize: 'none' }}
        aria-label="The item as DynamoDB JSON"
        spellcheck={false}
        value={text}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {problem ? <Notice>{problem}</Notice> : null}
    </div>
  );
}

function readJson(text: string): Item | string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    return `Not JSON: ${(error as Error).message}`;
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    return 'An item is an object of attributes';
  const read = readItem(parsed, 'newer');
  return read instanceof DynamoError ? (read.message ?? 'Not an item') : read;
}
