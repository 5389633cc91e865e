import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { itemSize } from '../../../src/model/values/item-size.ts';
import { type AttributeValue, type Item, shownValue } from '../../data/items.ts';
import { type StagedChange, stagedChanges } from '../../data/staged.ts';
import { allIndexes, keyNames } from '../../data/tables.ts';
import { bytes, count, plural } from '../../parts/format.ts';
import { Icon } from '../../parts/icon.tsx';
import { Skeleton } from '../../parts/states.tsx';
import { Value, visible } from '../../parts/value.tsx';
import { VirtualList } from '../../parts/virtual-list.tsx';
import { density } from '../../shell/preferences.ts';
import { type ItemPages, type ItemRow, nameOf } from './item-pages.ts';

export interface ItemListProps {
  readonly pages: ItemPages;
  readonly selected: ReadonlySet<string>;
  readonly opened: string | undefined;
  readonly onOpen: (item: Item) => void;
  readonly onSelect: (ids: ReadonlySet<string>) => void;
  readonly onKey: (event: KeyboardEvent, row: ItemRow | undefined) => void;
}

const columnsMax = 5;

/** A row that the keyboard is at: where it was seen, and what it is called. */
interface Place {
  readonly index: number;
  readonly name: string | undefined;
}

/** Items by collection: one group for each partition, rows by sort key, each type of item with its own columns. */
export function ItemList({ pages, selected, opened, onOpen, onSelect, onKey }: ItemListProps) {
  const place = useSignal<Place>({ index: -1, name: undefined });
  /** Where a selection of several rows begins. */
  const anchor = useSignal<Place>({ index: -1, name: undefined });
  void pages.version.value;
  const added = newItems(pages);
  const count = added.length + pages.rowCount + 1;
  const rowAt = (index: number): ItemRow | undefined =>
    index < added.length ? added[index] : pages.row(index - added.length);
  const placeAt = (index: number): Place => {
    const row = rowAt(index);
    return { index, name: row && nameOf(row) };
  };
  /** Rows come and go above: a place stays with its row, and not with its number. */
  const indexOf = ({ index, name }: Place): number => {
    if (name === undefined || placeAt(index).name === name) return index;
    const among = added.findIndex((row) => nameOf(row) === name);
    const below = among < 0 ? pages.indexOf(name) : -1;
    return among >= 0 ? among : below >= 0 ? below + added.length : index;
  };
  const cursor = indexOf(place.value);
  const choose = (index: number, event: MouseEvent | KeyboardEvent) => {
    place.value = placeAt(index);
    const row = rowAt(index);
    const begin = indexOf(anchor.value);
    if (event.shiftKey && begin >= 0) {
      const from = Math.min(begin, index);
      const rows = Array.from({ length: Math.abs(begin - index) + 1 }, (_, i) => rowAt(from + i));
      onSelect(new Set(rows.flatMap((one) => (one?.kind === 'item' ? [one.id] : []))));
      return;
    }
    anchor.value = place.value;
    if (row?.kind !== 'item') return;
    const next = new Set(event.metaKey || event.ctrlKey ? selected : []);
    if (!next.delete(row.id)) next.add(row.id);
    onSelect(next);
  };
  return (
    <VirtualList
      role={pages.isGrouped ? 'treegrid' : 'grid'}
      label={`Items of ${pages.table.TableName}`}
      count={count}
      rowHeight={density.value === 'dense' ? 24 : 28}
      cursor={cursor}
      onFirst={() => {
        place.value = placeAt(0);
      }}
      onCursor={(index, event) => {
        choose(index, event);
        const row = rowAt(index);
        if (row?.kind === 'item' && opened !== undefined && !event.shiftKey) onOpen(row.item);
      }}
      onKey={(event) => {
        const row = rowAt(cursor);
        if (row?.kind === 'group' && ['Enter', ' ', 'ArrowLeft', 'ArrowRight'].includes(event.key)) {
          event.preventDefault();
          pages.toggle(
            row.group,
            event.key === 'ArrowLeft' ? true : event.key === 'ArrowRight' ? false : undefined,
          );
        } else if (row?.kind === 'item' && event.key === 'ArrowLeft' && pages.isGrouped) {
          event.preventDefault();
          pages.toggle(row.group, true);
        } else onKey(event, row);
      }}
      onRange={(first, last) => void pages.need(Math.max(0, first - added.length), last - added.length)}
      header={pages.isGrouped ? undefined : <GridHeader pages={pages} />}
      row={(index) => {
        if (index === count - 1) return <LastRow pages={pages} index={index} />;
        const row = rowAt(index);
        if (row === undefined)
          return (
            <div class="item-row" role="row" id={`row-${index}`}>
              <div role="gridcell">
                <Skeleton width={240} />
              </div>
            </div>
          );
        if (row.kind === 'group')
          return (
            <GroupRow
              row={row}
              pages={pages}
              index={index}
              isCursor={index === cursor}
              onClick={() => {
                place.value = placeAt(index);
                pages.toggle(row.group);
              }}
            />
          );
        return (
          <OneItem
            row={row}
            pages={pages}
            index={index}
            isCursor={index === cursor}
            isSelected={selected.has(row.id) || row.id === opened}
            onClick={(event) => {
              choose(index, event);
              if (!event.metaKey && !event.ctrlKey && !event.shiftKey) onOpen(row.item);
            }}
          />
        );
      }}
    />
  );
}

