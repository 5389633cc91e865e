import type { ReportedSignal, SignalKind } from '../../observe/signals/signal-store.ts';
import { number, quoted, time } from '../phrases.ts';
import type { TableDescription, TableView } from '../table-view.ts';
import { keyNames } from '../table-view.ts';

/** The signals of a kind, most frequent first. */
export function signalsOf({ signals }: TableView, kind: SignalKind): readonly ReportedSignal[] {
  return (signals ?? []).filter((each) => each.kind === kind).sort((a, b) => b.count - a.count);
}

export function countOf(view: TableView, kind: SignalKind): number {
  return signalsOf(view, kind).reduce((sum, { count }) => sum + count, 0);
}

/** The key that most of these signals are about, as people write it. */
export function topKey(signals: readonly ReportedSignal[]): TopKey | undefined {
  const keys = signals.flatMap((signal) => signal.keys);
  const top = keys.reduce<(typeof keys)[number] | undefined>(
    (most, one) => (most === undefined || one.count > most.count ? one : most),
    undefined,
  );
  return top === undefined ? undefined : { ...top, key: top.values.join(' / ') };
}

export interface TopKey {
  readonly values: readonly string[];
  readonly key: string;
  readonly count: number;
}

/** `12 of them for SHIPMENT#881, between 12:01 and 12:04`. */
export function spanOf(signals: readonly ReportedSignal[]): string {
  const times = signals.flatMap(({ minutes }) => minutes.map(({ atMs }) => atMs)).sort((a, b) => a - b);
  const [first, last] = [times[0], times.at(-1)];
  if (first === undefined || last === undefined) return '';
  return first === last ? `at ${time(first)}` : `between ${time(first)} and ${time(last)}`;
}

export function keyEvidence(top: TopKey | undefined, total: number): string[] {
  if (top === undefined) return [];
  return [`Most of them are about ${top.key}: ${number(top.count)} of ${number(total)}`];
}

/** A key as the AWS CLI takes it; undefined if not all of it is known. */
export function keyArgument(
  { KeySchema, AttributeDefinitions }: TableDescription,
  values: readonly string[],
): string | undefined {
  const names = [...keyNames(KeySchema, 'HASH'), ...keyNames(KeySchema, 'RANGE')];
  if (values.length !== names.length || values.some((value) => value.endsWith('…'))) return undefined;
  const typeOf = (name: string) =>
    AttributeDefinitions.find(({ AttributeName }) => AttributeName === name)?.AttributeType ?? 'S';
  const key = names.map((name, i) => [name, { [typeOf(name)]: values[i]!.replace(/^base64:/, '') }] as const);
  return quoted(JSON.stringify(Object.fromEntries(key)));
}

/** Names of attributes that would be words of the language stand behind `#`, so that any name works. */
export function partitionQuery(
  { KeySchema, AttributeDefinitions }: Pick<TableDescription, 'KeySchema' | 'AttributeDefinitions'>,
  value: string | undefined,
): string {
  const [name = 'pk'] = keyNames(KeySchema, 'HASH');
  const [sort] = keyNames(KeySchema, 'RANGE');
  const type = AttributeDefinitions.find(({ AttributeName }) => AttributeName === name)?.AttributeType ?? 'S';
  const names = JSON.stringify({ '#p': name, ...(sort !== undefined && { '#s': sort }) });
  const values = JSON.stringify({ ':p': { [type]: value ?? '?' } });
  return `--key-condition-expression ${quoted('#p = :p')} --expression-attribute-names ${quoted(names)} --expression-attribute-values ${quoted(values)}${sort === undefined ? '' : ` --projection-expression ${quoted('#s')}`} --limit 20`;
}
