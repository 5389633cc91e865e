import type { CheckId } from '../check-list.ts';
import { counted, listed } from '../phrases.ts';
import type { TableView } from '../table-view.ts';

type Sampled = Pick<TableView, 'description' | 'sample'>;

import { entriesOf, itemKey, type KeySlot, keySlots } from './sampled-keys.ts';

/** A sort key whose order is not the order that it looks like. */
export interface SortKeyFlaw {
  readonly id: Extract<CheckId, 'numbers-as-text' | 'unsortable-times' | 'fine-to-coarse'>;
  readonly index: string | undefined;
  readonly attribute: string;
  /** The key of an item that shows it. */
  readonly key: string;
  readonly cause: string;
  readonly evidence: readonly string[];
  readonly fix: string;
}

interface Value {
  readonly text: string;
  readonly key: string;
}

const separators = /[#|/]/;
const fewest = 5;

/** The flaws of the sort keys in a sample, at most one of each kind for each key. */
export function sortKeyFlaws(view: Sampled): SortKeyFlaw[] {
  const found: SortKeyFlaw[] = [];
  const seen = new Set<string>();
  for (const slot of keySlots(view))
    for (const attribute of slot.range) {
      // The same attribute can be the sort key of several indexes.
      if (seen.has(attribute)) continue;
      seen.add(attribute);
      found.push(...flawsOf(view, slot, attribute));
    }
  return found;
}

function flawsOf(view: Sampled, slot: KeySlot, attribute: string): SortKeyFlaw[] {
  const values = entriesOf(view, slot).flatMap(({ item }): Value[] => {
    const value = item[attribute];
    const text = typeof value?.S === 'string' ? value.S : undefined;
    return text === undefined ? [] : [{ text, key: itemKey(view, item) }];
  });
  const numbers = entriesOf(view, slot).flatMap(({ item }): Value[] => {
    const value = item[attribute];
    return typeof value?.N === 'string' ? [{ text: value.N, key: itemKey(view, item) }] : [];
  });
  const place = { index: slot.index, attribute };
  const mixed = mixedUnits(numbers);
  if (mixed !== undefined) return [{ ...place, ...mixed }];
  const times = unsortableTimes(values);
  const byWidth = grouped(values, ({ text }) => text.split(separators).length);
  const fine = times === undefined ? byWidth.map(fineToCoarse).find((each) => each !== undefined) : undefined;
  const numeric =
    (times ?? fine)
      ? undefined
      : grouped(values, ({ text }) => shapeOf(text))
          .map(numbersAsText)
          .find((each) => each !== undefined);
  return [times, fine, numeric].flatMap((flaw) => (flaw === undefined ? [] : [{ ...place, ...flaw }]));
}

/** Values that are alike in some way, in groups that are worth a judgement. */
function grouped(values: readonly Value[], likeness: (value: Value) => unknown): (readonly Value[])[] {
  const groups = new Map<unknown, Value[]>();
  for (const value of values) {
    const id = likeness(value);
    const group = groups.get(id) ?? [];
    groups.set(id, group);
    group.push(value);
  }
  return [...groups.values()].filter((group) => group.length >= fewest);
}

type Flaw = Omit<SortKeyFlaw, 'index' | 'attribute'>;

/** The same for texts that differ in their digits only. */
function shapeOf(text: string): string {
  return text.replaceAll(/\d+/g, '0');
}

/** Digits that are a whole part of the key, as in `EVENT#12`. */
const parts = /(?<=^|[#|/:_-])\d+(?=$|[#|/:_-])/g;

function numbersAsText(values: readonly Value[]): Flaw | undefined {
  const count = [...values[0]!.text.matchAll(parts)].length;
  for (let at = 0; at < count; at++) {
    const numbered = values.flatMap((value) => {
      const part = [...value.text.matchAll(parts)][at];
      return part === undefined
        ? []
        : [{ ...value, digits: part[0], before: value.text.slice(0, part.index) }];
    });
    const widths = new Set(numbered.map(({ digits }) => digits.length));
    // Digits as long as those of identifiers are names, not amounts.
    if (widths.size < 2 || numbered.some(({ digits }) => digits.length > 16)) continue;
    const pair = wrongPair(numbered);
    if (pair === undefined) continue;
    const [large, small] = pair;
    const width = Math.max(...widths) + 2;
    const padded = `${small.before}${small.digits.padStart(width, '0')}${small.text.slice(small.before.length + small.digits.length)}`;
    return {
      id: 'numbers-as-text',
      key: small.key,
      cause: `Numbers are stored as text of different lengths. Text is compared character by character: "${large.text}" sorts before "${small.text}".`,
      evidence: [
        `"${large.text}" and "${small.text}" are both there, and sort in this order (${large.key}; ${small.key})`,
        `${counted(numbered.length, 'sampled key')} of this form, with ${listed([...widths].sort((a, b) => a - b).map(String))} digits`,
      ],
      fix: `Pad the number with zeros to a width that is enough for ever ("${padded}"), or use a sort key of type N. Stored items need a backfill.`,
    };
  }
  return undefined;
}

interface Numbered extends Value {
  readonly before: string;
  readonly digits: string;
}

/** Two neighbours in the order of texts whose numbers stand the other way round. */
function wrongPair(numbered: readonly Numbered[]): readonly [Numbered, Numbered] | undefined {
  const byText = [...numbered].sort((a, b) =>
    a.before === b.before ? compare(a.digits, b.digits) : compare(a.before, b.before),
  );
  for (let i = 1; i < byText.length; i++) {
    const [first, second] = [byText[i - 1]!, byText[i]!];
    if (first.before === second.before && isGreater(first.digits, second.digits)) return [first, second];
  }
  return undefined;
}

function isGreater(a: string, b: string): boolean {
  const [x, y] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')];
  return x.length === y.length ? x > y : x.length > y.length;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const dayFirst = /^\d{1,2}([./-])\d{1,2}\1(19|20)\d\d/;
const wordFirst =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*[ ,.]+\d/;
const unpadded = /^(19|20)\d\d[-/](\d[-/]\d{1,2}|\d\d[-/]\d)(?!\d)/;
const withOffset = /T\d\d:\d\d(:\d\d(\.\d+)?)?([+-]\d\d:?\d\d|Z)$/;
const isoTime = /^(19|20)\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.(\d+))?Z?$/;

function unsortableTimes(values: readonly Value[]): Flaw | undefined {
  const pieces = values.flatMap(({ text, key }) =>
    text.split(separators).map((piece) => ({ text: piece, key, whole: text })),
  );
  const flaw = (
    found: readonly { readonly text: string; readonly key: string; readonly whole: string }[],
    why: string,
  ): Flaw => ({
    id: 'unsortable-times',
    key: found[0]!.key,
    cause: `Times do not sort as they follow each other: ${why}.`,
    evidence: [
      `${counted(found.length, 'sampled key')} such as ${listed([...new Set(found.map(({ whole }) => `"${whole}"`))], 3)}`,
      `Seen at ${found[0]!.key}`,
    ],
    fix: 'Write times as ISO 8601 in UTC with fixed width, 2026-01-05T09:00:00.000Z, or as a number of milliseconds in a sort key of type N. Stored items need a backfill.',
  });
  for (const [form, why] of [
    [dayFirst, 'the day stands before the year'],
    [wordFirst, 'names of days and months sort by the alphabet'],
    [unpadded, 'months and days have one digit or two'],
  ] as const) {
    const found = pieces.filter(({ text }) => form.test(text));
    if (found.length >= 3) return flaw(found, why);
  }
  const zones = pieces.flatMap((piece) => {
    const zone = withOffset.exec(piece.text)?.[3];
    return zone === undefined ? [] : [{ ...piece, zone }];
  });
  if (zones.length >= fewest && new Set(zones.map(({ zone }) => zone)).size > 1)
    return flaw(
      zones,
      `they are in different time zones (${listed([...new Set(zones.map(({ zone }) => zone))], 4)})`,
    );
  const precisions = pieces.flatMap((piece) => {
    const time = isoTime.exec(piece.text);
    return time === null ? [] : [{ ...piece, digits: time[3]?.length ?? 0 }];
  });
  if (precisions.length >= fewest && new Set(precisions.map(({ digits }) => digits)).size > 1)
    return flaw(precisions, 'some have fractions of seconds and some have none, and "." sorts before "Z"');
  return undefined;
}

/** Numbers of seconds and of milliseconds under one sort key. */
function mixedUnits(values: readonly Value[]): Flaw | undefined {
  const seconds = values.filter(({ text }) => /^1\d{9}$/.test(text));
  const millis = values.filter(({ text }) => /^1\d{12}$/.test(text));
  if (seconds.length < 2 || millis.length < 2) return undefined;
  return {
    id: 'unsortable-times',
    key: seconds[0]!.key,
    cause:
      'Some times are seconds since 1970 and some are milliseconds: every millisecond sorts behind every second.',
    evidence: [
      `${counted(seconds.length, 'sampled key')} in seconds such as ${seconds[0]!.text} (${seconds[0]!.key}), ${counted(millis.length, 'sampled key')} in milliseconds such as ${millis[0]!.text} (${millis[0]!.key})`,
    ],
    fix: 'Choose one unit, write it everywhere, and rewrite the stored items in a backfill.',
  };
}

const dateBackwards = /(^|[#|/])\d{1,2}[#|/]\d{1,2}[#|/](19|20)\d\d($|[#|/])/;
const timeBeforeDate = /(^|[#|/])\d{1,2}:\d\d(:\d\d)?[#|/ ](19|20)\d\d-\d\d-\d\d/;

function fineToCoarse(values: readonly Value[]): Flaw | undefined {
  const found = values.filter(({ text }) => dateBackwards.test(text) || timeBeforeDate.test(text));
  const flaw = (sample: Value, why: string): Flaw => ({
    id: 'fine-to-coarse',
    key: sample.key,
    cause: `The parts of the sort key go from fine to coarse: ${why}. A range or begins_with can only start with the first part.`,
    evidence: [`${counted(values.length, 'sampled key')} such as "${sample.text}" (${sample.key})`],
    fix: 'Compose the sort key from coarse to fine: country, city, street; year, month, day. Stored items need a backfill.',
  });
  if (found.length >= fewest) return flaw(found[0]!, 'the year stands last');
  return nestedBackwards(values, flaw);
}

/** A part that decides a later one, as a city decides its country, is the finer of the two and stands first. */
function nestedBackwards(
  values: readonly Value[],
  flaw: (sample: Value, why: string) => Flaw,
): Flaw | undefined {
  const rows = values.map(({ text }) => text.split(separators));
  const width = rows[0]!.length;
  if (values.length < 20 || rows.some((row) => row.length !== width)) return undefined;
  for (let fine = 0; fine < width - 1; fine++)
    for (let coarse = fine + 1; coarse < width; coarse++) {
      const decided = new Map<string, string>();
      const isDecided = rows.every((row) => {
        const known = decided.get(row[fine]!);
        if (known === undefined) decided.set(row[fine]!, row[coarse]!);
        return known === undefined || known === row[coarse];
      });
      const coarseValues = new Set(decided.values()).size;
      // A part with a value for each item says nothing: it decides everything.
      if (!isDecided || decided.size > rows.length / 3 || coarseValues < 2) continue;
      if (decided.size < 2 * coarseValues) continue;
      const [first] = decided;
      return flaw(values[0]!, `"${first![0]}" always goes with "${first![1]}", and stands before it`);
    }
  return undefined;
}
