import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import {
  type ResourceDescription,
  serverClock,
  type TablePhysics,
  tablePhysics,
} from '../../data/physics.ts';
import { usePolled } from '../../data/polled.ts';
import { Button } from '../../parts/buttons.tsx';
import { count, plural, units } from '../../parts/format.ts';
import { Inspector, PageFrame } from '../../parts/page-frame.tsx';
import { Empty, Notice, SkeletonRows } from '../../parts/states.tsx';
import { Why } from '../../parts/why.tsx';
import { useKeys } from '../../shell/keyboard.ts';
import type { TablePageProps } from '../../shell/pages.ts';
import { href, route, setParams } from '../../shell/router.ts';
import { type Access, ceilingOf, loadIn, minutesShown } from './heat.ts';
import { clockTime, HeatLegend, HeatMap, heatRoom } from './heat-map.tsx';
import { HotKeys } from './hot-keys.tsx';
import { PartitionDetails } from './partition-details.tsx';
import { VerdictList } from './verdict-list.tsx';

/** Where the load of a table lies: the partitions that AWS would have, minute by minute, and the keys behind them. */
export default function PartitionsPage({ table }: TablePageProps) {
  const polled = usePolled(`partitions ${table.TableName}`, 2_000, async (signal) => {
    const [physics, clock] = await Promise.all([tablePhysics(table.TableName, signal), serverClock(signal)]);
    return { physics, lastMinute: Math.floor(clock.nowMs / 60_000) };
  });
  const { params } = route.value;
  const access: Access = params.access === 'read' ? 'read' : 'write';
  if (polled.value === undefined)
    return (
      <PageFrame padded>
        {polled.error ? <Notice onRetry={polled.refresh}>{polled.error}</Notice> : <SkeletonRows />}
      </PageFrame>
    );
  const { physics, lastMinute } = polled.value;
  const resource =
    physics.resources.find(({ indexName }) => indexName === params.index) ?? physics.resources[0]!;
  return (
    <Partitions
      physics={physics}
      resource={resource}
      access={access}
      lastMinute={lastMinute}
      error={polled.error}
    />
  );
}

