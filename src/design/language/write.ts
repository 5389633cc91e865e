import type { AttributeValue, ChangedAttribute, Idempotency, WritePattern, WriteStep } from '../ir.ts';
import type { AttributeSpec, AttributeSpecs } from './attribute-specs.ts';
import { checkMembers, type Members } from './check-members.ts';
import type { AttributesOf, EntityDefinition, NamesOf, VersionOf } from './entity.ts';
import { readWhere, type Where } from './predicates.ts';
import { many } from './read.ts';
import { readSkew, readTraffic, type Traffic } from './traffic.ts';

/** A write pattern before the model gives it its name. */
export interface WriteDefinition<
  Steps extends readonly StepDefinition[] = readonly StepDefinition[],
  Repeats extends Idempotency | undefined = Idempotency | undefined,
> {
  readonly ir: Omit<WritePattern, 'name'>;
  /** Only the compiler looks at them. */
  readonly steps?: Steps;
  readonly repeats?: { readonly by: Repeats };
}

/** What the compiler knows of a step: the attributes that callers must give, and those that they need not. */
export interface StepTypes {
  readonly of: EntityDefinition;
  readonly kind: WriteStep['kind'];
  readonly needed: string;
}

/** One step of a write; `Name` are the attributes by which traffic may be skewed. */
export interface StepDefinition<Name extends string = string, T extends StepTypes = StepTypes> {
  readonly step: WriteStep;
  /** Only the compiler looks at them. */
  readonly names?: Name;
  readonly types?: T;
}

/** The types of a step, for the compiler. */
export interface StepTypesOf<
  E extends EntityDefinition,
  Kind extends WriteStep['kind'],
  Needed extends string,
> {
  readonly of: E;
  readonly kind: Kind;
  readonly needed: Needed;
}

type OneOrMany<T> = T | readonly T[];

/** The attributes that every instance has. */
export type RequiredOf<E> = {
  [N in NamesOf<E>]: AttributesOf<E>[N] extends { readonly optional: true } ? never : N;
}[NamesOf<E>];
type Values<A extends AttributeSpecs> = {
  readonly [N in keyof A & string]?: A[N] extends AttributeSpec<infer V, infer _Held> ? V : never;
};

type NamesOfSteps<Steps extends readonly StepDefinition[]> =
  Steps[number] extends StepDefinition<infer N, infer _Types> ? N : never;

export interface WriteSpec<
  Steps extends readonly StepDefinition[],
  Repeats extends Idempotency | undefined = Idempotency | undefined,
> extends Traffic<NamesOfSteps<Steps>> {
  readonly does: string;
  readonly actor?: string;
  readonly steps: Steps;
  /** All steps or none; several steps are atomic unless this is false. */
  readonly atomic?: boolean;
  readonly idempotency?: Repeats;
  readonly latencyMs?: number;
}

const writeMembers: Members<WriteSpec<readonly StepDefinition[]>> = {
  ...{ does: 'must', actor: 'may', steps: 'must', atomic: 'may', idempotency: 'may', latencyMs: 'may' },
  ...{ peak: 'must', mean: 'may', frequency: 'may', skew: 'may' },
};

/** Declares a write pattern: its steps, whether they are atomic, how often it is called. */
export function write<
  const Steps extends readonly StepDefinition[],
  const Repeats extends Idempotency | undefined = undefined,
>(spec: WriteSpec<Steps, Repeats>): WriteDefinition<Steps, NoInfer<Repeats>> {
  checkMembers(
    `write(…)${typeof spec?.does === 'string' ? ` that does "${spec.does}"` : ''}`,
    spec,
    writeMembers,
  );
  const { rate, frequency } = readTraffic(spec.does, spec);
  return {
    ir: {
      description: spec.does,
      ...(spec.actor === undefined ? {} : { actor: spec.actor }),
      steps: spec.steps.map(({ step }) => step),
      atomic: spec.atomic ?? spec.steps.length > 1,
      ...(spec.idempotency === undefined ? {} : { idempotency: spec.idempotency }),
      rate,
      ...(frequency === undefined ? {} : { frequency }),
      skew: readSkew(spec.skew),
      ...(spec.latencyMs === undefined ? {} : { latencyMs: spec.latencyMs }),
    },
  };
}

