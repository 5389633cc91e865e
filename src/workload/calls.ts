import { holds } from '../design/compile/predicates.ts';
import { labelsOf } from '../design/compile/write-plan.ts';
import type {
  Addition,
  Attribute,
  AttributeSkew,
  Bounds,
  Entity,
  Predicate,
  ReadPattern,
  Value,
  Values,
  WriteArguments,
  WritePattern,
  WriteStep,
} from '../design/index.ts';
import { bringInto } from './bring-into.ts';
import { drawValue, type Era, timeText } from './draw-value.ts';
import { drawOutsideSample } from './outside-sample.ts';
import type { Kind, Population } from './population.ts';
import { Seeded } from './seeded.ts';
import { type KeyOverrides, SkewedValues } from './skewed-values.ts';

/** One call of a read pattern. */
export interface ReadCall {
  readonly kind: 'read';
  readonly pattern: string;
  readonly given: Values;
  readonly bounds: Bounds;
}

/** One call of a write pattern, and what it does to the instances when it succeeds. */
export interface WriteCall {
  readonly kind: 'write';
  readonly pattern: string;
  readonly given: WriteArguments;
  readonly command?: string;
  readonly token?: string;
  /** Tells calls with the same values apart. */
  readonly spreadBy: string;
  readonly effects: readonly Effect[];
}

export type Call = ReadCall | WriteCall;

export type Effect =
  | { readonly kind: 'put'; readonly entity: string; readonly values: Record<string, Value> }
  | {
      readonly kind: 'change';
      readonly entity: string;
      readonly of: Values;
      readonly sets: Record<string, Value | undefined>;
    }
  | { readonly kind: 'remove'; readonly entity: string; readonly of: Values };

const triesMax = 400;
/** How often a new instance is drawn among what the sample has before it refers to others. */
const triesInSample = 3;

/** Draws the values of calls: who asks for what, by the declared skews, over the instances that there are. */
export class CallSource {
  readonly #population: Population;
  readonly #overrides: KeyOverrides;
  readonly #skewed: SkewedValues;
  readonly #random: Seeded;
  #commands = 0;
  nowMs: number;
  /** Is told of instances that had to be added because none was in the state that a write needs; none are if absent. */
  onAdded: ((entity: string, values: Values) => void) | undefined;

  /** `overrides`: other distributions of keys, by pattern and attribute. */
  constructor(population: Population, seed: number, overrides: KeyOverrides = {}) {
    this.#population = population;
    this.#overrides = overrides;
    this.#random = new Seeded(seed, 'calls');
    this.#skewed = new SkewedValues(population, this.#random, overrides);
    this.nowMs = population.era.nowMs;
  }

  get #era(): Era {
    return { nowMs: this.nowMs, days: this.#population.era.days };
  }

