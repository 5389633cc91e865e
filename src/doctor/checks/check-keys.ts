import { capacityLimits } from '../../model/limits.ts';
import { type Finding, finding } from '../finding.ts';
import { aws, counted, listed, number, percent, quoted, stator } from '../phrases.ts';
import { shownValue } from '../sample.ts';
import type { Context, TableView } from '../table-view.ts';
import { partitionQuery } from './about-signals.ts';
import { entriesOf, keySlots } from './sampled-keys.ts';

const sampledMany = 50;
const ceilings = {
  read: capacityLimits.partitionReadUnitsPerSecondMax,
  write: capacityLimits.partitionWriteUnitsPerSecondMax,
};
/** The share of a partition from which one key is reported. */
const busyShare = 1 / 3;

/** Partition keys that have few values, and keys that take most of the traffic. */
export function checkKeys(view: TableView, context: Context): Finding[] {
  return [...fewValues(view, context), ...dominant(view, context)];
}

const date = /(^|[#|/:_-])(19|20)\d\d-?\d\d(-?\d\d)?($|[#|/:_-])/;
const state =
  /(^|[#|/:_-])(open|closed|done|pending|active|inactive|new|status|state|todo|completed|failed|true|false|queue|all|yes|no)($|[#|/:_-])/i;

/** A day or a state as the partition key: all that happens now is under one value. */
function fewValues(view: TableView, context: Context): Finding[] {
  const { endpoint } = context;
  return keySlots(view).flatMap((slot): Finding[] => {
    // Local indexes have the partition key of their table.
    if (slot.index !== undefined && !slot.isGlobal) return [];
    const entries = entriesOf(view, slot);
    if (entries.length < sampledMany) return [];
    const counts = new Map<string, number>();
    for (const { item } of entries) {
      const value = slot.hash.map((name) => shownValue(item[name])).join(' / ');
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    const values = [...counts].sort(([, a], [, b]) => b - a);
    const [most] = values;
    const [value, times] = most!;
    const names = values.map(([one]) => one);
    const isDate =
      names.every((one) => date.test(one)) &&
      values.length <= entries.length / 5 &&
      !areSpread(names, (one) => date.exec(one)![0]);
    const isState =
      names.filter((one) => state.test(one)).length >= values.length / 2 && !areSpread(names, stateOf);
    // A table that was not read as a whole may have its values elsewhere; an index is judged by the items of all segments.
    // A key of few values is fine while little happens under it.
    const isFew =
      (values.length <= 3 && isBusy(view, slot.index, context)) || (values.length <= 10 && isState);
    if (!isDate && !isFew) return [];
    if (!isDate && slot.index === undefined && view.sample?.isWhole !== true && values.length > 1) return [];
    const place = slot.index ?? view.name;
    return [
      finding('low-cardinality-key', view.name, {
        index: slot.index,
        key: value,
        symptom: `All traffic of ${place} meets on a few keys; it is throttled far below the capacity of the table.`,
        cause: isDate
          ? `The partition key ${listed(slot.hash)} is a day: everything of today is under one value.`
          : `The partition key ${listed(slot.hash)} has few values.`,
        evidence: [
          `${counted(values.length, 'value')} in ${counted(entries.length, 'sampled item')}: ${listed(
            values.map(([one, many]) => `${one} (${number(many)})`),
            4,
          )}`,
          `${percent(times / entries.length)} of the items are under ${value}; one key takes at most 1,000 writes and 3,000 reads of a unit a second`,
        ],
        confirm: aws(
          ...([endpoint, 'dynamodb'] as const),
          `scan --table-name ${quoted(view.name)}${slot.index === undefined ? '' : ` --index-name ${quoted(slot.index)}`} --limit 100 --no-paginate --projection-expression ${quoted('#p')} --expression-attribute-names ${quoted(JSON.stringify({ '#p': slot.hash[0] ?? 'pk' }))}`,
        ),
        fix: `Put something with many values first (tenant, customer, ${isDate ? 'device and day' : 'state and month'}), or spread the key over shards: ${value}#0 … ${value}#9, read all of them and merge.`,
        command: 'stator design check <model>',
      }),
    ];
  });
}

/** `open` of `STATUS#OPEN#3` and of `TENANT#7#OPEN`; the text itself if it names no state. */
function stateOf(name: string): string {
  const words = name.toLowerCase().split(/[#|/:_-]/);
  return words.find((word) => !/^stat(us|e)$/.test(word) && state.test(word)) ?? name;
}

/** So many keys of one day or state are shards of it, or devices, tenants and others that have it beside their name. */
const spreadMany = 4;

/** Whether each day or state stands in several keys, so that what happens at one time is not under one of them. */
function areSpread(names: readonly string[], what: (name: string) => string): boolean {
  const groups = new Map<string, number>();
  for (const name of names) groups.set(what(name), (groups.get(what(name)) ?? 0) + 1);
  return Math.max(...groups.values()) >= spreadMany;
}

/** Whether the busiest minute took more than a twentieth of what one partition gives. */
function isBusy({ name }: TableView, index: string | undefined, { metrics }: Context): boolean {
  return (
    [
      ['ConsumedReadCapacityUnits', ceilings.read],
      ['ConsumedWriteCapacityUnits', ceilings.write],
    ] as const
  ).some(([metric, limit]) => {
    const points = metrics.points(name, { metric, index });
    const peak = points.reduce((most, { value }) => Math.max(most, value / 60), 0);
    const mean = metrics.sum(name, { metric, index }) / (metrics.minutes * 60);
    return Math.max(peak, mean) >= limit / 20;
  });
}

/** A key that is on its way to the limit of a partition, before anything is throttled. */
function dominant(view: TableView, { endpoint, metrics }: Context): Finding[] {
  const { name, insights, arms } = view;
  return arms.flatMap(({ index, name: arm }): Finding[] => {
    const isThrottled = (['Read', 'Write'] as const).some(
      (kind) =>
        metrics.sum(name, { metric: `${kind}ThrottleEvents`, index }) +
          metrics.sum(name, { metric: `${kind}ThrottleEvents`, index, isShadow: true }) >
        0,
    );
    // A key that is throttled has a finding of its own.
    if (isThrottled) return [];
    const own = (insights?.busyKeys ?? []).filter((each) => (each.index ?? undefined) === index);
    const units = (each: (typeof own)[number]) =>
      Math.max(each.readUnits / ceilings.read, each.writeUnits / ceilings.write);
    const [top] = [...own].sort((a, b) => units(b) - units(a));
    if (top === undefined || top.key === null) return [];
    const rate = { read: top.readUnits / 60, write: top.writeUnits / 60 };
    const kind = (['write', 'read'] as const).find((each) => rate[each] >= busyShare * ceilings[each]);
    if (kind === undefined) return [];
    const limit = ceilings[kind];
    return [
      finding('key-dominates', name, {
        index,
        key: top.key,
        symptom: `${arm} will be throttled when its traffic grows a little, although it has room.`,
        cause: `One key, ${top.key}, takes much of what a partition gives.`,
        evidence: [
          `${top.key} took ${number(rate[kind])} ${kind} units a second in the last minute, ${percent(rate[kind] / limit)} of the ${number(limit)} of a partition`,
        ],
        confirm:
          endpoint.stator === undefined
            ? aws(
                ...([endpoint, 'dynamodb'] as const),
                `query --table-name ${quoted(name)} ${partitionQuery(view.description, top.key)} --select COUNT`,
              )
            : stator(endpoint, `top ${quoted(name)} --once`),
        fix: `Plan shards before the peak: ${top.key}#0 … ${top.key}#${Math.max(1, Math.ceil((4 * rate[kind]) / limit) - 1)} for four times today's load.`,
        command: 'stator design check <model>',
      }),
    ];
  });
}
