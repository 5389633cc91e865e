import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { shownValue, typedValue } from '../../data/items.ts';
import type { JsonItem } from '../../data/stream-feed.ts';
import { allIndexes, type IndexDescription, type TableDescription } from '../../data/tables.ts';
import { plural } from '../../parts/format.ts';
import { visible } from '../../parts/value.tsx';
import { arrange, isProjected, type Placed } from './arrange.ts';

interface Line {
  readonly id: string;
  readonly from: number;
  readonly to: number;
}

/** Two columns of item collections with a line from each item to its entry. Items that a sparse index lacks are hollow. */
export function Overlay({
  table,
  index,
  items,
  moved,
}: {
  readonly table: TableDescription;
  readonly index: IndexDescription;
  readonly items: readonly JsonItem[];
  readonly moved: ReadonlySet<string>;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const [lines, setLines] = useState<readonly Line[]>([]);
  const [height, setHeight] = useState(0);
  const [lit, setLit] = useState<string>();
  const byTable = arrange(table, table, items);
  const byIndex = arrange(table, index, items);
  const held = new Set(byIndex.groups.flatMap(({ rows }) => rows.map(({ id }) => id)));
  useLayoutEffect(() => {
    const draw = () => {
      const box = frame.current!.getBoundingClientRect();
      const middle = (side: string) =>
        new Map(
          [...frame.current!.querySelectorAll<HTMLElement>(`.${side} [data-id]`)].map((row) => {
            const { top, height: tall } = row.getBoundingClientRect();
            return [row.dataset.id!, top - box.top + Math.min(14, tall / 2)];
          }),
        );
      const [left, right] = [middle('overlay-table'), middle('overlay-index')];
      setHeight(box.height);
      setLines([...right].flatMap(([id, to]) => (left.has(id) ? [{ id, from: left.get(id)!, to }] : [])));
    };
    draw();
    const watching = new ResizeObserver(draw);
    watching.observe(frame.current!);
    return () => watching.disconnect();
  }, [items, index.IndexName]);
  const row = (placed: Placed, isEntry: boolean) => (
    <Row
      key={placed.id}
      table={table}
      index={isEntry ? index : undefined}
      placed={placed}
      isHollow={!isEntry && !held.has(placed.id)}
      isMoved={moved.has(placed.id)}
      isLit={lit === placed.id}
      onLight={setLit}
    />
  );
  return (
    <div class="overlay" ref={frame}>
      <section class="overlay-table" aria-label={`Items by the keys of ${table.TableName}`}>
        <h2>Table</h2>
        {byTable.groups.map(({ id, partition, rows }) => (
          <Group key={id} partition={partition}>
            {rows.map((placed) => row(placed, false))}
          </Group>
        ))}
      </section>
      <svg class="overlay-lines" width="96" height={height} aria-hidden="true">
        {lines.map(({ id, from, to }) => (
          <path
            key={id}
            class={lit === id ? 'lit' : moved.has(id) ? 'moved' : ''}
            d={`M0 ${from}C40 ${from} 56 ${to} 96 ${to}`}
          />
        ))}
      </svg>
      <section class="overlay-index" aria-label={`Entries of ${index.IndexName}`}>
        <h2>{index.IndexName}</h2>
        {byIndex.groups.map(({ id, partition, rows }) => (
          <Group key={id} partition={partition}>
            {rows.map((placed) => row(placed, true))}
          </Group>
        ))}
        {byIndex.missing.length > 0 ? (
          <div class="overlay-missing">
            <h3>
              {plural(byIndex.missing.length, 'item')} not in {index.IndexName}
            </h3>
            <ul>
              {byIndex.missing.map(({ id, name, lacks }) => (
                <li
                  key={id}
                  class={`entry hollow ${lit === id ? 'lit' : ''} ${moved.has(id) ? 'moved' : ''}`}
                  onMouseEnter={() => setLit(id)}
                  onMouseLeave={() => setLit(undefined)}
                >
                  <bdi class="mono cut">{visible(name)}</bdi>
                  <span class="small faint">has no {lacks}</span>
                </li>
              ))}
            </ul>
          </div>
        ) : null}
      </section>
    </div>
  );
}

function Group({
  partition,
  children,
}: {
  readonly partition: string;
  readonly children: preact.ComponentChildren;
}) {
  return (
    <div class="overlay-group">
      <h3 class="mono cut" title={partition}>
        <bdi>{visible(partition)}</bdi>
      </h3>
      <ul>{children}</ul>
    </div>
  );
}

const shownMax = 5;

function Row({
  table,
  index,
  placed: { id, name: own, item, sort },
  isHollow,
  isMoved,
  isLit,
  onLight,
}: {
  readonly table: TableDescription;
  readonly index: IndexDescription | undefined;
  readonly placed: Placed;
  readonly isHollow: boolean;
  readonly isMoved: boolean;
  readonly isLit: boolean;
  readonly onLight: (id: string | undefined) => void;
}) {
  const keys = new Set(
    [...table.KeySchema, ...(index?.KeySchema ?? [])].map(({ AttributeName }) => AttributeName),
  );
  const names = Object.keys(item).filter((name) => !keys.has(name));
  // What an index leaves out is greyed at the end, so that the difference is seen.
  // Keys of other indexes say little here.
  const otherKeys = new Set(
    allIndexes(table).flatMap(({ KeySchema }) => KeySchema.map(({ AttributeName }) => AttributeName)),
  );
  const rank = (name: string) => (isProjected(table, index, name) ? 0 : 2) + (otherKeys.has(name) ? 1 : 0);
  const ordered = names.toSorted((a, b) => rank(a) - rank(b));
  return (
    <li
      data-id={id}
      class={`entry ${isHollow ? 'hollow' : ''} ${isMoved ? 'moved' : ''} ${isLit ? 'lit' : ''}`}
      onMouseEnter={() => onLight(id)}
      onMouseLeave={() => onLight(undefined)}
    >
      <bdi class="mono cut entry-sort">{visible(sort === '' ? own : sort)}</bdi>
      <span class="entry-attributes cut">
        {ordered.slice(0, shownMax).map((name) => {
          const isShown = isProjected(table, index, name);
          return (
            <span
              key={name}
              class={isShown ? 'chip' : 'chip absent'}
              title={isShown ? undefined : 'not projected'}
            >
              {name}
              {isShown ? <bdi>{visible(shownValue(typedValue(item[name]!), 24))}</bdi> : null}
            </span>
          );
        })}
        {ordered.length > shownMax ? <span class="faint small">+{ordered.length - shownMax}</span> : null}
      </span>
    </li>
  );
}
