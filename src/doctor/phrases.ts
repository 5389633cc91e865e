import { counted as countedNoun } from '../model/counted.ts';
import type { Endpoint } from './endpoint.ts';

/** Numbers, times and commands as the doctor writes them. */

/** `1,900`; small figures with one digit behind the point. */
export function number(value: number): string {
  const rounded = Math.abs(value) < 10 ? Math.round(value * 10) / 10 : Math.round(value);
  return rounded.toLocaleString('en-US');
}

export function percent(share: number): string {
  return `${number(share * 100)} %`;
}

export function counted(count: number, noun: string): string {
  return countedNoun(count, noun, number(count));
}

/** `12:04`, of UTC, as all times of the doctor. */
export function time(ms: number): string {
  return new Date(ms).toISOString().slice(11, 16);
}

/** `at 12:04`, or `from 12:04 to 12:09`. */
export function span(fromMs: number, toMs: number): string {
  const [from, to] = [time(fromMs), time(toMs)];
  return from === to ? `at ${from}` : `from ${from} to ${to}`;
}

export function bytes(count: number): string {
  if (count < 1_024) return `${count} bytes`;
  const kilobytes = count / 1_024;
  return kilobytes < 1_024 ? `${number(kilobytes)} KB` : `${number(kilobytes / 1_024)} MB`;
}

export function duration(ms: number): string {
  if (ms < 120_000) return counted(Math.round(ms / 1_000), 'second');
  return ms < 7_200_000
    ? counted(Math.round(ms / 60_000), 'minute')
    : counted(Math.round(ms / 3_600_000), 'hour');
}

/** `a, b and 3 more`. */
export function listed(all: readonly string[], most = 5): string {
  const shown = all.slice(0, most).join(', ');
  return all.length > most ? `${shown} and ${number(all.length - most)} more` : shown;
}

/** A text as one word of a shell. */
export function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

type AwsService = 'dynamodb' | 'cloudwatch' | 'application-autoscaling';

/** A command of the AWS CLI that reaches the endpoint: `aws --endpoint-url … dynamodb describe-table …`. */
export function aws({ flags }: Endpoint, service: AwsService, words: string): string {
  return ['aws', flags, service, words].filter((part) => part !== '').join(' ');
}

/** A command of our own: `stator physics Orders --endpoint …`. */
export function stator({ ownFlags }: Endpoint, words: string): string {
  return ['stator', words, ownFlags].filter((part) => part !== '').join(' ');
}

/** GetMetricStatistics of a metric of a table, by the minute. */
export function metricCommand(
  endpoint: Endpoint,
  metric: string,
  dimensions: Readonly<Record<string, string | undefined>>,
  fromMs: number,
  toMs: number,
  statistic = 'Sum',
  namespace = 'AWS/DynamoDB',
): string {
  const named = Object.entries(dimensions).flatMap(([name, value]) =>
    value === undefined ? [] : [quoted(`Name=${name},Value=${value}`)],
  );
  const flag = named.length === 0 ? '' : ` --dimensions ${named.join(' ')}`;
  const at = (ms: number) => new Date(ms).toISOString().slice(0, 19).concat('Z');
  return aws(
    endpoint,
    'cloudwatch',
    `get-metric-statistics --namespace ${namespace} --metric-name ${metric}${flag} --start-time ${at(fromMs)} --end-time ${at(toMs)} --period 60 --statistics ${statistic}`,
  );
}
