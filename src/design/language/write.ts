import type { AttributeValue, ChangedAttribute, Idempotency, WritePattern, WriteStep } from '../ir.ts';
import type { AttributeSpec, AttributeSpecs } from './attribute-specs.ts';
import type { AttributesOf, EntityDefinition, NamesOf } from './entity.ts';
import { readWhere, type Where } from './predicates.ts';
import { many, readRate, readSkew, type Traffic } from './read.ts';

/** A write pattern before the model gives it its name. */
export interface WriteDefinition {
  readonly ir: Omit<WritePattern, 'name'>;
}

/** One step of a write; `Name` are the attributes by which traffic may be skewed. */
export interface StepDefinition<Name extends string = string> {
  readonly step: WriteStep;
  /** Only the compiler looks at it. */
  readonly names?: Name;
}

type OneOrMany<T> = T | readonly T[];
type Values<A extends AttributeSpecs> = {
  readonly [N in keyof A & string]?: A[N] extends AttributeSpec<infer V> ? V : never;
};

export interface WriteSpec<N extends string> extends Traffic<N> {
  readonly does: string;
  readonly actor?: string;
  readonly steps: readonly StepDefinition<N>[];
  /** All steps or none; several steps are atomic unless this is false. */
  readonly atomic?: boolean;
  readonly idempotency?: Idempotency;
  readonly latencyMs?: number;
}

export function write<N extends string>(spec: WriteSpec<N>): WriteDefinition {
  return {
    ir: {
      description: spec.does,
      ...(spec.actor === undefined ? {} : { actor: spec.actor }),
      steps: spec.steps.map(({ step }) => step),
      atomic: spec.atomic ?? spec.steps.length > 1,
      ...(spec.idempotency === undefined ? {} : { idempotency: spec.idempotency }),
      rate: readRate(spec),
      skew: readSkew(spec.skew),
      ...(spec.latencyMs === undefined ? {} : { latencyMs: spec.latencyMs }),
    },
  };
}

/** Creates items. The caller gives all their attributes. */
export function create<E extends EntityDefinition>(
  entity: E,
  options: {
    readonly count?: number;
    /** False lets the write replace an item that exists. */
    readonly once?: boolean;
    readonly unique?: OneOrMany<NamesOf<E>>;
    /** Values that every new item starts with. */
    readonly with?: Values<AttributesOf<E>>;
  } = {},
): StepDefinition<NamesOf<E>> {
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
export function change<E extends EntityDefinition>(
  entity: E,
  options: {
    readonly given: OneOrMany<NamesOf<E>>;
    /** Attributes, or attributes with the value that every call sets; `null` removes one. */
    readonly sets: OneOrMany<NamesOf<E>> | { readonly [N in NamesOf<E>]?: Values<AttributesOf<E>>[N] | null };
    readonly when?: Where<AttributesOf<E>>;
    readonly checksVersion?: boolean;
    readonly count?: number;
  },
): StepDefinition<NamesOf<E>> {
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

export function remove<E extends EntityDefinition>(
  entity: E,
  options: {
    readonly given: OneOrMany<NamesOf<E>>;
    readonly when?: Where<AttributesOf<E>>;
    readonly count?: number;
  },
): StepDefinition<NamesOf<E>> {
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
export function add<E extends EntityDefinition>(
  entity: E,
  options: {
    readonly given: OneOrMany<NamesOf<E>>;
    readonly to: NamesOf<E>;
    readonly spread?: 'never' | 'shards';
  },
): StepDefinition<NamesOf<E>> {
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
export function require<E extends EntityDefinition>(
  entity: E,
  options: { readonly given: OneOrMany<NamesOf<E>>; readonly when?: Where<AttributesOf<E>> },
): StepDefinition<NamesOf<E>> {
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

/** A record that remembers a command's result, for as long as callers may retry it. */
export function remembered(
  by: string,
  options: { readonly keepDays: number; readonly bytes?: number },
): Idempotency {
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