function Partitions({
  physics,
  resource,
  access,
  lastMinute,
  error,
}: {
  readonly physics: TablePhysics;
  readonly resource: ResourceDescription;
  readonly access: Access;
  readonly lastMinute: number;
  readonly error: string | undefined;
}) {
  const { params } = route.value;
  const firstMinute = lastMinute - minutesShown + 1;
  const asked = params.minute === undefined ? lastMinute : Number(params.minute);
  const minute = Number.isInteger(asked) ? Math.min(lastMinute, Math.max(firstMinute, asked)) : lastMinute;
  const selected = params.p === undefined ? undefined : Number(params.p);
  const partition = resource.partitions.find(({ id }) => id === selected);
  const [container, width] = useWidth();
  const room = heatRoom(width);
  const replay = useReplay(minute, firstMinute, lastMinute);
  const move = (rows: number) => {
    const at = resource.partitions.findIndex(({ id }) => id === selected);
    const next = resource.partitions[Math.max(0, Math.min(resource.partitions.length - 1, at + rows))];
    if (next !== undefined) setParams({ p: String(next.id) }, true);
  };
  useKeys({
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    ArrowLeft: () => showMinute(minute - 1, lastMinute),
    ArrowRight: () => showMinute(minute + 1, lastMinute),
    Escape: () => setParams({ p: undefined }, true),
  });
  const verdicts = physics.verdicts.filter(({ arn }) => arn === resource.arn);
  const isNow = minute === lastMinute;
  const shownVerdicts = isNow ? verdicts : verdicts.filter((one) => isDuring(one, minute));
  const when = isNow ? '' : ` at ${clockTime(minute)}`;
  return (
    <PageFrame
      padded
      toolbar={
        <div class="row partitions-tools">
          <ResourceChoice physics={physics} resource={resource} />
          <div class="row" role="group" aria-label="Kind of load">
            {(['write', 'read'] as const).map((each) => (
              <button
                key={each}
                type="button"
                class={`button ${each === access ? '' : 'plain'}`}
                aria-pressed={each === access}
                onClick={() => setParams({ access: each === 'write' ? undefined : each }, true)}
              >
                {each === 'write' ? 'Writes' : 'Reads'}
              </button>
            ))}
          </div>
          <span class="grow" />
          <HeatLegend access={access} />
        </div>
      }
      inspector={
        partition && (
          <Inspector title={`Partition #${partition.id}`} onClose={() => setParams({ p: undefined }, true)}>
            <PartitionDetails
              partition={partition}
              minute={minute}
              verdicts={verdicts.filter(({ partitionId }) => partitionId === partition.id)}
            />
          </Inspector>
        )
      }
    >
      <div class="column partitions">
        {error ? <Notice>{error}</Notice> : null}
        {physics.note ? <Notice kind="">{physics.note}</Notice> : null}
        <Headline physics={physics} resource={resource} access={access} minute={isNow ? undefined : minute} />
        {physics.mode === 'off' ? (
          <Empty title="Physics is off for this table">
            <p>
              Nothing is modelled. Switch it to shadow to see what AWS would do, without any effect on
              clients.
            </p>
            <a class="button" href={href(undefined, 'faults')}>
              Time and faults
            </a>
          </Empty>
        ) : (
          <>
            <div class="heat-scroll" tabIndex={0}>
              <div class="heat-room" ref={container}>
                <HeatMap
                  room={room}
                  resource={resource}
                  access={access}
                  lastMinute={lastMinute}
                  selected={selected}
                  minute={minute}
                  onSelect={(p, at) =>
                    setParams({ p: String(p), minute: at === lastMinute ? undefined : String(at) }, true)
                  }
                />
                <div class="scrubber" style={{ '--left': `${room.left}px`, '--cell': `${room.cell}px` }}>
                  <Button
                    kind="plain"
                    icon={replay.isPlaying ? 'close' : 'play'}
                    title="Replay the hour"
                    onClick={replay.toggle}
                  >
                    {replay.isPlaying ? 'Stop' : 'Replay'}
                  </Button>
                  <input
                    type="range"
                    aria-label="Minute"
                    aria-valuetext={clockTime(minute)}
                    min={firstMinute}
                    max={lastMinute}
                    value={minute}
                    onInput={(event) => showMinute(Number(event.currentTarget.value), lastMinute)}
                  />
                </div>
              </div>
            </div>
            <div class="partitions-columns">
              <section class="column">
                <h2>
                  Hottest keys{when} <Why topic="partitions" />
                </h2>
                <HotKeys
                  resource={resource}
                  access={access}
                  verdicts={shownVerdicts}
                  minute={isNow ? undefined : minute}
                />
              </section>
              <section class="column">
                <h2>
                  {physics.mode === 'enforce' ? 'Throttled' : 'AWS would have throttled'}
                  {when}
                </h2>
                <VerdictList verdicts={shownVerdicts} />
                <Events resource={resource} />
              </section>
            </div>
          </>
        )}
      </div>
    </PageFrame>
  );
}

/** Whether requests were refused for this reason in a minute. */
function isDuring(
  { firstMs, lastMs }: { readonly firstMs: number; readonly lastMs: number },
  minute: number,
) {
  return firstMs < (minute + 1) * 60_000 && lastMs >= minute * 60_000;
}

function showMinute(minute: number, lastMinute: number): void {
  const first = lastMinute - minutesShown + 1;
  const shown = Math.min(lastMinute, Math.max(first, minute));
  setParams({ minute: shown === lastMinute ? undefined : String(shown) }, true);
}

/** The width of an element in pixels, now and whenever it changes. */
function useWidth() {
  const [width, setWidth] = useState(960);
  const observer = useRef<ResizeObserver | undefined>(undefined);
  const ref = useCallback((element: HTMLElement | null) => {
    observer.current?.disconnect();
    if (element === null) return;
    setWidth(element.clientWidth);
    observer.current = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.current.observe(element);
  }, []);
  return [ref, width] as const;
}