  /** Undefined if there is nothing to ask for. */
  read(pattern: ReadPattern): ReadCall | undefined {
    const random = this.#random;
    const kind = this.#population.kind(pattern.entities[0]!);
    const { entity } = kind;
    let given: Record<string, Value> = {};
    if (pattern.by.length > 0) {
      const instance = this.#instanceFor(pattern, kind);
      const byNames = new Set(pattern.by);
      const whole = entity.identity.every((name) => byNames.has(name));
      const [lead] = this.#leading(entity, pattern.by, pattern.skew, pattern.name);
      const led =
        whole || lead === undefined ? undefined : this.#valueOf(pattern.name, entity, lead, pattern.skew);
      for (const name of pattern.by) {
        const attribute = attributeOf(entity, name);
        const value = name === lead && led !== undefined ? led : instance?.[name];
        given[name] = value ?? drawValue(random, attribute, this.#era);
      }
      // Values that go together: an instance under the leading value, if one can be found.
      if (led !== undefined && pattern.by.length > 1) {
        for (let tries = 0; tries < 20; tries++) {
          const other = kind.at(random.below(kind.instances.length));
          if (other?.[lead!] !== led || pattern.by.some((name) => other[name] === undefined)) continue;
          given = Object.fromEntries(pattern.by.map((name) => [name, other[name]!]));
          break;
        }
      }
    }
    return { kind: 'read', pattern: pattern.name, given, bounds: this.#bounds(pattern, kind) };
  }

  /** The attribute whose values calls are spread over: a skewed one, else a reference, else any. */
  #leading(
    entity: Entity,
    names: readonly string[],
    skew: readonly AttributeSkew[],
    pattern: string,
  ): string[] {
    const overrides = this.#overrides[pattern] ?? {};
    const rank = (name: string) => {
      if (overrides[name] !== undefined || skew.some(({ attribute }) => attribute === name)) return 0;
      const attribute = attributeOf(entity, name);
      if (attribute.refersTo !== undefined) return 1;
      return attribute.type.kind === 'choice' || attribute.type.kind === 'flag' ? 3 : 2;
    };
    return [...names].sort((a, b) => rank(a) - rank(b));
  }

  #instanceFor(pattern: ReadPattern, kind: Kind): Values | undefined {
    const { length } = kind.instances;
    if (length === 0) return undefined;
    const own = pattern.by.find(
      (name) => kind.entity.identity.includes(name) && attributeOf(kind.entity, name).refersTo === undefined,
    );
    const skewed =
      own === undefined ? undefined : this.#skewed.picker(pattern.name, kind.entity, own, pattern.skew);
    return kind.at(skewed === undefined ? this.#random.below(length) : skewed.pick(this.#random, length));
  }

  /** A value of an attribute by its skew: of the instances it refers to, or of those that have it. */
  #valueOf(pattern: string, entity: Entity, name: string, skew: readonly AttributeSkew[]): Value | undefined {
    const { refersTo, type } = attributeOf(entity, name);
    if (type.kind === 'choice' || type.kind === 'flag') return undefined;
    const skewed = this.#skewed.value(pattern, entity, name, skew);
    if (skewed !== undefined) return skewed;
    const kind = this.#population.kind(refersTo?.entity ?? entity.name);
    const { length } = kind.instances;
    if (length === 0) return undefined;
    const picker = this.#skewed.picker(pattern, entity, name, skew);
    const instance = kind.at(
      picker === undefined ? this.#random.below(length) : picker.pick(this.#random, length),
    );
    return instance?.[refersTo?.attribute ?? name] ?? undefined;
  }

