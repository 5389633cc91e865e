import { control } from './api.ts';
import { region } from './connection.ts';

/** One series of `/_stator/series`. */
export interface Series {
  readonly namespace: string;
  readonly metric: string;
  readonly unit: string;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly points: readonly SeriesPoint[];
}

export interface SeriesPoint {
  readonly at: number;
  readonly sum: number;
  readonly count: number;
  readonly average: number;
  readonly max: number;
  readonly p50: number | null;
  readonly p99: number | null;
}

export interface SeriesAnswer {
  readonly from: number;
  readonly to: number;
  readonly stepMinutes: number;
  readonly series: readonly Series[];
}

/** The minutes of a metric of a table, with every set of dimensions it has. */
export function readSeries(
  parameters: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<SeriesAnswer> {
  const query = new URLSearchParams({ ...parameters, region: region.value }).toString();
  return control<SeriesAnswer>('GET', `series?${query}`, undefined, signal);
}
