import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { itemLimits } from '../../../src/model/limits.ts';
import { itemSize } from '../../../src/model/values/item-size.ts';
import { readUnits } from '../../../src/physics/units.ts';
import type { AttributeType, Item } from '../../data/items.ts';
import { allIndexes, type TableDescription } from '../../data/tables.ts';
import { IconButton, Menu } from '../../parts/buttons.tsx';
import { bytes, count, plural, units } from '../../parts/format.ts';
import { type DraftNode, draftOf, newNode, readDraft, retype } from './draft.ts';
import { withReturns } from './line-ends.ts';
import { estimateWrite } from './write-estimate.ts';

const types: readonly AttributeType[] = ['S', 'N', 'B', 'BOOL', 'NULL', 'L', 'M', 'SS', 'NS', 'BS'];
/** Longer texts are shown shortened until somebody wants to edit them: a field of 400 KB makes a page slow. */
const editedLengthMax = 20_000;
const linesMax = 200;

export interface ItemEditorProps {
  readonly table: TableDescription;
  readonly item: Item;
  /** The item as the server has it. */
  readonly before: Item | undefined;
  /** Names that make up the key. They are fixed once an item is there. */
  readonly keyNames: readonly string[];
  readonly isNew: boolean;
  /** Told of every valid state of the draft. */
  readonly onChange: (item: Item) => void;
  readonly onProblems: (count: number) => void;
}

/** Edits an item attribute by attribute. Types are kept and shown; size and units follow every key press. */
export function ItemEditor({ table, item, before, keyNames, isNew, onChange, onProblems }: ItemEditorProps) {
  const nodes = useSignal<readonly DraftNode[]>([]);
  // A new item is another draft; the same item keeps the one that is being edited.
  useMemo(() => {
    nodes.value = draftOf(inOrder(item, keyNames));
  }, []);
  const read = useComputed(() => readDraft(nodes.value));
  useEffect(() => {
    let isFirst = true;
    return read.subscribe(({ item: next, problems }) => {
      if (!isFirst) {
        onProblems(problems.size);
        if (problems.size === 0) onChange(next);
      }
      isFirst = false;
    });
  }, []);
  const shown = useSignal(linesMax);
  return (
    <>
      <SizeLine table={table} before={before} item={read.value.item} />
      <div class="attributes">
        {nodes.value.slice(0, shown.value).map((node) => (
          <AttributeLine
            key={node.id}
            node={node}
            problems={read.value.problems}
            isFixed={!isNew && keyNames.includes(node.name.value)}
            isKey={keyNames.includes(node.name.value)}
            onRemove={() => {
              nodes.value = nodes.value.filter((one) => one !== node);
            }}
          />
        ))}
      </div>
      {nodes.value.length > shown.value ? (
        <button
          type="button"
          class="button plain"
          onClick={() => {
            shown.value += linesMax;
          }}
        >
          Show more of {plural(nodes.value.length, 'attribute')}
        </button>
      ) : null}
      <AddLine
        onAdd={(type) => {
          nodes.value = [...nodes.value, newNode('', type, type === 'BOOL' ? 'false' : '')];
          shown.value = Math.max(shown.value, nodes.value.length);
        }}
      />
    </>
  );
}

/** The key first, then everything else as it came. */
function inOrder(item: Item, keyNames: readonly string[]): Item {
  const keys = keyNames.filter((name) => item.has(name)).map((name) => [name, item.get(name)!] as const);
  return new Map([...keys, ...[...item].filter(([name]) => !keyNames.includes(name))]);
}

function SizeLine({ table, before, item }: Pick<ItemEditorProps, 'table' | 'before' | 'item'>) {
  const cost = estimateWrite(table, before, item);
  const size = itemSize(item);
  const isTooLarge = size > itemLimits.itemBytesMax;
  return (
    <div class={`size-line ${isTooLarge ? 'red' : ''}`}>
      <span title={`${count(size)} bytes`}>{bytes(size)}</span>
      {allIndexes(table).length === 0 ? (
        <span>{units(cost.table)} WCU to write</span>
      ) : (
        <span title="An estimate from the item as it was read">
          ≈ {units(cost.table + cost.indexes)} WCU to write: {units(cost.table)} table, {units(cost.indexes)}{' '}
          indexes
        </span>
      )}
      <span>{units(readUnits(size, 'eventual'))} RCU to read</span>
      {isTooLarge ? <strong>over the 400 KB of an item</strong> : null}
    </div>
  );
}

function AddLine({ onAdd }: { readonly onAdd: (type: AttributeType) => void }) {
  return (
    <div class="row" style={{ marginTop: '8px' }}>
      <button type="button" class="button plain" onClick={() => onAdd('S')}>
        + Attribute
      </button>
      <Menu
        label="Add an attribute of a type"
        icon="down"
        align="left"
        entries={types.map((type) => ({
          label: (
            <>
              <span class="type">{type}</span> {words[type]}
            </>
          ),
          run: () => onAdd(type),
        }))}
      />
    </div>
  );
}

const words: Readonly<Record<AttributeType, string>> = {
  S: 'text',
  N: 'number',
  B: 'binary',
  BOOL: 'yes or no',
  NULL: 'nothing',
  L: 'list',
  M: 'map',
  SS: 'set of texts',
  NS: 'set of numbers',
  BS: 'set of binaries',
};

interface LineProps {
  readonly node: DraftNode;
  readonly problems: ReadonlyMap<number, string>;
  readonly isFixed: boolean;
  readonly isKey: boolean;
  /** Members of lists and sets have no name; those of sets have no type of their own. */
  readonly member?: 'list' | 'set';
  readonly at?: number;
  readonly onRemove: () => void;
}

