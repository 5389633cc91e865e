import { useEffect, useRef, useState } from 'preact/hooks';
import { call, control, errorText } from '../../data/api.ts';
import { epoch } from '../../data/connection.ts';
import { usePolled } from '../../data/polled.ts';
import { type Change, followStream, newFeedPlace, type ShardInfo } from '../../data/stream-feed.ts';
import { refreshTable } from '../../data/tables.ts';
import { Button } from '../../parts/buttons.tsx';
import { count, plural } from '../../parts/format.ts';
import { Inspector, PageFrame } from '../../parts/page-frame.tsx';
import { Empty, Notice } from '../../parts/states.tsx';
import { useKeys } from '../../shell/keyboard.ts';
import type { TablePageProps } from '../../shell/pages.ts';
import { route, setParams } from '../../shell/router.ts';
import { ChangeRow, ChangeWhole } from './change-row.tsx';

/** So many changes stay on the page, however long it is open. */
const keptMax = 500;

/** What happens to the items of a table, as it happens. */
export default function StreamsPage({ table }: TablePageProps) {
  const arn = table.StreamSpecification?.StreamEnabled ? table.LatestStreamArn : undefined;
  if (arn === undefined) return <NoStream table={table.TableName} />;
  return (
    <Feed key={arn} arn={arn} table={table.TableName} view={table.StreamSpecification!.StreamViewType} />
  );
}

function NoStream({ table }: { readonly table: string }) {
  const [error, setError] = useState<string>();
  const enable = async () => {
    try {
      await call('UpdateTable', {
        TableName: table,
        StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
      });
      await refreshTable(table);
    } catch (failure) {
      setError(errorText(failure));
    }
  };
  return (
    <PageFrame padded>
      <Empty title="This table has no stream">
        <p>
          A stream records every change of an item with the images before and after it, for 24 hours.
          Switching it on changes the table; consumers can read it too.
        </p>
        <Button kind="primary" onClick={() => void enable()}>
          Enable the stream (new and old images)
        </Button>
        {error ? <Notice>{error}</Notice> : null}
      </Empty>
    </PageFrame>
  );
}

function Feed({
  arn,
  table,
  view,
}: {
  readonly arn: string;
  readonly table: string;
  readonly view: string | undefined;
}) {
  const [changes, setChanges] = useState<readonly Change[]>([]);
  const [total, setTotal] = useState(0);
  const [shards, setShards] = useState<readonly ShardInfo[]>([]);
  const [trouble, setTrouble] = useState<string>();
  const [isPaused, setPaused] = useState(false);
  const waiting = useRef<Change[]>([]);
  /** A pause, or a server that was away, leaves nothing out. */
  const place = useRef(newFeedPlace());
  const connection = epoch.value;
  useEffect(() => {
    if (isPaused) return;
    const ending = new AbortController();
    void followStream(
      arn,
      place.current,
      {
        changes: (found) => {
          // A page that is not seen draws seldom.
          waiting.current = [...waiting.current, ...found].slice(-keptMax);
          setTotal((before) => before + found.length);
        },
        shards: setShards,
        trouble: setTrouble,
      },
      ending.signal,
    );
    // Drawn a few times a second, whatever the rate: more would not be seen.
    const timer = setInterval(() => {
      if (waiting.current.length === 0) return;
      const fresh = waiting.current.reverse();
      waiting.current = [];
      setChanges((before) => [...fresh, ...before].slice(0, keptMax));
    }, 250);
    return () => {
      ending.abort();
      clearInterval(timer);
    };
  }, [arn, connection, isPaused]);
  const filter = route.value.params.filter ?? '';
  const shown = filter === '' ? changes : changes.filter((change) => textOf(change).includes(filter));
  const selected = changes.find(({ id }) => id === route.value.params.change);
  const move = (by: number) => {
    const next = shown[Math.max(0, shown.findIndex(({ id }) => id === selected?.id) + by)];
    if (next !== undefined) setParams({ change: next.id }, true);
  };
  useKeys({
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Escape: () => setParams({ change: undefined }, true),
  });
  return (
    <PageFrame
      toolbar={
        <div class="row">
          <input
            class="field grow"
            type="search"
            placeholder="Filter by key or value"
            aria-label="Filter changes"
            data-filter
            value={filter}
            onInput={(event) => setParams({ filter: event.currentTarget.value || undefined }, true)}
          />
          <span class="soft small" role="status">
            {plural(total, 'change')}
            {changes.length < total ? `, the newest ${count(changes.length)} shown` : ''}
          </span>
          <Button onClick={() => setPaused(!isPaused)}>{isPaused ? 'Follow' : 'Pause'}</Button>
          <Button
            kind="plain"
            onClick={() => {
              setChanges([]);
              setTotal(0);
            }}
          >
            Clear
          </Button>
        </div>
      }
      inspector={
        selected ? (
          <Inspector title={`Change in ${table}`} onClose={() => setParams({ change: undefined }, true)}>
            <ChangeWhole change={selected} />
          </Inspector>
        ) : undefined
      }
    >
      <div class="streams">
        {trouble ? <Notice>{trouble}</Notice> : null}
        <Lineage shards={shards} table={table} view={view} />
        {shown.length === 0 ? (
          <Empty title={emptyTitle(isPaused, filter, shards)}>
            <p>
              Changes appear here as they happen. In a terminal: <code>stator tail {table}</code>
            </p>
          </Empty>
        ) : (
          <ol class="changes" aria-label="Changes, newest first">
            {shown.map((change) => (
              <ChangeRow
                key={change.id}
                change={change}
                isSelected={change.id === selected?.id}
                onSelect={() => setParams({ change: change.id }, true)}
              />
            ))}
          </ol>
        )}
      </div>
    </PageFrame>
  );
}

