import { nearest } from '../model/nearest.ts';
import { type FakeKind, fakeKinds } from './fakes.ts';
import { type PathStep, readPath } from './path.ts';

/**
 * What becomes of values that must not leave production. A rule file names kinds of values once, and then says where they
 * stand. A value of one kind becomes the same replacement wherever it stands, so that keys still join:
 *
 *     {
 *       "values": {
 *         "customer": "hash",
 *         "mail": { "fake": "email" },
 *         "when": { "shiftDays": 90 },
 *         "note": "drop"
 *       },
 *       "attributes": {
 *         "PK": ["CUST#{customer}", "ORDER#{}"],
 *         "GSI1PK": "MAIL#{mail}",
 *         "email": "{mail}",
 *         "createdAt": "{when}",
 *         "profile.phones[]": "{mail}",
 *         "comment": "{note}"
 *       },
 *       "otherwise": "hash",
 *       "unlisted": "keep"
 *     }
 *
 * `{}` keeps a piece as it is. Paths are those of `path.ts`; of two rules for one value the longer path counts. `otherwise` is for
 * values of a listed attribute that fit none of its templates. Values that no rule names stay as they are unless `unlisted` says
 * otherwise, and the report lists their paths.
 */
export interface Rules {
  readonly values: ReadonlyMap<string, ValueRule>;
  readonly attributes: readonly AttributeRule[];
  readonly otherwise: Otherwise;
  readonly unlisted: Unlisted;
}

export type ValueRule =
  | { readonly kind: 'keep' }
  | { readonly kind: 'drop' }
  | { readonly kind: 'hash' }
  | { readonly kind: 'fake'; readonly as: FakeKind }
  | { readonly kind: 'shift'; readonly daysMax: number };

export type Unlisted = 'keep' | 'drop' | 'fail';

export type Otherwise = 'hash' | 'keep' | 'drop' | 'fail';

export interface AttributeRule {
  /** The path as it was written, for reports. */
  readonly path: string;
  readonly steps: readonly PathStep[];
  readonly templates: readonly Template[];
}

/** Literal texts around pieces: `texts[0] piece[0] texts[1] …`. A piece without a kind is kept. */
export interface Template {
  readonly text: string;
  readonly texts: readonly string[];
  readonly pieces: readonly (string | undefined)[];
}

/** A rule file that is not what it should be, with the place. */
export class RulesError extends Error {}

export function readRules(json: unknown): Rules {
  const top = members(json, 'The rules', ['values', 'attributes', 'otherwise', 'unlisted']);
  const values = new Map(
    Object.entries(members(top.values ?? {}, 'values')).map(([name, rule]) => [
      name,
      readValueRule(rule, `values.${name}`),
    ]),
  );
  const attributes = Object.entries(members(top.attributes, 'attributes')).map(([path, templates]) =>
    readAttributeRule(path, templates, values),
  );
  if (attributes.length === 0)
    throw new RulesError('attributes names no attribute: nothing would be changed');
  const otherwise = top.otherwise ?? 'hash';
  if (!isOneOf(otherwise, ['hash', 'keep', 'drop', 'fail'] as const))
    throw new RulesError(`otherwise is hash, keep, drop or fail, not ${JSON.stringify(otherwise)}`);
  const unlisted = top.unlisted ?? 'keep';
  if (!isOneOf(unlisted, ['keep', 'drop', 'fail'] as const))
    throw new RulesError(`unlisted is keep, drop or fail, not ${JSON.stringify(unlisted)}`);
  return { values, attributes, otherwise, unlisted };
}

function readValueRule(rule: unknown, where: string): ValueRule {
  if (isOneOf(rule, ['keep', 'drop', 'hash'] as const)) return { kind: rule };
  if (typeof rule === 'string')
    throw new RulesError(
      `${where} is ${JSON.stringify(rule)}; it can be hash, drop, keep, or a fake or shift`,
    );
  const { fake, shiftDays } = members(rule, where, ['fake', 'shiftDays']);
  if ((fake === undefined) === (shiftDays === undefined))
    throw new RulesError(`${where} must have either fake or shiftDays`);
  if (fake !== undefined) {
    if (isOneOf(fake, fakeKinds)) return { kind: 'fake', as: fake };
    throw new RulesError(
      `${where}.fake knows no ${JSON.stringify(fake)}${didYouMean(String(fake), fakeKinds)}`,
    );
  }
  if (typeof shiftDays !== 'number' || !Number.isInteger(shiftDays) || shiftDays < 1 || shiftDays > 36_500)
    throw new RulesError(`${where}.shiftDays is a whole number from 1 to 36500`);
  return { kind: 'shift', daysMax: shiftDays };
}

function readAttributeRule(
  path: string,
  templates: unknown,
  values: ReadonlyMap<string, ValueRule>,
): AttributeRule {
  const where = `attributes[${JSON.stringify(path)}]`;
  const list = Array.isArray(templates) ? (templates as unknown[]) : [templates];
  if (list.length === 0) throw new RulesError(`${where} has no template`);
  return {
    path,
    steps: pathSteps(path, where),
    templates: list.map((template) => readTemplate(template, where, values)),
  };
}

function pathSteps(path: string, where: string): readonly PathStep[] {
  const steps = readPath(path);
  if (steps !== undefined) return steps;
  throw new RulesError(
    `${where}: a path is names with dots between them, [] behind a list or set, * for any member of a map, {} for the names of its members, and quotes around a name with other characters`,
  );
}

function readTemplate(template: unknown, where: string, values: ReadonlyMap<string, ValueRule>): Template {
  if (typeof template !== 'string')
    throw new RulesError(`${where}: a template is a text such as "CUST#{customer}"`);
  const texts: string[] = [];
  const pieces: (string | undefined)[] = [];
  let from = 0;
  for (const { 0: piece, 1: name, index } of template.matchAll(/\{([^{}]*)\}/g)) {
    texts.push(template.slice(from, index));
    from = index + piece.length;
    if (name !== '' && !values.has(name!))
      throw new RulesError(
        `${where}: values has no ${JSON.stringify(name)}${didYouMean(name!, [...values.keys()])}`,
      );
    pieces.push(name === '' ? undefined : name);
  }
  texts.push(template.slice(from));
  if (texts.some((text) => /[{}]/.test(text)))
    throw new RulesError(`${where}: a brace without its partner in ${JSON.stringify(template)}`);
  if (pieces.length > 1 && texts.slice(1, -1).some((text) => text === ''))
    throw new RulesError(
      `${where}: two pieces of ${JSON.stringify(template)} touch, so nothing tells where one ends`,
    );
  return { text: template, texts, pieces };
}

function members(json: unknown, where: string, names?: readonly string[]): Record<string, unknown> {
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new RulesError(`${where} must be an object`);
  const unknown = names && Object.keys(json).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new RulesError(`${where} has no member ${JSON.stringify(unknown)}${didYouMean(unknown, names!)}`);
  return json as Record<string, unknown>;
}

function isOneOf<T extends string>(value: unknown, allowed: readonly T[]): value is T {
  return allowed.includes(value as T);
}

function didYouMean(word: string, words: readonly string[]): string {
  const found = nearest(word, words);
  return found === undefined ? `; it can be ${words.join(', ') || 'none yet'}` : `. Did you mean ${found}?`;
}
