import { requestLimits } from '../../model/limits.ts';
import type { Placement } from '../design.ts';
import type { WritePattern, WriteStep } from '../ir.ts';
import { templateText } from '../key-pieces.ts';
import { changedBy, readsItem, unknownTo } from './entry-writes.ts';
import type { Finding } from './finding.ts';
import { amount, bytesText, finding, type Subject } from './subject.ts';

/** Writes reach their items, need no read before, fit a transaction, and do not multiply. */
export function checkWrites(subject: Subject): Finding[] {
  return [
    ...subject.model.writes.flatMap((write) => [
      ...addresses(subject, write),
      ...readsBefore(subject, write),
      ...transactions(subject, write),
      ...retries(write),
    ]),
    ...amplification(subject),
    ...copies(subject),
  ];
}

function placementsOf({ design }: Subject, entity: string): Placement[] {
  return design.tables.flatMap(({ placements }) => placements.filter((one) => one.entity === entity));
}

function attributesIn(pieces: Placement['partition']): string[] {
  return pieces.flatMap((piece) =>
    piece.kind === 'constant' ? [] : piece.kind === 'shard' ? piece.of : [piece.attribute],
  );
}

function addresses(subject: Subject, write: WritePattern): Finding[] {
  return write.steps.flatMap((step) => {
    if (step.kind === 'create') return [];
    const inTable = placementsOf(subject, step.entity).filter(({ slot }) => slot === 'table');
    return inTable.flatMap((placement) => {
      const names = attributesIn([...placement.partition, ...placement.sort]);
      const missing = [...new Set(names)].filter((name) => !step.given.includes(name));
      if (missing.length === 0) return [];
      return [
        finding('write-address', `write ${write.name}`, {
          message: `it gives ${step.given.join(', ')}, but the key ${templateText(placement.partition)} / ${templateText(placement.sort)} of ${step.entity} needs ${missing.join(', ')} as well`,
          number: { value: missing.length, limit: 0, unit: 'attributes missing' },
          fix: `Give ${missing.join(', ')} to the write, or key the table by ${step.given.join(', ')}.`,
        }),
      ];
    });
  });
}

/** A change that moves an index entry must know every attribute of its key, and of the predicate that keeps it there. */
function readsBefore(subject: Subject, write: WritePattern): Finding[] {
  return write.steps.flatMap((step) => {
    if (step.kind === 'count' && step.spread === 'shards') return [];
    const entity = subject.facts.entity(step.entity);
    const moved = placementsOf(subject, step.entity)
      .filter(({ slot }) => slot !== 'table')
      .map((placement) => ({ placement, missing: unknownTo(entity, step, placement) }))
      .filter(({ missing }) => missing.length > 0);
    if (moved.length === 0) return readsForOthers(subject, write, step);
    const missing = [...new Set(moved.flatMap((one) => one.missing))].sort();
    const slots = moved.map(({ placement }) => placement.slot);
    const example = moved[0]!.placement;
    return [
      finding('read-before-write', `write ${write.name}`, {
        message: `it moves ${step.entity} in ${slots.join(', ')} (${templateText(example.partition)} / ${templateText(example.sort)}), and those keys also need ${missing.join(', ')}: it must read the item first`,
        number: { value: missing.length, limit: 0, unit: 'attributes unknown' },
        fix: `Let the caller give ${missing.join(', ')} and condition the write on them, or use several key attributes in the index instead of one text.`,
      }),
    ];
  });
}

/** Guards of unique values and copies lie where only the stored item says. */
function readsForOthers(subject: Subject, write: WritePattern, step: WriteStep): Finding[] {
  const { facts } = subject;
  if (!readsItem(facts, placementsOf(subject, step.entity), step)) return [];
  const unique = facts.uniqueAttributes(step.entity);
  const what =
    unique.length > 0
      ? `the guard of ${unique.join(', ')} lies under the value that the item has`
      : 'its copy lies where the item says';
  return [
    finding('read-before-write', `write ${write.name}`, {
      severity: 'note',
      message: `${what}: it must read the ${step.entity} first, and is tried again if that changes meanwhile`,
      fix:
        unique.length > 0
          ? `Expect two calls, or let ${unique.join(', ')} never change and be part of the identity.`
          : 'Expect two calls, or read eventually from an index instead of strongly from a copy.',
    }),
  ];
}

