import { useEffect, useRef, useState } from 'preact/hooks';
import { errorText } from '../../data/api.ts';
import {
  type ChangesSince,
  changesSince,
  collectionAt,
  readRecovery,
  switchRecoveryOn,
} from '../../data/past.ts';
import { type Polled, usePolled } from '../../data/polled.ts';
import type { JsonItem } from '../../data/stream-feed.ts';
import { attributeType, keyNames, type TableDescription } from '../../data/tables.ts';
import { Button } from '../../parts/buttons.tsx';
import { count, plural } from '../../parts/format.ts';
import { PageFrame } from '../../parts/page-frame.tsx';
import { Empty, Notice, SkeletonRows } from '../../parts/states.tsx';
import { Why } from '../../parts/why.tsx';
import { useKeys } from '../../shell/keyboard.ts';
import type { TablePageProps } from '../../shell/pages.ts';
import { route, setParams } from '../../shell/router.ts';
import { toast } from '../../shell/toast.ts';
import { ChangeRow } from '../streams/change-row.tsx';
import { shownValue } from '../streams/differences.ts';
import { Timeline, timeText } from './timeline.tsx';
import { Versions } from './versions.tsx';

/** The table at any second that recovery reaches: what has changed since, a collection as it was, one item back. */
export default function HistoryPage({ table }: TablePageProps) {
  const { params } = route.value;
  const name = table.TableName;
  const polled = usePolled(`recovery ${name}`, 5_000, (signal) => readRecovery(name, signal));
  const close = () => setParams({ item: undefined }, true);
  useKeys({ Escape: close });
  const recovery = polled.value;
  const keys = keysOf(params.item);
  return (
    <PageFrame
      padded
      inspector={
        recovery?.isOn && keys !== undefined ? (
          <Versions key={params.item} table={table} keys={keys} onClose={close} />
        ) : undefined
      }
    >
      {polled.error ? <Notice onRetry={polled.refresh}>{polled.error}</Notice> : null}
      {recovery === undefined ? (
        polled.error ? null : (
          <SkeletonRows />
        )
      ) : recovery.isOn ? (
        <Past key={name} table={table} recovery={recovery} />
      ) : (
        <SwitchOn table={name} onDone={polled} />
      )}
    </PageFrame>
  );
}

function keysOf(text: string | undefined): JsonItem | undefined {
  if (text === undefined) return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? (parsed as JsonItem)
      : undefined;
  } catch {
    return undefined;
  }
}

function SwitchOn({ table, onDone }: { readonly table: string; readonly onDone: Polled<unknown> }) {
  const [problem, setProblem] = useState<string>();
  const run = async () => {
    try {
      await switchRecoveryOn(table);
      toast(`Point-in-time recovery of ${table} is on`);
      onDone.refresh();
    } catch (error) {
      setProblem(errorText(error));
    }
  };
  return (
    <Empty title="Nothing of this table is kept">
      <p>
        With point-in-time recovery every write keeps the image that it replaces, so that you can look at the
        table as it was at any second, compare, and bring single items back.
      </p>
      {problem ? <Notice>{problem}</Notice> : null}
      <Button kind="primary" onClick={() => void run()}>
        Switch on point-in-time recovery
      </Button>
    </Empty>
  );
}

/** So many changes are drawn, and so many more with every press of the button. */
const shownAtOnce = 200;

