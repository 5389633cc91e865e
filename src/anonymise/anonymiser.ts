import { fake } from './fakes.ts';
import type { PathStep } from './path.ts';
import {
  type AttributeReport,
  below,
  type Counted,
  innerPlace,
  newNode,
  type Place,
  plant,
  type RuleNode,
  ruleAt,
  stepsOf,
  textOf,
} from './rule-tree.ts';
import type { Rules, Template, ValueRule } from './rules.ts';
import { shiftDate } from './shift-date.ts';
import { UnlistedPaths } from './unlisted-paths.ts';

/** DynamoDB JSON of one attribute, as an API answers it. */
export type WireValue = Readonly<Record<string, unknown>>;
export type WireItem = Readonly<Record<string, WireValue>>;

/** A digest of a text that depends on the secret of this run, of at least 32 bytes. */
export type KeyedDigest = (text: string) => Uint8Array;

export interface AnonymiseReport {
  items: number;
  readonly attributes: readonly AttributeReport[];
  /** Paths that no rule names, nested ones too, with the number of values at each: they left as they are, or were dropped. */
  readonly untouched: ReadonlyMap<string, number>;
  /** Whether there were more paths than the report holds. */
  readonly untouchedIsCut: boolean;
}

/** A value that fits no template of its attribute, or has no rule at all, where the rules say `fail`. */
export class UnmatchedValue extends Error {}

/** An item that is no DynamoDB JSON, so that a table would refuse it too. */
export class MalformedItem extends Error {}

/** How often a fake is drawn that comes out as the value it stands for. */
const fakeTries = 8;
const toEach: PathStep = { kind: 'each' };
const toAny: PathStep = { kind: 'any' };

/**
 * Replaces the values that a rule file names, in item after item. Types stay: a number becomes a number, a set a set of as
 * many values. Nothing is remembered of an item, so that memory stays flat.
 */
export class Anonymiser {
  readonly #rules: Rules;
  readonly #digest: KeyedDigest;
  readonly #attributes: readonly Counted[];
  readonly #root: RuleNode = newNode();
  readonly #unlisted = new UnlistedPaths();
  #items = 0;