  #bounds(pattern: ReadPattern, kind: Kind): Bounds {
    const { range } = pattern;
    if (range === undefined) return {};
    const random = this.#random;
    const value = () => {
      const { length } = kind.instances;
      return length === 0 ? undefined : kind.at(random.below(length))?.[range.attribute];
    };
    if (range.kind === 'prefix') {
      const text = String(value() ?? '');
      const slash = text.indexOf('/');
      return { prefix: slash > 0 ? text.slice(0, slash + 1) : text.slice(0, 3) };
    }
    const attribute = attributeOf(kind.entity, range.attribute);
    const [a, b] = [
      value() ?? drawValue(random, attribute, this.#era),
      value() ?? drawValue(random, attribute, this.#era),
    ];
    return (a as string) <= (b as string) ? { from: a, to: b } : { from: b, to: a };
  }

  /** Undefined if no instance is in a state that the pattern may change. */
  write(pattern: WritePattern): WriteCall | undefined {
    const given: Record<string, Values | Values[]> = {};
    const effects: Effect[] = [];
    const context: { entity: string; values: Values }[] = [];
    const used = new Set<Values>();
    const labels = labelsOf(pattern);
    // What exists is chosen first, and what is created refers to it.
    const order = [...pattern.steps.keys()].sort(
      (a, b) => Number(pattern.steps[a]!.kind === 'create') - Number(pattern.steps[b]!.kind === 'create'),
    );
    for (const at of order) {
      const step = pattern.steps[at]!;
      const each: Values[] = [];
      for (let count = 0; count < step.count; count++) {
        const one = this.#step(pattern, step, context, used, effects, count);
        if (one === undefined) return undefined;
        each.push(one);
      }
      given[labels[at]!] = step.count === 1 ? each[0]! : each;
    }
    const { idempotency } = pattern;
    const number = this.#commands++;
    return {
      kind: 'write',
      pattern: pattern.name,
      given,
      effects,
      spreadBy: String(number),
      ...(idempotency?.kind === 'record' ? { command: `command-${this.#population.seed}-${number}` } : {}),
      ...(idempotency?.kind === 'token' ? { token: `token-${this.#population.seed}-${number}` } : {}),
    };
  }

  #step(
    pattern: WritePattern,
    step: WriteStep,
    context: { entity: string; values: Values }[],
    used: Set<Values>,
    effects: Effect[],
    count: number,
  ): Values | undefined {
    const kind = this.#population.kind(step.entity);
    if (step.kind === 'create') {
      const values = this.#newInstance(pattern, step, kind, context, count);
      context.push({ entity: step.entity, values });
      effects.push({ kind: 'put', entity: step.entity, values });
      return values;
    }
    const when = step.kind === 'count' ? [] : step.when;
    const instance = this.#changeable(pattern, step, kind, when, context, used);
    if (instance === undefined) return undefined;
    used.add(instance);
    context.push({ entity: step.entity, values: instance });
    const { entity } = kind;
    const given: Record<string, Value | Addition> = {};
    for (const name of new Set([...entity.identity, ...step.given])) {
      const value = instance[name];
      if (value !== undefined && value !== null) given[name] = value;
    }
    const identity = Object.fromEntries(entity.identity.map((name) => [name, instance[name]!]));
    if (step.kind === 'remove') effects.push({ kind: 'remove', entity: entity.name, of: identity });
    if (step.kind === 'count' && step.spread === 'never')
      effects.push({
        kind: 'change',
        entity: entity.name,
        of: identity,
        sets: { [step.attribute]: Number(instance[step.attribute] ?? 0) + 1 },
      });
    if (step.kind === 'change') {
      const sets = this.#sets(step, entity, instance, given);
      effects.push({ kind: 'change', entity: entity.name, of: identity, sets });
    }
    return given as Values;
  }