const texts = new WeakMap<Change, string>();

function emptyTitle(isPaused: boolean, filter: string, shards: readonly ShardInfo[]): string {
  if (isPaused) return 'Paused';
  if (shards.length === 0) return 'Opening the stream';
  return filter === '' ? 'Waiting for changes' : 'No change matches';
}

function textOf(change: Change): string {
  let text = texts.get(change);
  if (text === undefined) {
    text = JSON.stringify([change.kind, change.keys, change.before, change.after]);
    texts.set(change, text);
  }
  return text;
}

interface Followers {
  readonly followers: readonly {
    readonly table: string;
    readonly name: string;
    readonly recordsBehind: number;
    readonly behindMs: number;
    readonly kinesis?: { readonly streamArn: string; readonly status: string; readonly trouble?: string };
  }[];
}

/** The shards with their parents, and who reads the change log how far behind. */
function Lineage({
  shards,
  table,
  view,
}: {
  readonly shards: readonly ShardInfo[];
  readonly table: string;
  readonly view: string | undefined;
}) {
  const { value } = usePolled(`followers ${table}`, 3_000, (signal) =>
    control<Followers>('GET', 'followers', undefined, signal),
  );
  const own = value?.followers.filter((each) => each.table === table) ?? [];
  const open = shards.filter(({ isClosed }) => !isClosed);
  return (
    <details class="lineage">
      <summary>
        <span class="badge">{view?.toLowerCase().replaceAll('_', ' ') ?? 'stream'}</span>{' '}
        {plural(open.length, 'open shard')}
        {shards.length > open.length ? `, ${count(shards.length - open.length)} closed` : ''}
        {own.length > 0 ? ` · ${plural(own.length, 'follower')}` : ''}
      </summary>
      <div class="lineage-columns">
        <ul class="mono small">
          {shards.map(({ shardId, parentId, isClosed }) => (
            <li key={shardId} class={isClosed ? 'faint' : ''}>
              {shardId.replace(/^shardId-0*/, '…')} {isClosed ? 'closed' : 'open'}
              {parentId ? ` ← ${parentId.replace(/^shardId-0*/, '…')}` : ''}
            </li>
          ))}
        </ul>
        <ul class="small">
          {own.map(({ name, recordsBehind, behindMs, kinesis }) => (
            <li key={name}>
              <strong>{kinesis ? 'Kinesis' : name}</strong>{' '}
              {recordsBehind === 0
                ? 'up to date'
                : `${plural(recordsBehind, 'record')} behind, the oldest ${Math.round(behindMs / 1000)} s`}
              {kinesis ? ` · ${kinesis.status.toLowerCase()}` : ''}
              {kinesis?.trouble ? <span class="red"> {kinesis.trouble}</span> : null}
            </li>
          ))}
        </ul>
      </div>
    </details>
  );
}
