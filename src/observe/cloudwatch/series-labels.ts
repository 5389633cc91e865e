import { maximumOf, meanOf, minimumOf, sumOf, type TimeSeries } from './time-series.ts';

/** Stator's own bound: a label is made anew for each of hundreds of series. */
export const labelLengthMax = 10_000;
/** The parts that look at all values, each of which has a few forms. */
export const labelPartsMax = 20;

const dynamic = /\$\{([^}]*)\}/g;
const property = /^PROP\(\s*'([^']*)'\s*\)$/;

/** Fills the dynamic parts of a label, such as `${PROP('Dim.TableName')}: ${AVG}`. What cannot be known becomes `--`. */
export function labelOf(label: string, series: TimeSeries, timezone: string | undefined): string {
  if (!label.includes('${')) return label;
  // A label may name a part a thousand times, and each may look at every value of the series.
  const known = new Map<string, string | undefined>();
  return label.replaceAll(dynamic, (whole, text: string) => {
    const name = text.trim();
    const asked = property.exec(name);
    if (asked !== null) return series.properties?.[asked[1]!] ?? '--';
    if (!known.has(name)) known.set(name, part(name, series, timezone));
    return known.get(name) ?? whole;
  });
}

function part(name: string, series: TimeSeries, timezone: string | undefined): string | undefined {
  const { times, values, label } = series;
  if (name === 'LABEL') return label;
  if (name === 'DATAPOINT_COUNT') return String(values.length);
  const isTime = name.endsWith('_TIME') || name.endsWith('_TIME_RELATIVE');
  const statistic = isTime ? name.replace(/_TIME(_RELATIVE)?$/, '') : name;
  if (!['AVG', 'SUM', 'MIN', 'MAX', 'LAST', 'FIRST'].includes(statistic)) return undefined;
  if (values.length === 0) return '--';
  const at = indexOf(statistic, values);
  if (isTime) {
    if (at === undefined || name.endsWith('_RELATIVE')) return undefined;
    return timeText(times[at]!, timezone);
  }
  if (statistic === 'AVG') return shown(meanOf(values));
  if (statistic === 'SUM') return shown(sumOf(values));
  return shown(values[at!]!);
}

function indexOf(statistic: string, values: readonly number[]): number | undefined {
  if (statistic === 'FIRST') return 0;
  if (statistic === 'LAST') return values.length - 1;
  if (statistic === 'MIN') return values.indexOf(minimumOf(values));
  if (statistic === 'MAX') return values.indexOf(maximumOf(values));
  return undefined;
}

function shown(value: number): string {
  return String(Number(value.toPrecision(6)));
}

/** `LabelOptions.Timezone` is an offset from UTC such as `+0130`. */
function timeText(seconds: number, timezone: string | undefined): string {
  const offset = timezone === undefined ? 0 : offsetMinutes(timezone);
  return `${new Date((seconds + offset * 60) * 1000).toISOString().slice(0, 19)}${timezone ?? 'Z'}`;
}

const zoneForm = /^([+-])(\d{2})(\d{2})$/;

export function isTimezone(text: string): boolean {
  return zoneForm.test(text) && Math.abs(offsetMinutes(text)) <= 15 * 60;
}

function offsetMinutes(text: string): number {
  const match = zoneForm.exec(text);
  if (match === null) return 0;
  return (match[1] === '-' ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3]));
}