/** Runs through the hour, ten minutes a second. */
function useReplay(minute: number, firstMinute: number, lastMinute: number) {
  const [isPlaying, setPlaying] = useState(false);
  useEffect(() => {
    if (!isPlaying) return;
    const timer = setTimeout(() => {
      if (minute >= lastMinute) setPlaying(false);
      else showMinute(minute + 1, lastMinute);
    }, 100);
    return () => clearTimeout(timer);
  }, [isPlaying, minute, lastMinute]);
  const toggle = () => {
    if (!isPlaying && minute === lastMinute) showMinute(firstMinute, lastMinute);
    setPlaying(!isPlaying);
  };
  return { isPlaying, toggle };
}

function ResourceChoice({
  physics,
  resource,
}: {
  readonly physics: TablePhysics;
  readonly resource: ResourceDescription;
}) {
  if (physics.resources.length === 1) return null;
  return (
    <select
      class="field"
      aria-label="Table or index"
      value={resource.indexName ?? ''}
      onChange={(event) => setParams({ index: event.currentTarget.value || undefined, p: undefined })}
    >
      {physics.resources.map(({ indexName }) => (
        <option key={indexName ?? ''} value={indexName ?? ''}>
          {indexName ?? 'Table'}
        </option>
      ))}
    </select>
  );
}

/** One sentence on how the table stands, or stood in a minute. */
function Headline({
  physics,
  resource,
  access,
  minute,
}: {
  readonly physics: TablePhysics;
  readonly resource: ResourceDescription;
  readonly access: Access;
  readonly minute: number | undefined;
}) {
  const { partitions, throughput, warm } = resource;
  const loads = partitions.map((each) =>
    minute === undefined
      ? access === 'write'
        ? each.writeAsked
        : each.readAsked
      : loadIn(each.lastHour, minute, access).unitsPerSecond,
  );
  const asked = loads.reduce((sum, load) => sum + load, 0);
  const hottest = Math.max(0, ...loads);
  const refused = resource.lastHour.reduce(
    (sum, one) =>
      minute === undefined || one.minute === minute
        ? sum + (access === 'write' ? one.refusedWrites : one.refusedReads)
        : sum,
    0,
  );
  const allowed = access === 'write' ? warm.write : warm.read;
  return (
    <p class="headline">
      <strong>{plural(partitions.length, 'partition')}</strong>
      {throughput.mode === 'PAY_PER_REQUEST' ? ', on demand' : ', provisioned'}, ready for {count(allowed)}{' '}
      {access} units a second.{' '}
      {asked >= 1 ? (
        <>
          {minute === undefined ? 'Now' : `At ${clockTime(minute)} it was asked for`} {units(asked)}, of which
          the hottest partition {minute === undefined ? 'takes' : 'took'}{' '}
          <strong
            class={hottest > ceilingOf(access) ? 'red' : hottest > 0.7 * ceilingOf(access) ? 'amber' : ''}
          >
            {units(hottest)} of {count(ceilingOf(access))}
          </strong>
          .
        </>
      ) : minute === undefined ? (
        'Quiet now.'
      ) : (
        `Quiet at ${clockTime(minute)}.`
      )}{' '}
      {refused > 0 ? (
        <span class={physics.mode === 'enforce' ? 'red' : 'amber'}>
          {plural(refused, 'request')}{' '}
          {physics.mode === 'enforce' ? 'throttled' : 'would have been throttled on AWS'} in{' '}
          {minute === undefined ? 'the last hour' : 'that minute'}.
        </span>
      ) : null}
    </p>
  );
}

function Events({ resource: { events } }: { readonly resource: ResourceDescription }) {
  if (events.length === 0) return null;
  return (
    <ul class="column small soft partition-events">
      {events
        .slice(-8)
        .reverse()
        .map(({ atMs, what }, i) => (
          <li key={i}>
            <span class="mono">{clockTime(Math.floor(atMs / 60_000))}</span> {what}
          </li>
        ))}
    </ul>
  );
}
