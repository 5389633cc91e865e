import { useMemo, useState } from 'preact/hooks';
import { type Item, keyOf, wireOf } from '../../data/items.ts';
import type { TableDescription } from '../../data/tables.ts';
import { Button, Menu } from '../../parts/buttons.tsx';
import { count, plural, units } from '../../parts/format.ts';
import { Value } from '../../parts/value.tsx';
import { VirtualList } from '../../parts/virtual-list.tsx';
import { density } from '../../shell/preferences.ts';
import { go } from '../../shell/router.ts';
import { copyEntries } from '../items/copy-as.ts';
import type { Answer } from './run-request.ts';

const columnsMax = 8;

export interface ResultsProps {
  readonly table: TableDescription;
  readonly answer: Answer;
  readonly page: number;
  readonly isBusy: boolean;
  readonly onNext: (() => void) | undefined;
  readonly onPrevious: (() => void) | undefined;
}

/** One page of an answer: as rows where it has items, and always as JSON. */
export function Results({ table, answer, page, isBusy, onNext, onPrevious }: ResultsProps) {
  const { items } = answer;
  const [view, setView] = useState<'rows' | 'json'>('rows');
  const shown = items === undefined ? 'json' : view;
  return (
    <section class="results" aria-label="Answer">
      <div class="items-bar">
        <span>{items === undefined ? 'Done' : plural(items.length, 'item')}</span>
        {answer.scanned !== undefined && answer.scanned !== items?.length ? (
          <span class="amber">{count(answer.scanned)} read</span>
        ) : null}
        {answer.units === undefined ? null : <span>{units(answer.units)} units</span>}
        <span class="faint">{Math.round(answer.ms)} ms</span>
        <span class="grow" />
        {onNext || onPrevious ? (
          <>
            <Button kind="plain" disabled={onPrevious === undefined || isBusy} onClick={onPrevious}>
              ‹ Previous
            </Button>
            <span>Page {page + 1}</span>
            <Button kind="plain" disabled={onNext === undefined || isBusy} onClick={onNext}>
              Next ›
            </Button>
          </>
        ) : null}
        {items === undefined || items.length === 0 ? null : (
          <>
            <Menu label="Copy the items of this page" icon="copy" entries={copyEntries(table, () => items)} />
            <Button kind="plain" onClick={() => setView(view === 'rows' ? 'json' : 'rows')}>
              {view === 'rows' ? 'Show JSON' : 'Show rows'}
            </Button>
          </>
        )}
      </div>
      {shown === 'rows' ? <Rows table={table} items={items!} /> : <Json body={answer.body} />}
    </section>
  );
}

function Json({ body }: { readonly body: object }) {
  const text = useMemo(() => JSON.stringify(body, null, 2), [body]);
  const isCut = text.length > 300_000;
  return (
    <pre class="json mono" tabIndex={0}>
      {isCut ? `${text.slice(0, 300_000)}\n… ${count(text.length - 300_000)} more characters` : text}
    </pre>
  );
}

function Rows({ table, items }: { readonly table: TableDescription; readonly items: readonly Item[] }) {
  const [cursor, setCursor] = useState(-1);
  const columns = useMemo(() => columnsOf(table, items), [items]);
  const numbers = useMemo(() => new Set(columns.filter((name) => isNumeric(items, name))), [columns]);
  const open = (item: Item | undefined) => {
    const key = item && keyOf(table, item);
    if (key?.size !== table.KeySchema.length) return;
    const address = JSON.stringify(Object.values(wireOf(key)).map((value) => Object.values(value)[0]));
    go(table.TableName, 'items', { item: address });
  };
  if (items.length === 0)
    return (
      <p class="soft" style={{ padding: '24px 16px' }}>
        No items.
      </p>
    );
  return (
    <VirtualList
      label="Items of the answer"
      count={items.length}
      rowHeight={density.value === 'dense' ? 24 : 28}
      cursor={cursor}
      onFirst={() => setCursor(0)}
      onCursor={setCursor}
      onKey={(event) => {
        if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) open(items[cursor]);
      }}
      header={
        <div class="item-row flat head" role="row">
          {columns.map((name) => (
            <div
              key={name}
              role="columnheader"
              class={`result-cell cut ${numbers.has(name) ? 'number' : ''}`}
            >
              {name}
            </div>
          ))}
        </div>
      }
      row={(index) => (
        <div
          class={`item-row flat ${index === cursor ? 'cursor selected' : ''}`}
          role="row"
          id={`row-${index}`}
          onClick={() => setCursor(index)}
          onDblClick={() => open(items[index])}
          title="Enter opens the item"
        >
          {columns.map((name) => {
            const value = items[index]!.get(name);
            return (
              <div
                key={name}
                role="gridcell"
                class={`result-cell cut ${value && 'N' in value ? 'number' : ''}`}
              >
                <Value value={value} />
              </div>
            );
          })}
        </div>
      )}
    />
  );
}

/** Whether a column holds numbers, as far as its first items tell. */
function isNumeric(items: readonly Item[], name: string): boolean {
  const seen = items.slice(0, 50).flatMap((item) => item.get(name) ?? []);
  return seen.length > 0 && seen.every((value) => 'N' in value);
}

/** Keys first, then what most items have. */
function columnsOf(table: TableDescription, items: readonly Item[]): string[] {
  const seen = new Map<string, number>();
  for (const item of items) for (const name of item.keys()) seen.set(name, (seen.get(name) ?? 0) + 1);
  const keys = table.KeySchema.map(({ AttributeName }) => AttributeName).filter((name) => seen.has(name));
  const others = [...seen].filter(([name]) => !keys.includes(name)).sort(([, a], [, b]) => b - a);
  return [...keys, ...others.map(([name]) => name)].slice(0, columnsMax);
}