function transactions({ forecast }: Subject, write: WritePattern): Finding[] {
  const own = forecast.writes.find(({ pattern }) => pattern === write);
  const where = `write ${write.name}`;
  if (own === undefined) return [];
  if (!write.atomic) {
    if (own.items <= requestLimits.batchWriteRequestsMax) return [];
    return [
      finding('batch-size', where, {
        message: `${amount(own.items)} items take ${Math.ceil(own.items / requestLimits.batchWriteRequestsMax)} batches of 25`,
        number: { value: own.items, limit: requestLimits.batchWriteRequestsMax, unit: 'items' },
        fix: 'Retry the unprocessed items of each batch, and expect that readers see some of them first.',
      }),
    ];
  }
  const found: Finding[] = [];
  if (own.items > requestLimits.transactionItemsMax)
    found.push(
      finding('transaction-size', where, {
        message: `its transaction has ${amount(own.items)} items with satellites and copies, and 100 is the limit`,
        number: { value: own.items, limit: requestLimits.transactionItemsMax, unit: 'items' },
        fix: 'Write the parent first and mark it complete last, or make fewer items of it.',
      }),
    );
  if (own.bytes > requestLimits.transactionBytesMax)
    found.push(
      finding('transaction-size', where, {
        message: `its transaction may reach ${bytesText(own.bytes)}, and 4 MB is the limit`,
        number: { value: own.bytes, limit: requestLimits.transactionBytesMax, unit: 'bytes' },
        fix: 'Keep large attributes out of the transaction.',
      }),
    );
  if (own.items === 1 && write.idempotency === undefined)
    found.push(
      finding('needless-transaction', where, {
        message: 'its transaction has one item, and costs twice what a conditional write does',
        number: { value: 1, limit: 2, unit: 'items' },
        fix: 'Write it without a transaction; a condition is atomic by itself.',
      }),
    );
  return found;
}

function retries(write: WritePattern): Finding[] {
  const counts = write.steps.filter((step) => step.kind === 'count');
  if (counts.length === 0 || write.idempotency !== undefined) return [];
  // A step that can succeed only once makes the whole transaction succeed once.
  if (write.atomic && write.steps.some((step) => step.kind === 'create' && step.once)) return [];
  return [
    finding('retry-counts-twice', `write ${write.name}`, {
      message: `it adds to ${counts.map((step) => `${step.entity}.${step.attribute}`).join(', ')}; a retry after a lost answer adds again`,
      fix: 'Remember the command (idempotency), or create an item once in the same transaction.',
    }),
  ];
}

/** Beyond three index units for one table unit a reviewer wants to know. */
const amplificationMax = 3;

function amplification({ forecast }: Subject): Finding[] {
  return forecast.writes.flatMap(({ pattern, tableUnits, indexUnits }) => {
    const units = [...indexUnits.values()].reduce((sum, one) => sum + one, 0);
    const factor = tableUnits === 0 ? 0 : units / tableUnits;
    if (factor <= amplificationMax) return [];
    const parts = [...indexUnits].filter(([, one]) => one > 0).map(([name, one]) => `${name} ${amount(one)}`);
    return [
      finding('write-amplification', `write ${pattern.name}`, {
        message: `${amount(tableUnits)} units on the table cost ${amount(units)} more on indexes (${parts.join(', ')}): ${amount(factor)} times as much`,
        number: { value: factor, limit: amplificationMax, unit: 'index units for each table unit' },
        fix: 'Project less, keep attributes that change often out of index keys, or serve a pattern from the table.',
      }),
    ];
  });
}

/** Copied attributes whose source changes, and nobody follows. */
function copies({ model, facts }: Subject): Finding[] {
  return model.entities.flatMap((entity) =>
    entity.attributes.flatMap(({ name, copyOf }) => {
      if (copyOf === undefined) return [];
      const source = facts.entity(copyOf.entity);
      const writers = model.writes.filter(({ steps }) =>
        steps.some((step) => step.entity === source.name && changedBy(source, step).has(copyOf.attribute)),
      );
      if (writers.length === 0) return [];
      const where = `entity ${entity.name}`;
      const told = `"${name}" copies ${copyOf.entity}.${copyOf.attribute}, which ${writers.map((one) => one.name).join(', ')} changes`;
      if (copyOf.refreshedBy === 'never')
        return [
          finding('stale-copy', where, {
            message: `${told}, and nobody refreshes it`,
            fix: "Refresh it from the stream or in the same transaction: copy(…, 'stream').",
          }),
        ];
      if (copyOf.refreshedBy === 'stream') {
        const consumed = model.environment.streams.some(({ entities }) => entities.includes(source.name));
        if (consumed) return [];
        return [
          finding('stale-copy', where, {
            message: `${told}; the stream should refresh it, but no consumer reads ${source.name}`,
            fix: `Declare the consumer under streams, with ${source.name} among its entities.`,
          }),
        ];
      }
      const apart = writers.filter(
        ({ atomic, steps }) => !atomic || !steps.some((step) => step.entity === entity.name),
      );
      if (apart.length === 0) return [];
      return [
        finding('stale-copy', where, {
          message: `${told}; a transaction should refresh it, but ${apart.map((one) => one.name).join(', ')} does not write ${entity.name}`,
          fix: `Change ${entity.name} in the same transaction, or refresh it from the stream.`,
        }),
      ];
    }),
  );
}
