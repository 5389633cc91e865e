import { useRef } from 'preact/hooks';
import type { ResourceDescription } from '../../data/physics.ts';
import { count, units } from '../../parts/format.ts';
import {
  type Access,
  type Band,
  bandsOf,
  ceilingOf,
  heatColour,
  heatOf,
  loadIn,
  minutesShown,
  splitsOf,
} from './heat.ts';

const labelPx = 96;
const axisPx = 20;
/** A time on the axis needs so much room beside the one of the chosen minute. */
const timePx = 48;

/** Where the cells of a map begin and how wide one is, in pixels. The slider below lies under them. */
export interface HeatRoom {
  readonly width: number;
  readonly left: number;
  readonly cell: number;
}

export function heatRoom(width: number): HeatRoom {
  return { width, left: labelPx, cell: (width - labelPx) / minutesShown };
}

/**
 * Time across, the hash space down, one cell for a partition and a minute. A cell is as bright as its load against what a
 * partition gives; a mark in it stands for throttled requests, a fork for a split.
 */
export function HeatMap({
  room,
  resource,
  access,
  lastMinute,
  selected,
  minute,
  onSelect,
}: {
  readonly room: HeatRoom;
  readonly resource: ResourceDescription;
  readonly access: Access;
  readonly lastMinute: number;
  readonly selected: number | undefined;
  readonly minute: number;
  readonly onSelect: (partition: number, minute: number) => void;
}) {
  const svg = useRef<SVGSVGElement>(null);
  const { bands, height } = bandsOf(resource.partitions);
  const firstMinute = lastMinute - minutesShown + 1;
  const { width, cell: cellPx } = room;
  const x = (at: number) => labelPx + (at - firstMinute) * cellPx;
  const byId = new Map(bands.map((band) => [band.partition.id, band]));
  const pick = (event: MouseEvent) => {
    const box = svg.current!.getBoundingClientRect();
    const at = firstMinute + Math.floor((event.clientX - box.left - labelPx) / cellPx);
    const down = event.clientY - box.top;
    const band = bands.find(({ top, height: tall }) => down >= top && down < top + tall);
    if (band !== undefined) onSelect(band.partition.id, Math.min(lastMinute, Math.max(firstMinute, at)));
  };
  return (
    <svg
      ref={svg}
      class="heat-map"
      width={width}
      height={height + axisPx}
      role="img"
      aria-label={`Load of ${resource.partitions.length} partitions over the last hour`}
      onClick={pick}
    >
      {bands.map((band) => (
        <Row
          key={band.partition.id}
          room={room}
          band={band}
          access={access}
          firstMinute={firstMinute}
          lastMinute={lastMinute}
          x={x}
          isSelected={band.partition.id === selected}
        />
      ))}
      <rect class="heat-now" x={x(minute)} y={0} width={cellPx} height={height} />
      {splitsOf(resource).map(({ atMs, parent, child, text }, i) => {
        const at = x(atMs / 60_000);
        if (at < labelPx || at > width) return null;
        const [from, to] = [byId.get(parent ?? -1), byId.get(child ?? -1)];
        return (
          <g key={i} class="heat-split">
            <title>{text}</title>
            {from && to ? (
              <path
                d={`M${at - 10} ${middle(from)}h4q6 0 6 ${Math.sign(middle(to) - middle(from)) * 6}V${middle(to)}h8`}
              />
            ) : (
              <path d={`M${at} 0V${height}`} />
            )}
          </g>
        );
      })}
      <Axis room={room} firstMinute={firstMinute} lastMinute={lastMinute} minute={minute} x={x} y={height} />
    </svg>
  );
}

function middle({ top, height }: Band): number {
  return top + height / 2;
}

