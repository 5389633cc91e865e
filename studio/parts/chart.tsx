import { useEffect, useRef } from 'preact/hooks';
import type uPlot from 'uplot';

export interface ChartLine {
  readonly label: string;
  /** A colour token, such as `--accent`. */
  readonly colour: string;
  /** One value for each time; null leaves a gap. */
  readonly values: readonly (number | null)[];
  readonly isDashed?: boolean;
}

/** A chart of lines over time, drawn by uPlot, which is loaded when the first chart is. All charts share one cursor. */
export function Chart({
  times,
  lines,
  unit,
  height = 160,
  label,
}: {
  /** Milliseconds since 1970. */
  readonly times: readonly number[];
  readonly lines: readonly ChartLine[];
  readonly unit: string;
  readonly height?: number;
  readonly label: string;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | undefined>(undefined);
  const shape = `${lines.map(({ label: name }) => name).join('\n')}\n${unit} ${height}`;
  const data = [times.map((at) => at / 1000), ...lines.map(({ values }) => values)] as uPlot.AlignedData;
  const latest = useRef(data);
  latest.current = data;
  useEffect(() => {
    let isOver = false;
    let watching: ResizeObserver | undefined;
    void import('uplot').then(({ default: Plot }) => {
      const place = frame.current;
      if (isOver || place === null) return;
      const options = {
        ...optionsOf(place, lines, unit, height),
        // All times of the studio are UTC, as those of the API are.
        tzDate: (seconds: number) => Plot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
      };
      chart.current = new Plot(options, latest.current, place);
      watching = new ResizeObserver(() =>
        chart.current?.setSize({ width: Math.max(120, place.clientWidth), height }),
      );
      watching.observe(place);
    });
    return () => {
      isOver = true;
      watching?.disconnect();
      chart.current?.destroy();
      chart.current = undefined;
    };
  }, [shape]);
  useEffect(() => chart.current?.setData(latest.current));
  return <div class="chart" ref={frame} role="img" aria-label={label} style={{ minHeight: `${height}px` }} />;
}

function optionsOf(
  place: HTMLElement,
  lines: readonly ChartLine[],
  unit: string,
  height: number,
): uPlot.Options {
  const tone = (token: string) => getComputedStyle(place).getPropertyValue(token).trim() || '#888';
  const axis: uPlot.Axis = {
    stroke: () => resolved(place, '--text-faint'),
    grid: { stroke: () => resolved(place, '--line'), width: 1 },
    ticks: { show: false },
    font: `11px ${tone('--font-mono')}`,
  };
  return {
    width: Math.max(120, place.clientWidth),
    height,
    cursor: { sync: { key: 'studio' }, points: { size: 6 } },
    // Tokens, not colours, so that the legend follows a change of the theme.
    legend: { live: true, markers: { stroke: (_, i) => `var(${lines[i - 1]?.colour ?? '--line'})` } },
    scales: { y: { range: (_, min, max) => [Math.min(0, min), max > 0 ? max * 1.1 : 1] } },
    axes: [
      {
        ...axis,
        size: 24,
        space: 64,
        values: (_, ticks, __, ___, step) => ticks.map((at) => timeText(at, step)),
      },
      { ...axis, size: 56, values: (_, ticks) => ticks.map((tick) => short(tick)) },
    ],
    series: [
      { label: 'Time', value: (_, at) => (at === null ? 'latest' : `${timeText(at, 60)} UTC`) },
      ...lines.map(
        ({ label, colour, isDashed }): uPlot.Series => ({
          label,
          stroke: () => resolved(place, colour),
          width: 1.5,
          points: { show: true, size: 4, filter: (plot, i) => lonely(plot.data[i]!) },
          spanGaps: false,
          ...(isDashed && { dash: [4, 4], class: 'dashed' }),
          value: (plot, value, i, at) => {
            const shown = at === null ? Array.from(plot.data[i]!).findLast((one) => one !== null) : value;
            return shown === null || shown === undefined ? '–' : `${short(shown)} ${unit}`;
          },
        }),
      ),
    ],
  };
}

/** Values between gaps make no line, so that they are drawn as points. */
function lonely(values: ArrayLike<number | null | undefined>): number[] {
  const found: number[] = [];
  const has = (i: number) => values[i] !== null && values[i] !== undefined;
  for (let i = 0; i < values.length; i++) if (has(i) && !has(i - 1) && !has(i + 1)) found.push(i);
  return found;
}

/** A day where the ticks are days, else hours and minutes. */
function timeText(seconds: number, step: number): string {
  const text = new Date(seconds * 1_000).toISOString();
  return step >= 86_400 ? text.slice(5, 10) : text.slice(11, 16);
}

/** Tokens hold both themes; a probe tells which colour counts now. */
function resolved(place: HTMLElement, token: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${token})`;
  place.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });
const fine = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });

function short(value: number): string {
  return Math.abs(value) >= 10_000 ? compact.format(value) : fine.format(value);
}
