import type { Model } from './ir.ts';
import type { Trouble } from './model-error.ts';
import { namesOfPredicate } from './predicate-logic.ts';

/** The attributes of an entity that are counted in items of their own beside it. */
export function spreadCounters({ writes }: Pick<Model, 'writes'>, entity: string): ReadonlySet<string> {
  return new Set(
    writes.flatMap(({ steps }) =>
      steps.flatMap((step) =>
        step.kind === 'count' && step.spread === 'shards' && step.entity === entity ? [step.attribute] : [],
      ),
    ),
  );
}

/**
 * A spread counter lies in items of its own, so the item of its entity does not hold it: no key, filter or answer can
 * have it, and only adding the counter items up reads it.
 */
export function counterTroubles(model: Model): Trouble[] {
  return model.entities.flatMap((entity) =>
    [...spreadCounters(model, entity.name)].flatMap((name) => {
      const troubles: Trouble[] = [];
      const rule = 'spread counter';
      const attribute = entity.attributes.find((one) => one.name === name);
      if (attribute !== undefined && attribute.optional !== true)
        troubles.push({
          where: `entity ${entity.name}`,
          rule,
          message: `"${name}" is spread over items of its own, and yet every ${entity.name} has it`,
          fix: `Declare it with optional(): items and answers lack it, and counter('${name}', …) adds it up.`,
        });
      for (const read of model.reads) {
        if (!read.entities.includes(entity.name)) continue;
        const named = [
          ...read.by,
          ...read.where.flatMap(namesOfPredicate),
          ...(read.range === undefined ? [] : [read.range.attribute]),
          ...read.order.map((one) => one.attribute),
          ...(read.needs ?? []),
        ];
        if (!named.includes(name)) continue;
        troubles.push({
          where: `read ${read.name}`,
          rule,
          message: `it reads "${name}" of ${entity.name}, which is spread over items of its own: no key and no answer has its sum`,
          fix: `Read the sum with counter('${name}', …), count without shards, or keep a sum up to date from the stream in another attribute.`,
        });
      }
      for (const write of model.writes) {
        const touches = write.steps.some((step) => {
          if (step.entity !== entity.name || step.kind === 'remove') return false;
          if (step.kind === 'create')
            return [...step.values.map((one) => one.attribute), ...step.unique].includes(name);
          if (step.kind === 'count') return step.attribute === name && step.spread === 'never';
          const sets = step.kind === 'change' ? step.sets.map((one) => one.attribute) : [];
          return [...sets, ...step.when.flatMap(namesOfPredicate)].includes(name);
        });
        if (!touches) continue;
        troubles.push({
          where: `write ${write.name}`,
          rule,
          message: `it sets or demands "${name}" of ${entity.name}, which another step spreads over items of its own`,
          fix: 'Add to it with shards everywhere, or nowhere.',
        });
      }
      return troubles;
    }),
  );
}
