import { useSignal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { DynamoError } from '../../../src/model/errors.ts';
import { readItem } from '../../../src/model/values/read-attribute-value.ts';
import { type Item, keyId, keyOf, shownValue, wireOf } from '../../data/items.ts';
import { rebased, type StagedChange, stage, stagedChanges, unstage } from '../../data/staged.ts';
import { attributeType, type TableDescription } from '../../data/tables.ts';
import { Button, Menu } from '../../parts/buttons.tsx';
import { Inspector } from '../../parts/page-frame.tsx';
import { Notice } from '../../parts/states.tsx';
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
  readonly entities: Entities;
  readonly onClose: () => void;
  readonly onClone: (item: Item) => void;
  readonly onDelete: (item: Item) => void;
}

/** The one place for the details of an item. Whatever is typed here is staged; nothing is sent before the review. */
export function ItemInspector({
  table,
  stored,
  template,
  entities,
  onClose,
  onClone,
  onDelete,
}: ItemInspectorProps) {
  const names = table.KeySchema.map(({ AttributeName }) => AttributeName);
  const id = stored === undefined ? undefined : keyId(table.TableName, keyOf(table, stored));
  const staged = id === undefined ? undefined : stagedChanges.value.get(id);
  const [view, setView] = useState<'fields' | 'json'>('fields');
  const [draftVersion, setDraftVersion] = useState(0);
  const problems = useSignal(0);
  const newId = useSignal<string | undefined>(undefined);
  useKeys({ Escape: onClose });
  useEffect(() => {
    problems.value = 0;
  }, [view]);
  const item = staged?.after ?? stored ?? template ?? emptyItem(table);
  const isDeleted = staged !== undefined && staged.after === undefined;
  const onChange = (next: Item) => {
    const key = keyOf(table, next);
    if (key.size < names.length || [...key.values()].some((value) => Object.values(value)[0] === '')) return;
    const nextId = keyId(table.TableName, key);
    if (stored === undefined && newId.value !== undefined && newId.value !== nextId) unstage(newId.value);
    if (stored === undefined) newId.value = nextId;
    const current = stagedChanges.value.get(nextId);
    stage({
      table: table.TableName,
      keyNames: names,
      key,
      before: stored === undefined ? undefined : (current?.before ?? stored),
      after: next,
    });
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
              : [...keyOf(table, item).values()].map((value) => shownValue(value, 60)).join(' · ')}
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
          ) : staged !== undefined || (newId.value !== undefined && stagedChanges.value.has(newId.value)) ? (
            <>
              <Button
                kind="plain"
                onClick={() => {
                  unstage(id ?? newId.value!);
                  if (stored === undefined) onClose();
                  else setDraftVersion(draftVersion + 1);
                }}
              >
                Discard
              </Button>
              <Button kind="primary" onClick={() => openDialog('review')}>
                Review
              </Button>
            </>
          ) : (
            <span class="faint small">
              {stored === undefined ? 'Give it a key' : 'Changes are staged as you type'}
            </span>
          )}
        </div>
      }
    >
      {staged?.met ? <Conflict change={staged} onDone={() => setDraftVersion(draftVersion + 1)} /> : null}
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
          key={`${id ?? 'new'} ${draftVersion}`}
          item={item}
          keyNames={names}
          isNew={stored === undefined}
          onChange={onChange}
          onProblems={(found) => {
            problems.value = found;
          }}
        />
      ) : (
        <JsonEditor
          key={`${id ?? 'new'} ${draftVersion}`}
          item={item}
          names={names}
          isNew={stored === undefined}
          onChange={onChange}
        />
      )}
    </Inspector>
  );
}

function Conflict({ change, onDone }: { readonly change: StagedChange; readonly onDone: () => void }) {
  return (
    <div style={{ marginBottom: '12px' }}>
      <Notice kind="amber">
        Somebody else changed this item. Review shows both versions.{' '}
        <button
          type="button"
          class="button"
          onClick={() => {
            stage(rebased(change, change.met!.item));
            onDone();
          }}
        >
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
}: {
  readonly item: Item;
  readonly names: readonly string[];
  readonly isNew: boolean;
  readonly onChange: (item: Item) => void;
}) {
  const [text, setText] = useState(() => JSON.stringify(wireOf(item), null, 2));
  const [problem, setProblem] = useState<string>();
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
