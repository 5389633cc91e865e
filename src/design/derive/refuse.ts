import { itemLimits } from '../../model/limits.ts';
import type { Attribute, Model, ReadPattern } from '../ir.ts';
import type { Trouble } from '../model-error.ts';
import { ModelFacts } from '../model-facts.ts';
import type { Prices } from '../prices.ts';
import { Effort } from './effort.ts';
import { fewestSlots, type Unsolved } from './table-search.ts';

/** A change to the model that asks for less. */
interface Relaxation {
  readonly where: string;
  readonly rule: string;
  readonly message: string;
  readonly fix: string;
  readonly apply: (model: Model) => Model;
}

/** Every pair of so few changes is tried; of more, they are added up until they help, and pared down. */
const pairedMax = 14;

/**
 * Says why no design serves a component: the smallest change that makes one possible, and the patterns that contradict
 * each other. Single changes come first, from the mildest to the harshest, of which leaving out a pattern is the last;
 * then pairs; then a set from which nothing can be taken back.
 */
export function refusal(model: Model, { unsolved: { entities }, cut }: Unsolved, prices: Prices): Trouble[] {
  const reads = model.reads.filter((read) => read.entities.some((name) => entities.includes(name)));
  const own: Model = {
    ...model,
    entities: model.entities.filter(({ name }) => entities.includes(name)),
    reads,
    writes: model.writes
      .map((write) => ({ ...write, steps: write.steps.filter(({ entity }) => entities.includes(entity)) }))
      .filter(({ steps }) => steps.length > 0),
  };
  const effort = new Effort();
  const outside = new Map(model.entities.map((entity) => [entity.name, entity]));
  const served = (candidate: Model) => {
    // Populations may count per an entity outside of the component.
    const facts = new ModelFacts({
      ...candidate,
      entities: [
        ...new Map([...outside, ...candidate.entities.map((one) => [one.name, one] as const)]).values(),
      ],
    });
    return !('unsolved' in fewestSlots(facts, candidate.entities, prices, effort));
  };
  const changed = (changes: readonly Relaxation[]) => changes.reduce((one, { apply }) => apply(one), own);
  const helps = (changes: readonly Relaxation[]) => !effort.usedUp && served(changed(changes));

  const all = [...relaxations(own)];
  const changes = all.map((one) => [one]).find(helps) ?? fewest(all, helps);
  const rivals = changes?.length === 1 ? contradicting(own, served, effort) : [];
  const kinds = entities.join(', ');
  const before = cut
    ? `no table was found that serves ${kinds} with these patterns before the search was cut short`
    : `no table serves ${kinds} with these patterns`;
  if (changes === undefined) {
    const help = effort.usedUp || effort.cut ? 'none of the changes tried helps' : 'no change would help';
    const where =
      reads.length === 0 ? `entity ${kinds}` : `reads ${reads.map(({ name }) => name).join(', ')}`;
    return [{ where, rule: 'no design', message: `${before}, and ${help}` }];
  }
  if (changes.length === 1) return changes.map((one) => withRivals(one, rivals));
  const where = `reads ${reads.map(({ name }) => name).join(', ')}`;
  const message = `${before}; the smallest change that helps has ${changes.length} parts`;
  return [{ where, rule: 'no design', message }, ...changes.map((one) => withRivals(one, []))];
}

/** A refusal, with the patterns that the one it names contradicts. */
function withRivals({ where, rule, message, fix }: Relaxation, rivals: readonly string[]): Trouble {
  const others = rivals.filter((name) => !where.split(/[ ,]+/).includes(name));
  const against = others.length === 0 ? '' : `; it contradicts ${others.join(', ')}`;
  return { where, rule, message: `${message}${against}`, fix };
}

/** The mildest pair that helps, or a set from which no change can be taken back. */
function fewest(
  all: readonly Relaxation[],
  helps: (changes: readonly Relaxation[]) => boolean,
): readonly Relaxation[] | undefined {
  if (all.length <= pairedMax) {
    const pairs = all
      .flatMap((one, at) =>
        all.slice(at + 1).map((other, more) => ({ pair: [one, other], harm: 2 * at + more })),
      )
      .sort((a, b) => a.harm - b.harm);
    const found = pairs.find(({ pair }) => helps(pair));
    if (found !== undefined) return found.pair;
  }
  let chosen: readonly Relaxation[] | undefined;
  for (let count = 3; count <= all.length && chosen === undefined; count++) {
    const first = all.slice(0, count);
    if (helps(first)) chosen = first;
  }
  // The harshest is taken back first: the last one is what helped.
  for (const one of (chosen ?? []).toReversed().slice(1)) {
    const without: readonly Relaxation[] = chosen!.filter((each) => each !== one);
    if (helps(without)) chosen = without;
  }
  return chosen;
}

/** Patterns that cannot be served together, of which each can be once another is left out. */
function contradicting(model: Model, served: (model: Model) => boolean, effort: Effort): string[] {
  let { reads } = model;
  for (const read of model.reads) {
    if (effort.usedUp) return [];
    const without = reads.filter((one) => one !== read);
    if (!served({ ...model, reads: without })) reads = without;
  }
  return reads.map(({ name }) => name);
}

