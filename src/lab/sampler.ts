import { count } from '../report/figures.ts';
import type { LabDatabase } from './lab-database.ts';
import type { Moments } from './moments.ts';

interface Piece {
  readonly id: number;
  readonly place: number;
}

/** What is looked at on a table or index at the end of every interval. */
export interface ArmSamples {
  readonly mode: 'on-demand' | 'provisioned';
  readonly partitionsBefore: number;
  readonly readCapacity: number[];
  readonly writeCapacity: number[];
  /** Provisioned units by interval; undefined on demand. */
  readonly provisioned: ({ readonly read: number; readonly write: number } | undefined)[];
  /** The partitions by interval. */
  readonly maps: (readonly Piece[])[];
  readonly keys: Map<number, { name: string | undefined; read: number; write: number; refused: number }>;
  events: number;
  provisionedNow: { readonly read: number; readonly write: number } | undefined;
}

/** Looks at the physical state of all tables and indexes while a run goes on. */
export class Sampler {
  readonly arms = new Map<string, ArmSamples>();
  readonly #database: LabDatabase;
  readonly #moments: Moments;

  constructor(database: LabDatabase, moments: Moments) {
    this.#database = database;
    this.#moments = moments;
    for (const { name, indexNames } of database.tables)
      for (const arm of [name, ...indexNames.map((index) => `${name}/${index}`)]) {
        const resource = database.resource(arm);
        if (resource === undefined) continue;
        this.arms.set(arm, {
          mode: resource.isOnDemand ? 'on-demand' : 'provisioned',
          partitionsBefore: resource.map.count,
          ...{ readCapacity: [], writeCapacity: [], provisioned: [], maps: [] },
          ...{ keys: new Map(), events: resource.events.length, provisionedNow: undefined },
        });
      }
    this.capacities();
  }

  /** At the end of an interval. `minuteSeconds`: how much of a minute is over, if the loads of its keys are wanted. */
  sample(minuteSeconds: number | undefined): void {
    const { db, meter } = this.#database;
    const nowMs = db.engine.capacity.nowMs();
    for (const [arm, samples] of this.arms) {
      const resource = this.#database.resource(arm);
      if (resource === undefined) continue;
      resource.advance(nowMs);
      const { map, throughput } = resource;
      const now =
        throughput.mode === 'PROVISIONED' ? { read: throughput.read, write: throughput.write } : undefined;
      samples.provisioned.push(now);
      samples.readCapacity.push(resource.capacity(false));
      samples.writeCapacity.push(resource.capacity(true));
      samples.maps.push(
        Array.from({ length: map.count }, (_, at) => ({ id: map.idAt(at), place: map.entry(at).place })),
      );
      for (const { atMs, what } of resource.events.slice(samples.events)) {
        if (atMs > 0) this.#moments.add('partition', `${arm}: ${what}.`, atMs);
      }
      samples.events = resource.events.length;
      const record = meter.arms.get(arm);
      this.#moments.quiet(
        arm,
        (record?.throttles.slice(-2) ?? []).every((refused) => refused === 0),
      );
      if (minuteSeconds !== undefined) this.#sampleKeys(arm, samples, nowMs, minuteSeconds);
    }
  }

  /** Tells of capacities that were set since the last look. */
  capacities(): void {
    for (const [arm, samples] of this.arms) {
      const throughput = this.#database.resource(arm)?.throughput;
      if (throughput?.mode !== 'PROVISIONED') continue;
      const { provisionedNow: before } = samples;
      samples.provisionedNow = { read: throughput.read, write: throughput.write };
      if (before === undefined) continue;
      for (const access of ['read', 'write'] as const)
        if (before[access] !== throughput[access])
          this.#moments.add(
            'capacity',
            `Auto scaling sets the ${access} capacity of ${arm} from ${count(before[access])} to ${count(throughput[access])}.`,
          );
    }
  }

  /** The loads of keys in the minute that is over. */
  keys(): void {
    const nowMs = this.#database.db.engine.capacity.nowMs();
    for (const [arm, samples] of this.arms)
      if (this.#database.resource(arm) !== undefined) this.#sampleKeys(arm, samples, nowMs, 60);
  }

  #sampleKeys(arm: string, samples: ArmSamples, nowMs: number, seconds: number): void {
    const { model } = this.#database.db.engine.capacity;
    const resource = this.#database.resource(arm)!;
    for (const { place, name, readUnits, writeUnits, refused } of model.hotKeys(resource, 10, nowMs)) {
      const known = samples.keys.get(place);
      // A refused request is taken for one unit of what the key mostly takes: its size is not known.
      const isRead = readUnits > writeUnits;
      const read = (readUnits + (isRead ? refused : 0)) / seconds;
      const write = (writeUnits + (isRead ? 0 : refused)) / seconds;
      if (known === undefined) samples.keys.set(place, { name, read, write, refused });
      else {
        known.name ??= name;
        known.read = Math.max(known.read, read);
        known.write = Math.max(known.write, write);
        known.refused += refused;
      }
    }
  }
}