/** Items that are staged and not there yet stand above all others. */
function newItems(pages: ItemPages): ItemRow[] {
  return [...stagedChanges.value]
    .filter(
      ([, { table, before, after }]) =>
        table === pages.table.TableName && before === undefined && after !== undefined,
    )
    .map(([id, { after }]) => ({ kind: 'item', id, item: after!, group: '' }));
}

function LastRow({ pages, index }: { readonly pages: ItemPages; readonly index: number }) {
  let text: ComponentChildren;
  if (pages.isLoading.value) text = <Skeleton width={180} />;
  else if (pages.isComplete.value)
    text = pages.rowCount === 0 ? '' : `End of ${plural(pages.itemCount.value, 'item')}`;
  else text = 'Scroll on for more';
  return (
    <div class="item-row last" role="row" id={`row-${index}`}>
      <div role="gridcell" class="faint small">
        {text}
      </div>
    </div>
  );
}

function GroupRow({
  row,
  pages,
  index,
  isCursor,
  onClick,
}: {
  readonly row: Extract<ItemRow, { kind: 'group' }>;
  readonly pages: ItemPages;
  readonly index: number;
  readonly isCursor: boolean;
  readonly onClick: () => void;
}) {
  const totals = pages.totals(row.group);
  const isOpen = !pages.isCollapsed(row.group);
  return (
    <div
      class={`item-row group ${isCursor ? 'cursor' : ''}`}
      role="row"
      id={`row-${index}`}
      aria-expanded={isOpen}
      aria-level={1}
      onClick={onClick}
    >
      <div role="gridcell" class="row grow">
        <Icon name={isOpen ? 'down' : 'right'} />
        <bdi class="mono cut key">{row.value === undefined ? 'no key' : visible(shownValue(row.value))}</bdi>
      </div>
      <div role="gridcell" class="faint small">
        {plural(totals.items, 'item')} · {bytes(totals.bytes)}
      </div>
    </div>
  );
}