  constructor(rules: Rules, digest: KeyedDigest) {
    this.#rules = rules;
    this.#digest = digest;
    this.#attributes = rules.attributes.map((rule) => ({
      ...{ path: rule.path, rule },
      ...{ changed: 0, kept: 0, dropped: 0, unmatched: 0 },
    }));
    for (const attribute of this.#attributes) plant(this.#root, attribute);
  }

  /** The item without what must not be seen. The item that is given stays as it is. */
  item(item: WireItem): WireItem {
    this.#items++;
    const next: Record<string, WireValue> = Object.create(null) as Record<string, WireValue>;
    for (const [name, value] of Object.entries(item)) {
      const step: PathStep = { kind: 'member', name };
      const place = { nodes: below([this.#root], step), around: undefined, parent: undefined, step };
      const changed = this.#value(value, place);
      if (changed !== undefined) next[name] = changed;
    }
    return next;
  }

  report(): AnonymiseReport {
    return {
      items: this.#items,
      attributes: this.#attributes.map(({ path, changed, kept, dropped, unmatched }) => ({
        ...{ path, changed, kept, dropped, unmatched },
      })),
      untouched: this.#unlisted.counts,
      untouchedIsCut: this.#unlisted.isCut,
    };
  }

  /** The value with all of it replaced that a rule names; undefined where it is dropped. */
  #value(value: WireValue, place: Place): WireValue | undefined {
    const rule = ruleAt(place);
    // The table refuses an item that is malformed where no rule looks.
    const malformed = () => malformedAt(place, rule);
    if (!isMap(value)) throw malformed();
    const [type, content] = Object.entries(value)[0] ?? [];
    switch (type) {
      case 'S':
      case 'N':
      case 'B': {
        if (rule === undefined) return this.#unlistedValue(value, place);
        const text = this.#text(content as string, type, rule);
        return text === undefined ? undefined : { [type]: text };
      }
      case 'SS':
      case 'NS':
      case 'BS': {
        const one = type[0] as 'S' | 'N' | 'B';
        if (!Array.isArray(content)) throw malformed();
        const inner = innerPlace(place, toEach);
        const ofEach = ruleAt(inner);
        const texts = (content as string[]).flatMap((element) =>
          ofEach === undefined
            ? (this.#unlistedValue(element, inner) ?? [])
            : (this.#text(element, one, ofEach) ?? []),
        );
        return texts.length === 0 ? undefined : { [type]: [...new Set(texts)] };
      }
      case 'L': {
        if (!Array.isArray(content)) throw malformed();
        if (content.length === 0) return this.#whole(value, place, rule);
        const inner = innerPlace(place, toEach);
        const elements = (content as WireValue[]).flatMap((element) => this.#value(element, inner) ?? []);
        return elements.length === 0 && this.#dropsEmpty(rule) ? undefined : { L: elements };
      }
      case 'M': {
        if (!isMap(content)) throw malformed();
        if (Object.keys(content).length === 0) return this.#whole(value, place, rule);
        const members = this.#members(content as WireItem, place);
        const isEmpty = Object.keys(members).length === 0;
        return isEmpty && this.#dropsEmpty(rule) ? undefined : { M: members };
      }
      default:
        return this.#whole(value, place, rule);
    }
  }

  /** A value without a text: a truth value, null, an empty map or list. It stays or goes as a whole. */
  #whole(value: WireValue, place: Place, rule: Counted | undefined): WireValue | undefined {
    if (rule === undefined) return this.#unlistedValue(value, place);
    if (this.#drops(rule)) {
      rule.dropped++;
      return undefined;
    }
    // It says nothing that a text could hide.
    rule.kept++;
    return value;
  }

  /** Whether a map or list of which all was dropped goes too: what would be left is its name, which may be data. */
  #dropsEmpty(rule: Counted | undefined): boolean {
    return rule === undefined ? this.#rules.unlisted === 'drop' : this.#drops(rule);
  }

  /** Whether a rule drops a value of any text: by the first template that is one piece, or by `otherwise`. */
  #drops({ rule: { templates } }: Counted): boolean {
    const any = templates.find(
      ({ pieces, texts }) => pieces.length === 1 && texts.every((text) => text === ''),
    );
    if (any === undefined) return this.#rules.otherwise === 'drop';
    return any.pieces[0] !== undefined && this.#rules.values.get(any.pieces[0])?.kind === 'drop';
  }

  #members(map: WireItem, place: Place): WireItem {
    const ofNames = place.nodes.find(({ names }) => names !== undefined)?.names;
    const next: Record<string, WireValue> = Object.create(null) as Record<string, WireValue>;
    for (const [name, value] of Object.entries(map)) {
      const step: PathStep = { kind: 'member', name };
      const inner = innerPlace(place, step);
      const changed = this.#value(value, ofNames === undefined ? inner : { ...inner, step: toAny });
      if (changed === undefined) continue;
      const newName = ofNames === undefined ? name : this.#text(name, 'S', ofNames);
      if (newName === undefined) continue;
      if (newName in next)
        throw new MalformedItem(
          `Two members of ${textOf(place)} become one: their names get equal replacements`,
        );
      next[newName] = changed;
    }
    return next;
  }

  /** What becomes of a value without a rule. */
  #unlistedValue<Value>(value: Value, place: Place): Value | undefined {
    this.#unlisted.add(stepsOf(place));
    switch (this.#rules.unlisted) {
      case 'keep':
        return value;
      case 'drop':
        return undefined;
      case 'fail':
        throw new UnmatchedValue(`No rule names ${textOf(place)}, and unlisted is fail`);
    }
  }

  #text(text: string, type: 'S' | 'N' | 'B', attribute: Counted): string | undefined {
    if (typeof text !== 'string')
      throw new MalformedItem(`The attribute ${attribute.path} is not DynamoDB JSON`);
    for (const template of attribute.rule.templates) {
      const pieces = matched(template, text);
      if (pieces === undefined || !this.#hasDates(template, pieces)) continue;
      return this.#filled(template, pieces, type, attribute);
    }
    attribute.unmatched++;
    switch (this.#rules.otherwise) {
      case 'keep':
        return text;
      case 'drop':
        attribute.dropped++;
        return undefined;
      case 'hash':
        attribute.changed++;
        return this.#replaced(text, { kind: 'hash' }, '', type);
      case 'fail':
        throw new UnmatchedValue(
          `A value of ${attribute.path} fits none of its templates: ${attribute.rule.templates.map(({ text }) => JSON.stringify(text)).join(', ')}`,
        );
    }
  }

  /** A piece whose dates are moved fits dates only, so that `["{when}", "{}"]` keeps what is none. */
  #hasDates({ pieces: kinds }: Template, pieces: readonly string[]): boolean {
    return pieces.every((piece, i) => {
      const kind = kinds[i];
      const rule = kind === undefined ? undefined : this.#rules.values.get(kind);
      return rule?.kind !== 'shift' || shiftDate(piece, 0) !== undefined;
    });
  }

  #filled(
    { texts, pieces: kinds }: Template,
    pieces: readonly string[],
    type: 'S' | 'N' | 'B',
    attribute: Counted,
  ): string | undefined {
    let filled = texts[0]!;
    let isChanged = false;
    for (const [i, piece] of pieces.entries()) {
      const kind = kinds[i];
      const rule: ValueRule = kind === undefined ? { kind: 'keep' } : this.#rules.values.get(kind)!;
      if (rule.kind === 'drop') {
        attribute.dropped++;
        return undefined;
      }
      const replaced = this.#replaced(piece, rule, kind ?? '', type);
      isChanged ||= rule.kind !== 'keep';
      filled += replaced + texts[i + 1]!;
    }
    if (isChanged) attribute.changed++;
    else attribute.kept++;
    return filled;
  }

  #replaced(text: string, rule: ValueRule, kind: string, type: 'S' | 'N' | 'B'): string {
    switch (rule.kind) {
      case 'keep':
      case 'drop':
        return text;
      case 'shift': {
        const shifted = shiftDate(text, this.#shiftDays(rule.daysMax, kind));
        return shifted ?? this.#hash(text, kind, type);
      }
      case 'hash':
        return this.#hash(text, kind, type);
      case 'fake': {
        const draws = this.#draws(kind, text);
        // A short fake may be drawn as it was.
        for (let tries = 0; tries < fakeTries; tries++) {
          const made = fake(rule.as, text, draws);
          const fits = type === 'S' || (type === 'N' && /^-?\d+(\.\d+)?$/.test(made));
          if (!fits) break;
          if (made !== text) return made;
        }
        return this.#hash(text, kind, type);
      }
    }
  }

  /** 22 characters with 110 bits, or a number of at most 15 digits: different values stay different. */
  #hash(text: string, kind: string, type: 'S' | 'N' | 'B'): string {
    const draws = this.#draws(kind, text);
    if (type === 'N') return String(1 + draws.below(9)) + digits(14, draws);
    const letters = Array.from({ length: 22 }, () => base32[draws.below(32)]).join('');
    // Binary values travel as base64; twenty of these characters are fifteen bytes.
    return type === 'B' ? letters.slice(0, 20) : letters;
  }

  /** The same for every value of a kind, so that order and distances stay; never zero. */
  #shiftDays(daysMax: number, kind: string): number {
    const drawn = this.#draws(`shift ${kind}`, '').below(2 * daysMax);
    return drawn < daysMax ? drawn - daysMax : drawn - daysMax + 1;
  }

  #draws(kind: string, text: string) {
    let bytes = this.#digest(`${kind.length}:${kind}${text}`);
    let at = 0;
    let round = 0;
    const next = () => {
      if (at === bytes.length) {
        bytes = this.#digest(`${++round} ${kind.length}:${kind}${text}`);
        at = 0;
      }
      return bytes[at++]!;
    };
    return {
      below: (end: number) => (next() * 0x1000000 + next() * 0x10000 + next() * 0x100 + next()) % end,
    };
  }
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function malformedAt(place: Place, rule: Counted | undefined): MalformedItem {
  return new MalformedItem(`The attribute ${rule?.path ?? textOf(place)} is not DynamoDB JSON`);
}

/** The pieces of a text between the literal texts of a template. The last piece takes the rest. */
function matched({ texts, pieces }: Template, text: string): string[] | undefined {
  if (!text.startsWith(texts[0]!)) return undefined;
  const found: string[] = [];
  let from = texts[0]!.length;
  for (let i = 0; i < pieces.length; i++) {
    const behind = texts[i + 1]!;
    const isLast = i === pieces.length - 1;
    const to = isLast ? text.length - behind.length : text.indexOf(behind, from);
    if (to < from || (isLast && !text.endsWith(behind))) return undefined;
    found.push(text.slice(from, to));
    from = to + behind.length;
  }
  return from === text.length ? found : undefined;
}

const base32 = 'abcdefghijklmnopqrstuvwxyz234567';

function digits(count: number, draws: { below(end: number): number }): string {
  return Array.from({ length: count }, () => draws.below(10)).join('');
}
