import { useEffect, useRef, useState } from 'preact/hooks';
import { readUnits } from '../../../src/physics/units.ts';
import { call, errorText } from '../../data/api.ts';
import { epoch } from '../../data/connection.ts';
import type { JsonItem } from '../../data/stream-feed.ts';
import {
  allIndexes,
  attributeType,
  type IndexDescription,
  keyNames,
  type TableDescription,
} from '../../data/tables.ts';
import { Button } from '../../parts/buttons.tsx';
import { bytes, count, plural, units } from '../../parts/format.ts';
import { PageFrame } from '../../parts/page-frame.tsx';
import { Empty, Notice } from '../../parts/states.tsx';
import { Why } from '../../parts/why.tsx';
import type { TablePageProps } from '../../shell/pages.ts';
import { href, route, setParams } from '../../shell/router.ts';
import { arrange } from './arrange.ts';
import { Overlay } from './overlay.tsx';

const itemsMax = 24;
const liveMs = 2_000;

/** The same items twice: as the table keeps them, and as an index does. */
export default function IndexesPage({ table }: TablePageProps) {
  const indexes = allIndexes(table);
  const index = indexes.find(({ IndexName }) => IndexName === route.value.params.index) ?? indexes[0];
  if (index === undefined)
    return (
      <PageFrame padded>
        <Empty title="This table has no indexes">
          <p>
            An index keeps the items of a table under another key, so that another question becomes one Query.
            Add one with UpdateTable, or let <code>stator design derive</code> find the fewest that your
            access patterns need.
          </p>
          <a class="button" href={href(table.TableName, 'query', { op: 'UpdateTable' })}>
            Open Query
          </a>
        </Empty>
      </PageFrame>
    );
  return <Looked key={table.TableName} table={table} indexes={indexes} index={index} />;
}

function Looked({
  table,
  indexes,
  index,
}: {
  readonly table: TableDescription;
  readonly indexes: readonly IndexDescription[];
  readonly index: IndexDescription;
}) {
  const { params } = route.value;
  const pk = params.pk;
  const [isLive, setLive] = useState(false);
  const [scans, setScans] = useState(0);
  const sample = useSample(table, pk, scans, isLive);
  const moved = useMoved(table, index, sample.items);
  const scan = () => {
    setParams({ pk: undefined });
    setScans(scans + 1);
  };
  const cost = `≈ ${units(lookUnits(table))} RCU`;
  return (
    <PageFrame
      toolbar={
        <div class="row indexes-tools">
          <div class="row" role="tablist" aria-label="Indexes">
            {indexes.map((each) => (
              <button
                key={each.IndexName}
                type="button"
                role="tab"
                class={`button ${each === index ? '' : 'plain'}`}
                aria-selected={each === index}
                onClick={() => setParams({ index: each.IndexName })}
              >
                {each.IndexName}
              </button>
            ))}
          </div>
          <span class="grow" />
          <Search key={pk ?? ''} table={table} pk={pk} cost={cost} />
          <Button kind={sample.items ? 'plain' : 'costly'} onClick={scan}>
            {sample.items && pk === undefined ? 'Scan again' : `Scan ${itemsMax} items`} · {cost}
          </Button>
          <label class="row small">
            <input
              type="checkbox"
              checked={isLive}
              disabled={sample.items === undefined}
              onChange={(event) => setLive(event.currentTarget.checked)}
            />
            live
          </label>
        </div>
      }
    >
      <div class="indexes">
        <p class="soft indexes-about">
          <IndexSentence table={table} index={index} />
          {sample.capacity !== undefined ? (
            <span class="faint"> This look cost {units(sample.capacity)} RCU.</span>
          ) : null}
        </p>
        {sample.error ? <Notice>{sample.error}</Notice> : null}
        {sample.items === undefined ? (
          <Empty title="Look at some items">
            <p>
              Type a partition key, or scan the first {itemsMax} items. They appear twice, under the table's
              keys and under those of {index.IndexName}, with a line from each item to its entry.
            </p>
            <Button kind="costly" onClick={scan}>
              Scan {itemsMax} items · {cost}
            </Button>
          </Empty>
        ) : sample.items.length === 0 ? (
          <Empty title="No items here">
            <p>{pk === undefined ? 'The table is empty.' : `No item has the partition key ${pk}.`}</p>
          </Empty>
        ) : (
          <Overlay table={table} index={index} items={sample.items} moved={moved} />
        )}
      </div>
    </PageFrame>
  );
}