function OneItem({
  row,
  pages,
  index,
  isCursor,
  isSelected,
  onClick,
}: {
  readonly row: Extract<ItemRow, { kind: 'item' }>;
  readonly pages: ItemPages;
  readonly index: number;
  readonly isCursor: boolean;
  readonly isSelected: boolean;
  readonly onClick: (event: MouseEvent) => void;
}) {
  const staged = stagedChanges.value.get(row.id);
  const item = staged?.after ?? row.item;
  const entity = pages.entities.of(item);
  const { hash, range } = keyNames(pages.table);
  const classes = ['item-row', pages.isGrouped ? 'grouped' : 'flat', markOf(staged)];
  if (isCursor) classes.push('cursor');
  if (isSelected) classes.push('selected');
  const key = pages.isGrouped ? (range ?? hash) : hash;
  return (
    <div
      class={classes.join(' ')}
      role="row"
      id={`row-${index}`}
      aria-selected={isSelected}
      aria-level={pages.isGrouped ? 2 : undefined}
      style={{
        '--entity': `var(--entity-${entity.colour})`,
        '--ends': `${56 + Math.min(2, allIndexes(pages.table).length) * 56}px`,
      }}
      onClick={onClick}
    >
      <div role="gridcell" class="entity">
        <span class="dot" />
        <span class="cut">{entity.name}</span>
      </div>
      <div role="gridcell" class="mono cut key">
        {pages.isGrouped && row.group === '' && range !== undefined ? (
          <>
            <Value value={item.get(hash)} /> <span class="faint">·</span>{' '}
          </>
        ) : null}
        <Value value={item.get(key)} />
      </div>
      {pages.isGrouped || range === undefined ? null : (
        <div role="gridcell" class="mono cut key">
          <Value value={item.get(range)} />
        </div>
      )}
      <div role="presentation" class="cells">
        {pages.isGrouped
          ? pages.entities.columnsOf(entity.name, columnsMax).map((name) => (
              <div key={name} role="gridcell" class="cell cut">
                {item.has(name) ? (
                  <>
                    <span class="label">{name}</span> <Value value={item.get(name)} />
                  </>
                ) : null}
              </div>
            ))
          : pages.entities.allColumns(columnsMax + 1).map((name) => (
              <div key={name} role="gridcell" class={`cell cut ${isNumber(item.get(name)) ? 'number' : ''}`}>
                <Value value={item.get(name)} />
              </div>
            ))}
      </div>
      <div role="gridcell" class="ends">
        {staged ? (
          <span class={`badge ${staged.after === undefined ? 'red' : 'accent'}`}>{wordOf(staged)}</span>
        ) : null}
        {indexesOf(pages, item).map((name) => (
          <span key={name} class="badge" title={`This item is in ${name}`}>
            ◂ {name}
          </span>
        ))}
        <span class="faint small size">{bytes(itemSize(item))}</span>
      </div>
    </div>
  );
}

/** The global indexes that hold an item: those whose every key attribute it has. */
function indexesOf(pages: ItemPages, item: Item): string[] {
  return allIndexes(pages.table)
    .filter(({ KeySchema }) => KeySchema.every(({ AttributeName }) => item.has(AttributeName)))
    .map(({ IndexName }) => IndexName);
}

function markOf(staged: StagedChange | undefined): string {
  if (staged === undefined) return '';
  if (staged.after === undefined) return 'deleted';
  return staged.before === undefined ? 'created' : 'changed';
}

function wordOf({ before, after, met }: StagedChange): string {
  if (met !== undefined) return 'conflict';
  return after === undefined ? 'delete' : before === undefined ? 'new' : 'changed';
}

function isNumber(value: AttributeValue | undefined): boolean {
  return value !== undefined && 'N' in value;
}

function GridHeader({ pages }: { readonly pages: ItemPages }) {
  const { hash, range } = keyNames(pages.table);
  void pages.version.value;
  return (
    <div
      class="item-row flat head"
      role="row"
      style={{ '--ends': `${56 + Math.min(2, allIndexes(pages.table).length) * 56}px` }}
    >
      <div role="columnheader" class="entity">
        Type
      </div>
      <div role="columnheader" class="key">
        {hash}
      </div>
      {range === undefined ? null : (
        <div role="columnheader" class="key">
          {range}
        </div>
      )}
      <div role="presentation" class="cells">
        {pages.entities.allColumns(columnsMax + 1).map((name) => (
          <div key={name} role="columnheader" class="cell cut">
            {name}
          </div>
        ))}
      </div>
      <div role="columnheader" class="ends">
        Size
      </div>
    </div>
  );
}

export function countText(pages: ItemPages): string {
  const loaded = pages.itemCount.value;
  const isFiltered = pages.plan.input.FilterExpression !== undefined;
  const seen = isFiltered ? ` of ${count(pages.scanned.value)} read` : '';
  return `${count(loaded)}${pages.isComplete.value ? '' : '+'} ${loaded === 1 ? 'item' : 'items'}${seen}`;
}
