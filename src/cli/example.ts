import { readFileSync } from 'node:fs';
import {
  compile,
  createTableRequests,
  type Design,
  derive,
  type Model,
  type Request,
  readModel,
  storedModel,
} from '../design/index.ts';
import type { Stator } from '../index.ts';
import { ModelFeed, type PatternTraffic } from '../workload/feed.ts';
import { Population } from '../workload/population.ts';
import { runWorkload } from '../workload/runner.ts';
import { sampleOf } from '../workload/scale-model.ts';
import { RealTimeline } from '../workload/timeline.ts';

export const exampleNames = ['orders', 'cases', 'ecommerce', 'feed', 'saas', 'parcels'] as const;
export type ExampleName = (typeof exampleNames)[number];

/** Enough to look around in. */
const instances = 2_000;
/** Calls a second of all patterns together, and for how long: a demonstration must not fill a disk. */
const callsPerSecond = 15;
const secondsMax = 3_600;

/** A loaded example, whose traffic can be started. */
export interface Example {
  readonly model: Model;
  readonly design: Design;
  readonly tables: readonly string[];
  /** Items that were put; 0 if the tables were there already. */
  readonly items: number;
  /** Calls patterns until the signal, for an hour at most. */
  play(signal: AbortSignal): Promise<void>;
}

/** Creates the tables of an example model and loads a sample of its populations. Tables that exist are left alone. */
export async function loadExample(db: Stator, name: ExampleName, signal: AbortSignal): Promise<Example> {
  // The models lie beside the package's description, two levels up for the sources and for the build alike.
  const file = new URL(`../../examples/models/${name}/model.json`, import.meta.url);
  const asked = readModel(readFileSync(file, 'utf8'));
  const design = derive(asked);
  const model = storedModel(asked, design);
  const compiled = compile(model, design);
  const population = new Population(sampleOf(model, instances), {
    seed: 1,
    era: { nowMs: db.nowMs(), days: 30 },
  });
  population.fill();
  const { TableNames = [] } = await db.listTables();
  const requests = createTableRequests(model, design);
  const isNew = !requests.some(({ TableName }) => TableNames.includes(TableName));
  let items = 0;
  if (isNew) {
    for (const request of requests) {
      await db.createTable(request as never);
      const AttributeName = compiled.ttlAttribute(request.TableName);
      if (AttributeName !== undefined)
        await db.updateTimeToLive({
          TableName: request.TableName,
          TimeToLiveSpecification: { AttributeName, Enabled: true },
        });
    }
    for (const [entity, kind] of population.kinds)
      for (const values of kind.instances) {
        if (values === undefined) continue;
        const { table, items: own } = compiled.itemsOf(entity, values);
        for (const Item of own) {
          signal.throwIfAborted();
          await db.putItem({ TableName: table, Item: Item as never }, { pattern: 'load the example' });
          items++;
        }
      }
  }
  const patterns = [...model.reads, ...model.writes];
  const all = patterns.reduce((sum, { rate }) => sum + rate.mean, 0);
  // Rare patterns are seen too.
  const traffic = Object.fromEntries(
    patterns.map(({ name: pattern, rate }): [string, PatternTraffic] => [
      pattern,
      { rate: Math.max(0.05, (rate.mean / all) * callsPerSecond) },
    ]),
  );
  const methods = db as unknown as Record<string, (input: object, options: object) => Promise<unknown>>;
  const send = ({ operation, input }: Request, pattern: string) =>
    methods[operation.charAt(0).toLowerCase() + operation.slice(1)]!(input, { pattern });
  return {
    model: asked,
    design,
    tables: requests.map(({ TableName }) => TableName),
    items,
    async play(stop) {
      const feed = new ModelFeed(population, compiled, { seconds: secondsMax, seed: 2, traffic });
      await runWorkload({
        timeline: new RealTimeline(),
        feed,
        send,
        seed: 2,
        inFlightMax: 100,
        signal: stop,
      });
    },
  };
}