function AttributeLine({ node, problems, isFixed, isKey, member, at, onRemove }: LineProps) {
  const type = node.type.value;
  const problem = problems.get(node.id);
  const name = node.name.value || (at === undefined ? 'new attribute' : `member ${at + 1}`);
  const isDocument = type === 'M' || type === 'L' || type === 'SS' || type === 'NS' || type === 'BS';
  return (
    <>
      <div class={`attribute ${problem ? 'wrong' : ''}`}>
        {member === undefined ? (
          <input
            class={`field name ${isKey ? 'is-key' : ''}`}
            aria-label={`Name of ${name}`}
            value={node.name.value}
            title={node.name.value}
            readOnly={isFixed || isKey}
            placeholder="name"
            spellcheck={false}
            dir="auto"
            onInput={(event) => {
              node.name.value = event.currentTarget.value;
            }}
          />
        ) : (
          <span class="field faint small" style={{ paddingTop: '5px' }}>
            {at! + 1}
          </span>
        )}
        {member === 'set' ? (
          <span />
        ) : (
          <select
            class="field"
            aria-label={`Type of ${name}`}
            value={type}
            disabled={isKey}
            onChange={(event) => retype(node, event.currentTarget.value as AttributeType)}
          >
            {types.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        )}
        <ValueField node={node} name={name} isFixed={isFixed} />
        {isFixed || isKey ? (
          <span style={{ width: '28px' }} />
        ) : (
          <IconButton icon="close" label={`Remove ${name}`} onClick={onRemove} />
        )}
        {problem ? <div class="problem">{problem}</div> : null}
      </div>
      {isDocument && node.isOpen.value ? <Children node={node} problems={problems} name={name} /> : null}
    </>
  );
}

function ValueField({
  node,
  name,
  isFixed,
}: {
  readonly node: DraftNode;
  readonly name: string;
  readonly isFixed: boolean;
}) {
  const isWanted = useSignal(false);
  const text = node.text.value;
  switch (node.type.value) {
    case 'NULL':
      return (
        <span class="faint small" style={{ padding: '5px 8px' }}>
          null
        </span>
      );
    case 'BOOL':
      return (
        <label class="row" style={{ height: 'var(--row)', padding: '0 8px' }}>
          <input
            type="checkbox"
            aria-label={name}
            checked={text === 'true'}
            onChange={(event) => {
              node.text.value = String(event.currentTarget.checked);
            }}
          />
          <span class="mono">{text}</span>
        </label>
      );
    case 'L':
    case 'M':
    case 'SS':
    case 'NS':
    case 'BS':
      return (
        <button
          type="button"
          class="button plain"
          style={{ justifyContent: 'flex-start' }}
          aria-expanded={node.isOpen.value}
          onClick={() => {
            node.isOpen.value = !node.isOpen.value;
          }}
        >
          {node.isOpen.value ? '▾' : '▸'} {plural(node.children.value.length, 'member')}
        </button>
      );
    case 'N':
      return (
        <textarea
          class="field number"
          aria-label={name}
          rows={1}
          value={text}
          readOnly={isFixed}
          inputMode="decimal"
          spellcheck={false}
          onInput={(event) => {
            node.text.value = event.currentTarget.value.replaceAll('\n', '');
          }}
        />
      );
    default:
      if (text.length > editedLengthMax && !isWanted.value)
        return (
          <div class="column" style={{ gap: '4px' }}>
            <span class="mono cut" style={{ padding: '5px 8px' }}>
              {text.slice(0, 200)}…
            </span>
            <button
              type="button"
              class="button plain"
              onClick={() => {
                isWanted.value = true;
              }}
            >
              Edit all {count(text.length)} characters
            </button>
          </div>
        );
      return (
        <textarea
          class="field"
          aria-label={name}
          rows={1}
          value={text}
          readOnly={isFixed}
          spellcheck={false}
          dir="auto"
          onInput={(event) => {
            node.text.value = withReturns(event.currentTarget.value, text);
          }}
        />
      );
  }
}

function Children({
  node,
  problems,
  name,
}: {
  readonly node: DraftNode;
  readonly problems: ReadonlyMap<number, string>;
  readonly name: string;
}) {
  const shown = useSignal(linesMax);
  const type = node.type.value;
  const isMap = type === 'M';
  const isSet = type === 'SS' || type === 'NS' || type === 'BS';
  const ofMember = type === 'NS' ? 'N' : type === 'BS' ? 'B' : 'S';
  return (
    <div class="attribute-children">
      {node.children.value.slice(0, shown.value).map((child, at) => (
        <AttributeLine
          key={child.id}
          node={child}
          problems={problems}
          isFixed={false}
          isKey={false}
          {...(isMap ? {} : { member: isSet ? ('set' as const) : ('list' as const), at })}
          onRemove={() => {
            node.children.value = node.children.value.filter((one) => one !== child);
          }}
        />
      ))}
      {node.children.value.length > shown.value ? (
        <button
          type="button"
          class="button plain"
          onClick={() => {
            shown.value += linesMax;
          }}
        >
          Show more
        </button>
      ) : null}
      <button
        type="button"
        class="button plain"
        aria-label={`Add a member to ${name}`}
        onClick={() => {
          node.children.value = [...node.children.value, newNode('', ofMember)];
          shown.value = Math.max(shown.value, node.children.value.length);
        }}
      >
        + {isMap ? 'Attribute' : 'Member'}
      </button>
    </div>
  );
}
