import type { Model, ReadPattern } from '../ir.ts';
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
  readonly model: Model;
}

/**
 * Says why no design serves a component: the smallest single change that makes one possible. Changes are tried from the
 * mildest to the harshest; leaving out a pattern comes last.
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
  for (const relax of relaxations(own)) {
    if (effort.usedUp) break;
    if (served(relax.model)) {
      const { where, rule, message, fix } = relax;
      return [{ where, rule, message, fix }];
    }
  }
  const names = reads.map(({ name }) => name).join(', ');
  const kinds = entities.join(', ');
  const certain = cut
    ? `no table was found that serves ${kinds} with these patterns before the search was cut short`
    : `no table serves ${kinds} with these patterns`;
  const help =
    effort.usedUp || effort.cut ? 'none of the changes tried helps' : 'no single change would help';
  return [{ where: `reads ${names}`, rule: 'no design', message: `${certain}, and ${help}` }];
}

function* relaxations(model: Model): Generator<Relaxation> {
  const withRead = (read: ReadPattern, change: Partial<ReadPattern>): Model => ({
    ...model,
    reads: model.reads.map((one) => (one === read ? { ...one, ...change } : one)),
  });
  for (const read of model.reads) {
    if (read.consistency !== 'strong') continue;
    yield {
      where: `read ${read.name}`,
      rule: 'strong reads',
      message: 'only an index can serve it, and indexes of another partition have no strong reads',
      fix: 'Read it eventually consistent.',
      model: withRead(read, { consistency: 'eventual' }),
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
      model: {
        ...model,
        writes: model.writes.map((write) => ({
          ...write,
          steps: write.steps.map((step) =>
            step.entity === entity.name && step.kind !== 'create' ? { ...step, given } : step,
          ),
        })),
      },
    };
  }
  for (const entity of model.entities) {
    for (const attribute of entity.attributes.filter(({ optional }) => optional)) {
      const { optional: _, ...required } = attribute;
      yield {
        where: `entity ${entity.name}`,
        rule: 'sparse index',
        message: `items without "${attribute.name}" are in no index that orders by it`,
        fix: `Make "${attribute.name}" always there, or let the pattern ask for items that have it.`,
        model: {
          ...model,
          entities: model.entities.map((one) =>
            one === entity
              ? { ...one, attributes: one.attributes.map((each) => (each === attribute ? required : each)) }
              : one,
          ),
        },
      };
    }
  }
  for (const read of model.reads) {
    if (read.order.length === 0 && read.range === undefined) continue;
    const { range: _, ...rest } = read;
    yield {
      where: `read ${read.name}`,
      rule: 'order',
      message: 'no key delivers its order together with what the other patterns need',
      fix: 'Sort the page in the caller.',
      model: { ...model, reads: model.reads.map((one) => (one === read ? { ...rest, order: [] } : one)) },
    };
  }
  for (const read of model.reads) {
    yield {
      where: `read ${read.name}`,
      rule: 'hot partition',
      message: `at ${read.rate.peak} calls a second it heats one partition beyond its ceiling, and more shards mean more reads`,
      fix: 'Cache the answer, or split the pattern by an attribute that spreads it.',
      model: withRead(read, { rate: { ...read.rate, peak: Math.min(read.rate.peak, 1) } }),
    };
  }
  for (const read of model.reads) {
    yield {
      where: `read ${read.name}`,
      rule: 'no plan',
      message: 'no key template answers it by one bounded plan beside the other patterns',
      fix: 'Leave it out, allow a residual filter (mayDiscard), or split it into patterns with other equality attributes.',
      model: { ...model, reads: model.reads.filter((one) => one !== read) },
    };
  }
}
