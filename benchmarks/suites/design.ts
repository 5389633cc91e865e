import { readFileSync } from 'node:fs';
import { check, derive } from '../../src/design/index.ts';
import type { Model } from '../../src/design/ir.ts';
import { readModel } from '../../src/design/json/read-model.ts';
import { proveDesign } from '../../src/prove/prove-design.ts';
import { largeModel } from '../../tests/design/large-model.ts';
import { atLeast, atMost, type Finding, type Suite, seen, suiteOf } from '../suite.ts';

/** Milliseconds for derivation and static proof together, by entities; there are four patterns for each. */
const bars = [
  { entities: 10, most: 50 },
  { entities: 50, most: 1_000 },
] as const;

const requestsPerSecondMin = 30_000;

const models = ['orders', 'cases', 'ecommerce', 'feed', 'saas', 'parcels'] as const;

/** Derivation with the static proof, and the peak of the dynamic proof in simulated time. */
export const design: Suite = suiteOf({ derive: deriving, prove: proving });

/** The first run of a process compiles; the median of the later ones is what an editor or a watch sees. */
async function deriving(...[options, onProgress]: Parameters<Suite>): ReturnType<Suite> {
  const rounds = options.rounds ?? (options.small ? 1 : 15);
  const findings: Finding[] = [];
  for (const { entities, most } of bars) {
    onProgress(`derive and check, ${entities} entities`);
    const model = largeModel(entities);
    const patterns = model.reads.length;
    const times = Array.from({ length: rounds + 1 }, () => {
      const started = performance.now();
      check(model, derive(model));
      return performance.now() - started;
    });
    const what = `derive and check, ${entities} entities and ${patterns} read patterns`;
    findings.push(seen(`${what}, first run`, times[0]!, 'ms'));
    findings.push(atMost(`${what}, median`, median(times.slice(1)), most, 'ms'));
  }
  return { findings, tables: [], notes: [] };
}

/** Requests that the engine answers under enforced physics, for each second of the machine, in one process. */
async function proving(...[options, onProgress]: Parameters<Suite>): ReturnType<Suite> {
  const rounds = options.rounds ?? (options.small ? 1 : 3);
  const findings: Finding[] = [];
  const rows: string[][] = [];
  for (const name of options.small ? models.slice(0, 1) : models) {
    const file = new URL(`../../examples/models/${name}/model.json`, import.meta.url);
    const model: Model = readModel(readFileSync(file, 'utf8'));
    const rates: number[] = [];
    let requests = 0;
    for (let round = 0; round < rounds; round++) {
      onProgress(`the peak of ${name}, round ${round + 1} of ${rounds}`);
      const proof = await proveDesign(model, undefined, {
        calls: 1,
        instances: options.small ? 500 : 20_000,
        seconds: options.seconds ?? (options.small ? 1 : 30),
        seed: options.seed,
      });
      requests = proof.peak!.requests;
      rates.push(proof.peak!.requestsPerSecond);
    }
    rows.push([name, requests.toLocaleString('en'), Math.round(median(rates)).toLocaleString('en')]);
    findings.push(
      atLeast(`the peak of ${name}, requests a second`, median(rates), requestsPerSecondMin, 'requests/s'),
    );
  }
  const table = {
    title: 'The declared peak in simulated time',
    head: ['model', 'requests', 'requests/s'],
    rows,
  };
  return { findings, tables: [table], notes: [] };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)]!;
}