  /** A new instance; what it refers to is what the call has touched already, or somebody by the pattern's skew. */
  #newInstance(
    pattern: WritePattern,
    step: Extract<WriteStep, { kind: 'create' }>,
    kind: Kind,
    context: readonly { entity: string; values: Values }[],
    count: number,
  ): Record<string, Value> {
    const { entity } = kind;
    const { population } = entity;
    const random = this.#random;
    const touched = (name: string) => context.findLast((one) => one.entity === name)?.values;
    // What a skewed copy is copied from has the value that the skew chose.
    const sources = new Map<string, readonly [string, Value]>();
    const pick = (attribute: Attribute, target: Kind): Values | undefined => {
      const before = touched(target.entity.name);
      if (before !== undefined) return before;
      const wanted = sources.get(target.entity.name);
      if (wanted !== undefined) return this.#withValue(target, ...wanted);
      const picker = this.#skewed.picker(pattern.name, entity, attribute.name, pattern.skew);
      const { length } = target.instances;
      if (length === 0) return undefined;
      return target.at(picker === undefined ? random.below(length) : picker.pick(random, length));
    };
    const known: Record<string, Value> = Object.fromEntries(
      step.values.map((one) => [one.attribute, one.value]),
    );
    for (const { name, type, distinct, refersTo, copyOf } of entity.attributes) {
      if (known[name] !== undefined) continue;
      // Attributes of the same name mean the same within one call, such as the time of an order and of its lines.
      const before = context.find(
        ({ values }) => values[name] !== undefined && refersTo === undefined && isShared(entity, name),
      );
      if (before !== undefined) known[name] = before.values[name]!;
      else if (type.kind === 'time')
        known[name] = timeText(this.nowMs + (entity.identity.includes(name) ? count : 0));
      else if (type.kind === 'date') known[name] = timeText(this.nowMs).slice(0, 10);
      else if (copyOf !== undefined) {
        const value = this.#skewed.value(pattern.name, entity, name, pattern.skew);
        if (value !== undefined) sources.set(copyOf.entity, [copyOf.attribute, value]);
      } else if (distinct !== undefined) {
        const value = this.#skewed.value(pattern.name, entity, name, pattern.skew);
        if (value !== undefined) known[name] = value;
      }
    }
    const { ttl, keepDays } = entity;
    if (ttl !== undefined && keepDays !== undefined)
      known[ttl] ??= Math.floor(this.#population.era.nowMs / 1000) + Math.round(keepDays * 86_400);
    for (let tries = 0; ; tries++) {
      const number = kind.fresh++;
      const parent =
        population.kind === 'per'
          ? this.#parentOf(pattern, entity, touched(population.entity), sources.get(population.entity))
          : undefined;
      const values = this.#population.draw(entity, number, parent, number + count, known, pick);
      const isTaken =
        kind.find(values) !== undefined ||
        context.some(
          (one) => one.entity === entity.name && kind.identityOf(one.values) === kind.identityOf(values),
        );
      if (tries >= 20 || !isTaken) return values;
      // What a skew chose twice within one call is drawn freely the second time.
      for (const name of entity.identity)
        if (!step.values.some((one) => one.attribute === name)) delete known[name];
      if (tries >= triesInSample)
        Object.assign(known, drawOutsideSample(this.#population, random, pattern, entity, context));
    }
  }

  /** An instance that has the value, or any if none has. */
  #withValue(kind: Kind, name: string, value: Value): Values | undefined {
    const { length } = kind.instances;
    const from = this.#random.below(Math.max(1, length));
    for (let at = 0; at < length; at++) {
      const instance = kind.instances[(from + at) % length];
      if (instance?.[name] === value) return instance;
    }
    return kind.at(from);
  }

  #parentOf(
    pattern: WritePattern,
    entity: Entity,
    touched: Values | undefined,
    wanted?: readonly [string, Value],
  ): Values | undefined {
    if (touched !== undefined) return touched;
    const { population } = entity;
    const kind = this.#population.kind((population as { entity: string }).entity);
    if (wanted !== undefined) return this.#withValue(kind, ...wanted);
    const name = entity.attributes.find(({ refersTo }) => refersTo?.entity === kind.entity.name)?.name;
    const picker =
      name === undefined ? undefined : this.#skewed.picker(pattern.name, entity, name, pattern.skew);
    const { length } = kind.instances;
    if (length === 0) return undefined;
    return kind.at(picker === undefined ? this.#random.below(length) : picker.pick(this.#random, length));
  }

  #changeable(
    pattern: WritePattern,
    step: Exclude<WriteStep, { kind: 'create' }>,
    kind: Kind,
    when: readonly Predicate[],
    context: readonly { entity: string; values: Values }[],
    used: ReadonlySet<Values>,
  ): Values | undefined {
    const { entity } = kind;
    const random = this.#random;
    const { length } = kind.instances;
    // An instance that an earlier step has touched or refers to.
    const [first] = entity.identity;
    for (const { entity: other, values } of context) {
      const refers = this.#population
        .kind(other)
        .entity.attributes.find((one) => one.refersTo?.entity === entity.name);
      if (refers === undefined || entity.identity.length > 1) continue;
      const target = kind.find({ [first!]: values[refers.name] });
      if (
        target !== undefined &&
        !used.has(target) &&
        when.every((one) => holds(one, target)) &&
        isAllowed(entity, step, target)
      )
        return target;
    }
    const lead = this.#leading(entity, entity.identity, pattern.skew, pattern.name)[0]!;
    const picker = this.#skewed.picker(pattern.name, entity, lead, pattern.skew);
    for (let tries = 0; length > 0 && tries < triesMax; tries++) {
      const drawn = picker === undefined ? random.below(length) : picker.pick(random, length);
      const instance = kind.at(drawn + (tries > 50 ? tries : 0));
      if (instance === undefined) break;
      if (
        used.has(instance) ||
        !when.every((one) => holds(one, instance)) ||
        !isAllowed(entity, step, instance)
      )
        continue;
      return instance;
    }
    return this.onAdded === undefined ? undefined : this.#added(pattern, step, kind, when);
  }

  /** A further instance in the state that a step needs. */
  #added(
    pattern: WritePattern,
    step: Exclude<WriteStep, { kind: 'create' }>,
    kind: Kind,
    when: readonly Predicate[],
  ): Values | undefined {
    const { entity } = kind;
    const { population, name } = entity;
    for (let tries = 0; tries < 20; tries++) {
      const parent = population.kind === 'per' ? this.#parentOf(pattern, entity, undefined) : undefined;
      const number = kind.fresh++;
      const values = this.#population.draw(entity, number, parent, number);
      bringInto(values, entity, step, when, (attribute) => drawValue(this.#random, attribute, this.#era));
      const fits = when.every((one) => holds(one, values)) && isAllowed(entity, step, values);
      if (!fits || kind.find(values) !== undefined) continue;
      kind.put(values);
      this.onAdded!(name, values);
      return values;
    }
    return undefined;
  }

  #sets(
    step: Extract<WriteStep, { kind: 'change' }>,
    entity: Entity,
    instance: Values,
    given: Record<string, Value | Addition>,
  ): Record<string, Value | undefined> {
    const random = this.#random;
    const sets: Record<string, Value | undefined> = {};
    for (const { attribute: name, value, removed } of step.sets) {
      const attribute = attributeOf(entity, name);
      if (removed) sets[name] = undefined;
      else if (value !== undefined) sets[name] = value;
      else {
        const allowed =
          entity.states?.attribute === name ? entity.states.transitions[String(instance[name])] : undefined;
        const known =
          attribute.refersTo === undefined ? undefined : this.#population.kind(attribute.refersTo.entity);
        const drawn =
          allowed !== undefined && allowed.length > 0
            ? random.pick(allowed)
            : known !== undefined && known.instances.length > 0
              ? known.at(random.below(known.instances.length))?.[attribute.refersTo!.attribute]
              : attribute.type.kind === 'time'
                ? timeText(this.nowMs)
                : this.#redrawn(attribute, entity);
        const isGone = attribute.optional === true && random.chance(0.2);
        sets[name] = isGone ? undefined : (drawn ?? undefined);
        given[name] = isGone ? null : (drawn as Value);
      }
    }
    if (entity.version !== undefined && sets[entity.version] === undefined) {
      const seen = Number(instance[entity.version] ?? 0);
      if (step.checksVersion) given[entity.version] = seen;
      sets[entity.version] = seen + 1;
    }
    return sets;
  }

  #redrawn(attribute: Attribute, entity: Entity): Value {
    const { type, distinct, optional } = attribute;
    if (type.kind === 'flag' && optional === true) return true;
    // Closed pools of ids are drawn from those in use.
    if (type.kind === 'id' && distinct !== undefined) {
      const kind = this.#population.kind(entity.name);
      const other = kind.at(this.#random.below(kind.instances.length))?.[attribute.name];
      if (other !== undefined && other !== null) return other;
    }
    return drawValue(this.#random, attribute, this.#era);
  }
}

function isAllowed(entity: Entity, step: WriteStep, instance: Values): boolean {
  const { states } = entity;
  if (states === undefined || step.kind !== 'change') return true;
  const set = step.sets.find(({ attribute }) => attribute === states.attribute);
  if (set === undefined) return true;
  const next = states.transitions[String(instance[states.attribute])] ?? [];
  return set.value === undefined ? next.length > 0 : next.includes(String(set.value));
}

/** Attributes that steps of one call share by name: times and dates of the event itself, not texts and numbers. */
function isShared(entity: Entity, name: string): boolean {
  const { type } = attributeOf(entity, name);
  return (type.kind === 'time' || type.kind === 'date') && !entity.identity.includes(name);
}

function attributeOf(entity: Entity, name: string): Attribute {
  return entity.attributes.find((one) => one.name === name)!;
}