function Past({
  table,
  recovery,
}: {
  readonly table: TableDescription;
  readonly recovery: { readonly isOn: boolean; readonly fromMs: number; readonly toMs: number };
}) {
  const { params } = route.value;
  const { TableName: name } = table;
  const given = Number(params.at);
  const atMs = Math.min(
    recovery.toMs,
    Math.max(recovery.fromMs, params.at !== undefined && Number.isFinite(given) ? given : recovery.fromMs),
  );
  const [found, setFound] = useState<
    ChangesSince & { readonly sinceMs: number; readonly isWhole: boolean }
  >();
  const [then, setThen] = useState<{
    readonly pk: string;
    readonly atMs: number;
    readonly items: readonly JsonItem[];
  }>();
  const [pk, setPk] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const running = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const work = async (run: (signal: AbortSignal) => Promise<void>) => {
    running.current?.abort();
    const own = new AbortController();
    running.current = own;
    setBusy(true);
    setProblem(undefined);
    try {
      await run(own.signal);
    } catch (error) {
      if (!own.signal.aborted) setProblem(errorText(error));
    } finally {
      if (running.current === own) setBusy(false);
    }
  };
  const [shown, setShown] = useState(shownAtOnce);
  const compare = () =>
    work(async (signal) => {
      const sinceMs = atMs;
      const show = (sofar: ChangesSince, isWhole: boolean) => setFound({ ...sofar, sinceMs, isWhole });
      setThen(undefined);
      setShown(shownAtOnce);
      show({ changes: [], count: 0, looked: 0 }, false);
      show(await changesSince(name, sinceMs, (sofar) => show(sofar, false), signal), true);
    });
  const { hash } = keyNames(table);
  const look = () =>
    work(async (signal) => {
      const type = attributeType(table, hash) ?? 'S';
      const query = {
        KeyConditionExpression: '#p = :p',
        ExpressionAttributeNames: { '#p': hash },
        ExpressionAttributeValues: { ':p': { [type]: pk } },
        Limit: 200,
      };
      const items = await collectionAt(name, atMs, query, signal);
      setFound(undefined);
      setThen({ pk, atMs, items });
    });
  const choose = (keys: JsonItem) => setParams({ item: JSON.stringify(keys) }, true);
  const ago = recovery.toMs - atMs;
  return (
    <div class="column" style={{ gap: '24px' }}>
      <section class="column">
        <h2>
          {timeText(atMs)} <span class="soft small">{agoText(ago)}</span> <Why topic="practice" />
        </h2>
        <Timeline
          table={name}
          recovery={recovery}
          atMs={atMs}
          onMove={(next) => setParams({ at: String(next) }, true)}
        />
        <form
          class="row"
          onSubmit={(event) => {
            event.preventDefault();
            void look();
          }}
        >
          <Button kind="primary" disabled={isBusy} onClick={() => void compare()}>
            Show what changed since
          </Button>
          <span class="grow" />
          <input
            class="field mono"
            aria-label={`${hash} of a collection`}
            placeholder={`${hash} of a collection`}
            value={pk}
            onInput={(event) => setPk(event.currentTarget.value)}
          />
          <Button submits disabled={isBusy || pk === ''}>
            Query as it was
          </Button>
        </form>
      </section>
      {problem ? <Notice onClose={() => setProblem(undefined)}>{problem}</Notice> : null}
      {then !== undefined ? (
        <section class="column">
          <h2>
            {plural(then.items.length, 'item')} of <span class="mono">{then.pk}</span> at{' '}
            {timeText(then.atMs)}
          </h2>
          <table class="list">
            <tbody>
              {then.items.map((item) => {
                const keys = Object.fromEntries(
                  table.KeySchema.map(({ AttributeName }) => [AttributeName, item[AttributeName]!]),
                );
                return (
                  <tr key={JSON.stringify(keys)}>
                    <td class="mono">
                      <button type="button" class="link mono" onClick={() => choose(keys)}>
                        {Object.values(keys)
                          .map((value) => shownValue(value).text)
                          .join(' / ')}
                      </button>
                    </td>
                    <td class="soft history-rest">
                      <div class="cut">
                        {Object.entries(item)
                          .filter(([attribute]) => !Object.hasOwn(keys, attribute))
                          .slice(0, 8)
                          .map(([attribute, value]) => `${attribute} ${shownValue(value).text}`)
                          .join(' · ')}
                      </div>
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </section>
      ) : found === undefined ? (
        isBusy ? (
          <SkeletonRows />
        ) : null
      ) : found.isWhole && found.count === 0 ? (
        <Empty title={`Nothing is different since ${timeText(found.sinceMs)}`}>
          <p>An item that came and went in between, or is the same again, is not told.</p>
        </Empty>
      ) : (
        <section class="column">
          <div class="row">
            <h2 class="grow">
              {plural(found.count, 'item')} {found.isWhole ? '' : 'so far '}different since{' '}
              {timeText(found.sinceMs)}
            </h2>
            <span class="soft small" role="status">
              {plural(found.looked, 'item')} compared
              {found.isWhole ? '' : isBusy ? ` of about ${count(table.ItemCount)}` : ', then stopped'}
            </span>
            {isBusy && !found.isWhole ? (
              <Button
                onClick={() => {
                  running.current?.abort();
                  setBusy(false);
                }}
              >
                Stop
              </Button>
            ) : null}
          </div>
          <ul class="changes">
            {found.changes.slice(0, shown).map((change) => (
              <ChangeRow
                key={change.id}
                change={change}
                isSelected={params.item === JSON.stringify(change.keys)}
                onSelect={() => choose(change.keys)}
              />
            ))}
          </ul>
          {found.changes.length > shown ? (
            <div>
              <Button onClick={() => setShown(shown + shownAtOnce)}>
                Show {count(Math.min(shownAtOnce, found.changes.length - shown))} more
              </Button>
            </div>
          ) : found.count > found.changes.length ? (
            <p class="faint">
              {count(found.count - found.changes.length)} more are different; <code>stator diff {name}</code>{' '}
              lists them all.
            </p>
          ) : null}
        </section>
      )}
    </div>
  );
}

function agoText(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 1) return 'now';
  if (seconds < 120) return `${seconds} s back`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min back`;
  return seconds < 172_800
    ? `${Math.round(seconds / 3_600)} h back`
    : `${Math.round(seconds / 86_400)} days back`;
}