/** Creates items. The caller gives all their attributes. */
export function create<E extends EntityDefinition, With extends NamesOf<E> = never>(
  entity: E,
  options: {
    readonly count?: number;
    /** False lets the write replace an item that exists. */
    readonly once?: boolean;
    readonly unique?: OneOrMany<NamesOf<E>>;
    /** Values that every new item starts with. */
    readonly with?: { readonly [N in With]: Values<AttributesOf<E>>[N] };
  } = {},
): StepDefinition<NamesOf<E>, StepTypesOf<E, 'create', Exclude<RequiredOf<E>, With | VersionOf<E>>>> {
  checkMembers(callOf('create', entity), options, {
    count: 'may',
    once: 'may',
    unique: 'may',
    with: 'may',
  });
  return {
    step: {
      kind: 'create',
      entity: entity.ir.name,
      count: options.count ?? 1,
      once: options.once ?? true,
      unique: many(options.unique),
      values: Object.entries(options.with ?? {}).map(([attribute, value]) => ({
        attribute,
        value: value as AttributeValue['value'],
      })),
    },
  };
}

/** Changes one item whose key the caller can compute from `given`. */
export function change<
  E extends EntityDefinition,
  const Given extends NamesOf<E>,
  const Checks extends boolean = false,
>(
  entity: E,
  options: {
    readonly given: OneOrMany<Given>;
    /** Attributes, or attributes with the value that every call sets; `null` removes one. */
    readonly sets: OneOrMany<NamesOf<E>> | { readonly [N in NamesOf<E>]?: Values<AttributesOf<E>>[N] | null };
    readonly when?: Where<AttributesOf<E>>;
    readonly checksVersion?: Checks;
    readonly count?: number;
  },
): StepDefinition<
  NamesOf<E>,
  StepTypesOf<E, 'change', Given | (Checks extends true ? VersionOf<E> : never)>
> {
  checkMembers(callOf('change', entity), options, {
    given: 'must',
    sets: 'must',
    when: 'may',
    checksVersion: 'may',
    count: 'may',
  });
  return {
    step: {
      kind: 'change',
      entity: entity.ir.name,
      count: options.count ?? 1,
      given: many(options.given),
      sets: readSets(options.sets),
      when: readWhere(options.when),
      checksVersion: options.checksVersion ?? false,
    },
  };
}

/** A step that deletes an item of an entity. */
export function remove<E extends EntityDefinition, const Given extends NamesOf<E>>(
  entity: E,
  options: {
    readonly given: OneOrMany<Given>;
    readonly when?: Where<AttributesOf<E>>;
    readonly count?: number;
  },
): StepDefinition<NamesOf<E>, StepTypesOf<E, 'remove', Given>> {
  checkMembers(callOf('remove', entity), options, { given: 'must', when: 'may', count: 'may' });
  const when = readWhere(options.when);
  return {
    step: {
      kind: 'remove',
      entity: entity.ir.name,
      count: options.count ?? 1,
      given: many(options.given),
      when,
    },
  };
}

/** Adds to a number; `spread: 'shards'` allows several counter items if one would be too hot. */
export function add<E extends EntityDefinition, const Given extends NamesOf<E>>(
  entity: E,
  options: {
    readonly given: OneOrMany<Given>;
    readonly to: NamesOf<E>;
    readonly spread?: 'never' | 'shards';
  },
): StepDefinition<NamesOf<E>, StepTypesOf<E, 'count', Given>> {
  checkMembers(callOf('add', entity), options, { given: 'must', to: 'must', spread: 'may' });
  return {
    step: {
      kind: 'count',
      entity: entity.ir.name,
      count: 1,
      given: many(options.given),
      attribute: options.to,
      spread: options.spread ?? 'never',
    },
  };
}

/** Requires an item to exist, and predicates to hold, in the same transaction. */
export function require<E extends EntityDefinition, const Given extends NamesOf<E>>(
  entity: E,
  options: { readonly given: OneOrMany<Given>; readonly when?: Where<AttributesOf<E>> },
): StepDefinition<NamesOf<E>, StepTypesOf<E, 'require', Given>> {
  checkMembers(callOf('require', entity), options, { given: 'must', when: 'may' });
  return {
    step: {
      kind: 'require',
      entity: entity.ir.name,
      count: 1,
      given: many(options.given),
      when: readWhere(options.when),
    },
  };
}

/** A step as its author wrote it. */
function callOf(step: string, entity: EntityDefinition): string {
  return `${step}(${entity.ir.name}, …)`;
}

/** A record that remembers a command's result, for as long as callers may retry it. */
export function remembered(
  by: string,
  options: { readonly keepDays: number; readonly bytes?: number },
): Extract<Idempotency, { readonly kind: 'record' }> {
  return { kind: 'record', by, keepDays: options.keepDays, bytes: options.bytes ?? 200 };
}

function readSets(sets: string | readonly string[] | object): ChangedAttribute[] {
  if (typeof sets === 'string' || Array.isArray(sets)) {
    return many(sets as string | readonly string[]).map((attribute) => ({ attribute }));
  }
  return Object.entries(sets as Record<string, AttributeValue['value'] | null>).map(([attribute, value]) =>
    value === null ? { attribute, removed: true } : { attribute, value },
  );
}