/** What a look at some items costs: by the mean size of the table's items, read at half the price. */
function lookUnits({ ItemCount: items, TableSizeBytes: size }: TableDescription): number {
  return readUnits((size / Math.max(1, items)) * Math.min(items, itemsMax), 'eventual');
}

function Search({
  table,
  pk,
  cost,
}: {
  readonly table: TableDescription;
  readonly pk: string | undefined;
  readonly cost: string;
}) {
  const [text, setText] = useState(pk ?? '');
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        setParams({ pk: text || undefined });
      }}
    >
      <input
        class="field mono"
        type="search"
        aria-label="Partition key"
        placeholder={`${keyNames(table).hash} =`}
        data-filter
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <Button submits>Query · {cost}</Button>
    </form>
  );
}

function IndexSentence({
  table,
  index,
}: {
  readonly table: TableDescription;
  readonly index: IndexDescription;
}) {
  const { ProjectionType, NonKeyAttributes = [] } = index.Projection;
  const entries = index.ItemCount ?? 0;
  const share = table.ItemCount === 0 ? 0 : entries / table.ItemCount;
  const projection =
    ProjectionType === 'ALL'
      ? 'whole items'
      : ProjectionType === 'KEYS_ONLY'
        ? 'keys only'
        : `keys and ${NonKeyAttributes.join(', ')}`;
  return (
    <>
      <strong>{index.IndexName}</strong> has {plural(entries, 'entry', 'entries')} of {count(table.ItemCount)}{' '}
      items ({units(share * 100)} %), {bytes(index.IndexSizeBytes ?? 0)}, with {projection}, by{' '}
      <code>{index.KeySchema.map(({ AttributeName }) => AttributeName).join(', ')}</code>.{' '}
      <Why topic="indexes" />
    </>
  );
}

interface Sample {
  readonly items: readonly JsonItem[] | undefined;
  readonly capacity: number | undefined;
  readonly error: string | undefined;
}

const nothing: Sample = { items: undefined, capacity: undefined, error: undefined };

/**
 * The items to look at: those of a partition key that the address names, or a few of a Scan that somebody asked for. An
 * address alone runs a bounded Query at most.
 */
function useSample(table: TableDescription, pk: string | undefined, scans: number, isLive: boolean): Sample {
  const [sample, setSample] = useState<Sample>(nothing);
  const connection = epoch.value;
  const { hash } = keyNames(table);
  const type = attributeType(table, hash) ?? 'S';
  useEffect(() => {
    if (pk === undefined && scans === 0) {
      setSample(nothing);
      return;
    }
    const ending = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const base = { TableName: table.TableName, Limit: itemsMax, ReturnConsumedCapacity: 'TOTAL' };
    const look = async () => {
      try {
        const answer = await call<{ Items: JsonItem[]; ConsumedCapacity?: { CapacityUnits: number } }>(
          pk === undefined ? 'Scan' : 'Query',
          pk === undefined
            ? base
            : {
                ...base,
                KeyConditionExpression: '#h = :h',
                ExpressionAttributeNames: { '#h': hash },
                ExpressionAttributeValues: { ':h': { [type]: pk } },
              },
          { signal: ending.signal },
        );
        setSample({
          items: answer.Items,
          capacity: answer.ConsumedCapacity?.CapacityUnits,
          error: undefined,
        });
      } catch (error) {
        if (ending.signal.aborted) return;
        setSample((before) => ({ ...before, error: errorText(error) }));
      }
      if (isLive && !ending.signal.aborted) timer = setTimeout(() => void look(), liveMs);
    };
    void look();
    return () => {
      ending.abort();
      clearTimeout(timer);
    };
  }, [table.TableName, pk, scans, isLive, connection]);
  return sample;
}

/** The items whose entries came, went or moved since the last look. */
function useMoved(
  table: TableDescription,
  index: IndexDescription,
  items: readonly JsonItem[] | undefined,
): ReadonlySet<string> {
  const last = useRef<{ index: string; places: ReadonlyMap<string, string> } | undefined>(undefined);
  const [moved, setMoved] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => {
    if (items === undefined) return;
    const { groups } = arrange(table, index, items);
    const places = new Map(groups.flatMap(({ rows }) => rows.map(({ id, place }) => [id, place])));
    const before = last.current?.index === index.IndexName ? last.current.places : undefined;
    last.current = { index: index.IndexName, places };
    if (before === undefined) return setMoved(new Set());
    const ids = new Set([...before.keys(), ...places.keys()]);
    const changed = [...ids].filter((id) => before.get(id) !== places.get(id));
    if (changed.length > 0) setMoved(new Set(changed));
  }, [items, index.IndexName]);
  return moved;
}