function Row({
  room: { cell: cellPx },
  band: { partition, top, height },
  access,
  firstMinute,
  lastMinute,
  x,
  isSelected,
}: {
  readonly room: HeatRoom;
  readonly band: Band;
  readonly access: Access;
  readonly firstMinute: number;
  readonly lastMinute: number;
  readonly x: (minute: number) => number;
  readonly isSelected: boolean;
}) {
  const ceiling = ceilingOf(access);
  return (
    <g class={isSelected ? 'heat-row selected' : 'heat-row'}>
      <rect class="heat-ground" x={labelPx} y={top} width={minutesShown * cellPx} height={height - 1} />
      <text x={labelPx - 8} y={top + Math.min(height / 2 + 4, 16)} text-anchor="end">
        #{partition.id} · {units(partition.share * 100)} %
      </text>
      {partition.lastHour.map(({ minute }) => {
        if (minute < firstMinute || minute > lastMinute) return null;
        const load = loadIn(partition.lastHour, minute, access);
        const { unitsPerSecond, refused } = load;
        if (unitsPerSecond === 0 && refused === 0) return null;
        return (
          <g key={minute}>
            <title>
              {`#${partition.id} at ${clockTime(minute)}: ${units(unitsPerSecond)} of ${count(ceiling)} units a second${
                refused > 0 ? `, ${count(refused)} throttled` : ''
              }`}
            </title>
            <rect
              x={x(minute)}
              y={top}
              width={cellPx - 1}
              height={height - 1}
              style={{ fill: heatColour(heatOf(load, access)) }}
            />
            {refused > 0 ? (
              <path
                class="heat-throttle"
                d={`M${x(minute) + cellPx / 2 - 4} ${top + height / 2 + 3}l3.5 -6l3.5 6z`}
              />
            ) : null}
          </g>
        );
      })}
      {isSelected ? (
        <rect class="heat-frame" x={labelPx} y={top} width={minutesShown * cellPx - 1} height={height - 1} />
      ) : null}
    </g>
  );
}

function Axis({
  room: { width, cell: cellPx },
  firstMinute,
  lastMinute,
  minute: chosen,
  x,
  y,
}: {
  readonly room: HeatRoom;
  readonly firstMinute: number;
  readonly lastMinute: number;
  readonly minute: number;
  readonly x: (minute: number) => number;
  readonly y: number;
}) {
  const ticks = Array.from({ length: minutesShown }, (_, i) => firstMinute + i).filter(
    // A time at the edge would be cut off.
    (minute) =>
      minute % 10 === 0 &&
      (minute - firstMinute) * cellPx >= timePx / 2 &&
      minute < firstMinute + minutesShown - 1 &&
      Math.abs(minute - chosen) * cellPx >= timePx,
  );
  const middleOf = (minute: number) => x(minute) + cellPx / 2;
  return (
    <g class="heat-axis">
      <text x={labelPx - 8} y={y + 14} text-anchor="end">
        UTC
      </text>
      {ticks.map((minute) => (
        <text key={minute} x={middleOf(minute)} y={y + 14} text-anchor="middle">
          {clockTime(minute)}
        </text>
      ))}
      <text
        class="heat-chosen"
        x={Math.min(width - 2, Math.max(labelPx, middleOf(chosen)))}
        y={y + 14}
        text-anchor={chosen > lastMinute - 2 ? 'end' : chosen < firstMinute + 2 ? 'start' : 'middle'}
      >
        {chosen === lastMinute ? 'now' : clockTime(chosen)}
      </text>
    </g>
  );
}

/** Hours and minutes in UTC, as everywhere in the studio. */
export function clockTime(minute: number): string {
  return new Date(minute * 60_000).toISOString().slice(11, 16);
}

/** What brightness means, in words. */
export function HeatLegend({ access }: { readonly access: Access }) {
  const steps = Array.from({ length: 24 }, (_, i) => i / 23);
  return (
    <span class="row heat-legend small soft">
      <span>0</span>
      <svg viewBox="0 0 96 8" width="96" height="8" aria-hidden="true">
        {steps.map((share, i) => (
          <rect key={i} x={i * 4} y={0} width={4} height={8} style={{ fill: heatColour(share) }} />
        ))}
      </svg>
      <span>
        {count(ceilingOf(access))} {access} units a second
      </span>
      <svg viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
        <path class="heat-throttle" d="M1 8l3.5 -6l3.5 6z" />
      </svg>
      <span>throttled</span>
    </span>
  );
}
