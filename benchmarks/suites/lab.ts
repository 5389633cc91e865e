import { includedScenario } from '../../src/lab/included.ts';
import { LabDatabase } from '../../src/lab/lab-database.ts';
import { scenarioSource } from '../../src/lab/lab-source.ts';
import { laidOver, variantsOf } from '../../src/lab/lay-over.ts';
import { runSource, type SentRequest } from '../../src/lab/run-source.ts';
import { collectGarbage, median } from '../compare.ts';
import { grouped } from '../report.ts';
import { atLeast, atMost, type Suite, suiteOf } from '../suite.ts';

/** The mix of `hot-counter`'s sharded variant: updates and queries that nothing throttles. */
function mix(seconds: number) {
  const { scenario } = includedScenario('parcels')!;
  const { scenario: sharded } = variantsOf(scenario).find(({ name }) => name === 'sharded')!;
  const { milestone: _, ...patterns } = sharded.patterns;
  return scenarioSource({ ...laidOver(sharded, { seconds }), patterns }, 'mix', '');
}

/** Requests a second of CPU time, so that other work on the machine does not count. */
async function measured(work: () => Promise<number>): Promise<number> {
  collectGarbage();
  const before = process.cpuUsage();
  const requests = await work();
  const { user, system } = process.cpuUsage(before);
  return requests / ((user + system) / 1_000_000);
}

const rate: Suite = async ({ small, seed, rounds = small ? 1 : 3, seconds = small ? 1 : 15 }, onProgress) => {
  const source = mix(seconds);
  const sent: SentRequest[] = [];
  await runSource(source, { seed, scale: 1, onSent: (one) => sent.push(one) });
  const shares: number[] = [];
  const rows: string[][] = [];
  for (let round = small ? 0 : -1; round < rounds; round++) {
    onProgress(`round ${round + 1} of ${rounds}`);
    const plain = await measured(async () => {
      const database = new LabDatabase(source.tables, { seed, startMs: source.startMs, physics: 'off' });
      await database.createTables();
      await source.load(database);
      const methods = database.db as unknown as Record<string, (input: object) => Promise<unknown>>;
      for (const { request } of sent) {
        const { operation } = request;
        await methods[operation.charAt(0).toLowerCase() + operation.slice(1)]!(request.input);
      }
      await database.close();
      return sent.length;
    });
    const lab = await measured(async () => (await runSource(source, { seed, scale: 1 })).totals.requests);
    if (round < 0) continue;
    shares.push(lab / plain);
    rows.push([
      String(round + 1),
      grouped(Math.round(plain)),
      grouped(Math.round(lab)),
      (lab / plain).toFixed(2),
    ]);
  }
  return {
    findings: [atLeast('the laboratory beside plain methods without physics', median(shares), 0.4)],
    tables: [
      {
        title: `Requests for a second of CPU time, ${grouped(sent.length)} of the sharded parcel mix`,
        head: ['round', 'plain methods, physics off', 'laboratory', 'share'],
        rows,
      },
    ],
    notes: ['Both load the same items first; that is in both figures.'],
  };
};

const incident: Suite = async ({ small, seed }, onProgress) => {
  const { scenario } = includedScenario('parcels')!;
  let simulated = 0;
  let requests = 0;
  const start = performance.now();
  const before = process.cpuUsage();
  for (const { name, change, scenario: laid } of variantsOf(scenario)) {
    onProgress(name);
    const seconds = small ? 1 : laid.seconds;
    simulated += seconds;
    const run = await runSource(scenarioSource(laidOver(laid, { seconds }), name, change), {
      seed,
      scale: 1,
    });
    requests += run.totals.requests;
  }
  const wall = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(before);
  return {
    findings: [atMost('the parcel incident with both fixes, ten simulated minutes', wall, 90, 's')],
    tables: [
      {
        title: 'The parcel incident',
        head: ['simulated seconds', 'requests', 'seconds', 'CPU seconds'],
        rows: [
          [String(simulated), grouped(requests), wall.toFixed(1), ((user + system) / 1_000_000).toFixed(1)],
        ],
      },
    ],
    notes: [],
  };
};

/** How fast the laboratory simulates. */
export const lab: Suite = suiteOf({ rate, incident });
