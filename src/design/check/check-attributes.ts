import type { Entity } from '../ir.ts';
import { changedBy, keyNames } from './entry-writes.ts';
import type { Finding } from './finding.ts';
import { finding, type Subject } from './subject.ts';

/** Attributes that the writes of a model leave in a state its author hardly meant. */
export function checkAttributes(subject: Subject): Finding[] {
  return [...neverRemoved(subject), ...neverWritten(subject)];
}

/** An index that is sparse by an optional attribute empties only if a write removes the attribute or the item. */
function neverRemoved({ model, facts, design }: Subject): Finding[] {
  return model.entities.flatMap((entity) => {
    const optionals = new Set<string>();
    for (const placement of design.tables.flatMap((table) => table.placements)) {
      if (placement.entity !== entity.name || placement.slot === 'table') continue;
      const exists = placement.when.flatMap((one) => (one.kind === 'exists' ? [one.attribute] : []));
      for (const name of [...keyNames(placement), ...exists])
        if (facts.attribute(entity, name).optional === true) optionals.add(name);
    }
    if (entity.ttl !== undefined) return [];
    const steps = model.writes.flatMap((write) => write.steps.filter((step) => step.entity === entity.name));
    if (steps.some(({ kind }) => kind === 'remove')) return [];
    return [...optionals]
      .filter((name) => !entity.fixed.includes(name))
      .filter(
        (name) =>
          !steps.some(
            (step) =>
              step.kind === 'change' &&
              // A value that the caller gives may be null.
              step.sets.some((one) => one.attribute === name && (one.removed || one.value === undefined)),
          ),
      )
      .map((name) =>
        finding('entries-stay', `entity ${entity.name}`, {
          message: `"${name}" keeps items in a sparse index, and no write removes it: every ${entity.name} that ever had it stays there`,
          fix: `Remove "${name}" in the write that ends its meaning (sets: { ${name}: null }), or let the items expire.`,
        }),
      );
  });
}

/** Attributes declared as changing that no write changes. */
function neverWritten({ model }: Subject): Finding[] {
  return model.entities.flatMap((entity) => {
    const steps = model.writes.flatMap((write) => write.steps.filter((step) => step.entity === entity.name));
    // Without any change the model may be of reads alone.
    if (!steps.some(({ kind }) => kind === 'change')) return [];
    const written = new Set(steps.flatMap((step) => [...changedBy(entity, step).keys()]));
    const names = changing(entity).filter((name) => !written.has(name));
    if (names.length === 0) return [];
    return [
      finding('unwritten-attribute', `entity ${entity.name}`, {
        message: `no write changes ${names.map((name) => `"${name}"`).join(', ')}, declared as changing`,
        fix: 'Declare what never changes as fixed, so that keys may hold it, or add the write that changes it.',
      }),
    ];
  });
}

function changing({ attributes, identity, fixed, ttl, version }: Entity): string[] {
  return attributes
    .filter(({ copyOf }) => copyOf === undefined)
    .map(({ name }) => name)
    .filter((name) => !identity.includes(name) && !fixed.includes(name) && name !== ttl && name !== version);
}