function* relaxations(model: Model): Generator<Relaxation> {
  const withRead =
    (name: string, change: (read: ReadPattern) => ReadPattern) =>
    (from: Model): Model => ({
      ...from,
      reads: from.reads.map((one) => (one.name === name ? change(one) : one)),
    });
  const withAttribute =
    (entity: string, name: string, change: (attribute: Attribute) => Attribute) =>
    (from: Model): Model => ({
      ...from,
      entities: from.entities.map((one) =>
        one.name === entity
          ? { ...one, attributes: one.attributes.map((each) => (each.name === name ? change(each) : each)) }
          : one,
      ),
    });
  for (const { name, consistency } of model.reads) {
    if (consistency !== 'strong') continue;
    yield {
      where: `read ${name}`,
      rule: 'strong reads',
      message: 'only an index can serve it, and indexes of another partition have no strong reads',
      fix: 'Read it eventually consistent.',
      apply: withRead(name, ({ freshnessMs: _, ...read }) => ({ ...read, consistency: 'eventual' })),
    };
  }
  for (const entity of model.entities) {
    const given = [...entity.identity, ...entity.fixed];
    const blind = model.writes.filter(({ steps }) =>
      steps.some(
        (step) =>
          step.entity === entity.name &&
          step.kind !== 'create' &&
          given.some((name) => !step.given.includes(name)),
      ),
    );
    if (blind.length === 0) continue;
    yield {
      where: blind.map(({ name }) => `write ${name}`).join(', '),
      rule: 'write address',
      message: `the key that the reads of ${entity.name} need cannot be computed from what the caller gives`,
      fix: `Give ${given.join(', ')} to these writes.`,
      apply: (from) => ({
        ...from,
        writes: from.writes.map((write) => ({
          ...write,
          steps: write.steps.map((step) =>
            step.entity === entity.name && step.kind !== 'create' ? { ...step, given } : step,
          ),
        })),
      }),
    };
  }
  for (const entity of model.entities) {
    for (const { name } of entity.attributes.filter(({ optional }) => optional)) {
      yield {
        where: `entity ${entity.name}`,
        rule: 'sparse index',
        message: `items without "${name}" are in no index that orders by it`,
        fix: `Make "${name}" always there, or let the pattern ask for items that have it.`,
        apply: withAttribute(entity.name, name, ({ optional: _, ...required }) => required),
      };
    }
  }
  for (const entity of model.entities) {
    for (const { name, type } of entity.attributes) {
      const asked = model.reads.some(
        ({ by, order, range }) =>
          by.includes(name) || range?.attribute === name || order.some(({ attribute }) => attribute === name),
      );
      const longest = itemLimits.sortKeyBytesMax;
      if (!asked || !('bytes' in type) || type.bytes.max <= longest / 2) continue;
      yield {
        where: `entity ${entity.name}`,
        rule: 'key size',
        message: `"${name}" may reach ${type.bytes.max} bytes; partition keys end at ${itemLimits.partitionKeyBytesMax.toLocaleString('en-US')}, sort keys at ${longest.toLocaleString('en-US')}`,
        fix: `Declare a smaller maximum for "${name}", or ask by a digest of it.`,
        apply: withAttribute(entity.name, name, (attribute) => ({
          ...attribute,
          type: { ...type, bytes: { mean: Math.min(type.bytes.mean, 64), max: 64 } },
        })),
      };
    }
  }
  for (const { name, order, range } of model.reads) {
    if (order.length === 0 && range === undefined) continue;
    yield {
      where: `read ${name}`,
      rule: 'order',
      message: 'no key delivers its order together with what the other patterns need',
      fix: 'Sort the page in the caller.',
      apply: withRead(name, ({ range: _, ...rest }) => ({ ...rest, order: [] })),
    };
  }
  for (const { name, rate, result } of model.reads) {
    const calls = rate.peak.toLocaleString('en-US');
    yield {
      where: `read ${name}`,
      rule: 'hot partition',
      message:
        result === 'one'
          ? `at ${calls} calls a second its hottest item heats one partition beyond its ceiling, and no shard divides one item`
          : `at ${calls} calls a second it heats one partition beyond its ceiling, and more shards mean more reads`,
      fix:
        result === 'one'
          ? 'Cache the answer.'
          : 'Cache the answer, or split the pattern by an attribute that spreads it.',
      apply: withRead(name, (read) => ({
        ...read,
        rate: { ...read.rate, peak: Math.min(read.rate.peak, 1) },
      })),
    };
  }
  yield {
    where: 'environment',
    rule: 'shards',
    message: `a plan may gather ${model.environment.shardsMax} shards, and the hottest value needs more`,
    fix: 'Raise shardsMax: each list then takes as many calls.',
    apply: (from) => ({ ...from, environment: { ...from.environment, shardsMax: 1_000 } }),
  };
  for (const { name, rate } of model.writes) {
    yield {
      where: `write ${name}`,
      rule: 'hot partition',
      message: `at ${rate.peak.toLocaleString('en-US')} calls a second it heats one partition beyond its ceiling, wherever the reads let its items lie`,
      fix: 'Let the reads that collect its items ask by one more attribute, or aggregate them from the stream.',
      apply: (from) => ({
        ...from,
        writes: from.writes.map((one) =>
          one.name === name ? { ...one, rate: { ...one.rate, peak: Math.min(one.rate.peak, 1) } } : one,
        ),
      }),
    };
  }
  for (const { name } of model.reads) {
    yield {
      where: `read ${name}`,
      rule: 'no plan',
      message: 'no key template answers it by one bounded plan beside the other patterns',
      fix: 'Leave it out, allow a residual filter (mayDiscard), or split it into patterns with other equality attributes.',
      apply: (from) => ({ ...from, reads: from.reads.filter((one) => one.name !== name) }),
    };
  }
}
