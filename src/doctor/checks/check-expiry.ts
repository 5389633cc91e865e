import { type Finding, finding } from '../finding.ts';
import { aws, counted, number, quoted } from '../phrases.ts';
import type { Context, TableView } from '../table-view.ts';
import { itemKey } from './sampled-keys.ts';

const dayS = 86_400;
/** DynamoDB leaves items alone whose time is more than five years back. */
const tooOldS = 5 * 365 * dayS;
const ttlNames = /^(ttl|time_?to_?live|expires?|expiry|expir(es|ation|y)?_?(at|on|time|epoch)|expire_?at)$/i;

/** What Time to Live does not do, because of the values it finds or because it is off. */
export function checkExpiry(view: TableView, context: Context): Finding[] {
  const { ttl, sample } = view;
  if (ttl === undefined || sample === undefined || sample.items.length === 0) return [];
  return ttl.isOn && ttl.attribute !== undefined ? values(view, ttl.attribute, context) : off(view, context);
}

type Wrong = 'text' | 'milliseconds' | 'duration' | 'old';

const causes: Readonly<Record<Wrong, string>> = {
  text: 'The expiry time is a text. Time to Live reads numbers only and passes over everything else.',
  milliseconds:
    'The expiry time is in milliseconds. Read as seconds it is a date tens of thousands of years ahead.',
  duration:
    'The expiry time is a duration, not a moment. Read as seconds since 1970 it lies in 1970, which is too long ago to be deleted.',
  old: 'The expiry time is more than five years ago. Time to Live leaves such items alone, so that a wrong value does no harm.',
};

function wrongOf(value: Readonly<Record<string, unknown>>, nowS: number): Wrong | undefined {
  if (typeof value.N !== 'string') return 'text';
  const time = Number(value.N);
  if (time > 1e11) return 'milliseconds';
  if (time < 1e8) return 'duration';
  return time < nowS - tooOldS ? 'old' : undefined;
}

function values(view: TableView, attribute: string, { endpoint, nowMs }: Context): Finding[] {
  const { name, sample } = view;
  const carrying = sample!.items.filter(({ item }) => item[attribute] !== undefined);
  if (carrying.length === 0) {
    if (sample!.items.length < 20) return [];
    return [
      finding('ttl-absent', name, {
        symptom: `Nothing in ${name} ever expires.`,
        cause: `Time to Live is set to ${attribute}, and no sampled item carries it.`,
        evidence: [`0 of ${number(sample!.items.length)} sampled items have ${attribute}`],
        confirm: aws(endpoint, 'dynamodb', `describe-time-to-live --table-name ${quoted(name)}`),
        fix: `Write ${attribute} as seconds since 1970 (type N) into items that shall expire, or set Time to Live to the attribute that they have.`,
      }),
    ];
  }
  const found = new Map<Wrong, typeof carrying>();
  for (const one of carrying) {
    const wrong = wrongOf(one.item[attribute]!, nowMs / 1_000);
    if (wrong !== undefined) found.set(wrong, [...(found.get(wrong) ?? []), one]);
  }
  return [...found].map(([wrong, items]): Finding => {
    const [first] = items;
    const key = itemKey(view, first!.item);
    return finding('ttl-values', name, {
      severity: wrong === 'old' ? 'note' : 'error',
      key,
      symptom: `Items of ${name} do not expire.`,
      cause: causes[wrong],
      evidence: [
        `${counted(items.length, 'sampled item')} of ${number(carrying.length)} with ${attribute}`,
        `${key} has ${attribute} = ${JSON.stringify(first!.item[attribute])}`,
      ],
      confirm: aws(
        ...([endpoint, 'dynamodb'] as const),
        `scan --table-name ${quoted(name)} --limit 20 --no-paginate --projection-expression ${quoted('#t')} --expression-attribute-names ${quoted(JSON.stringify({ '#t': attribute }))}`,
      ),
      fix: `${howToWrite} Stored items need a backfill that ${wrong === 'milliseconds' ? 'divides by 1,000' : 'sets the moment'}. Until then filter expired items out in reads.`,
    });
  });
}

const howToWrite = 'Write Math.floor(Date.now() / 1000) + seconds, as a number.';

function off({ name, sample }: TableView, { endpoint }: Context): Finding[] {
  const counts = new Map<string, number>();
  for (const { item } of sample!.items)
    for (const [attribute, value] of Object.entries(item))
      if (ttlNames.test(attribute) && typeof value.N === 'string' && /^1\d{9}(\d{3})?$/.test(value.N))
        counts.set(attribute, (counts.get(attribute) ?? 0) + 1);
  const [most] = [...counts].sort(([, a], [, b]) => b - a);
  if (most === undefined || most[1] < 5) return [];
  const [attribute, count] = most;
  return [
    finding('ttl-off', name, {
      symptom: `${name} keeps items that say when they expire.`,
      cause: `Items carry ${attribute}, but Time to Live of the table is off.`,
      evidence: [`${number(count)} of ${number(sample!.items.length)} sampled items have ${attribute}`],
      confirm: aws(endpoint, 'dynamodb', `describe-time-to-live --table-name ${quoted(name)}`),
      fix: 'Switch it on, if expired items may go. It deletes within days of the moment, for free.',
      command: aws(
        ...([endpoint, 'dynamodb'] as const),
        `update-time-to-live --table-name ${quoted(name)} --time-to-live-specification ${quoted(`Enabled=true,AttributeName=${attribute}`)}`,
      ),
    }),
  ];
}
