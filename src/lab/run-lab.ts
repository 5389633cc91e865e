import { describeBasis } from '../physics/cost.ts';
import type { LabReport, RunReport } from './lab-report.ts';
import type { LabSource } from './lab-source.ts';
import { labCostBasis } from './report-run.ts';
import { type LabRunOptions, runSource } from './run-source.ts';
import type { IncludedScenario } from './story.ts';

export interface Lab {
  readonly name: string;
  readonly description: string;
  /** The variants, in the order in which they are run. */
  readonly sources: readonly LabSource[];
  readonly story?: IncludedScenario['story'] | undefined;
}

export interface LabOptions extends Omit<LabRunOptions, 'onProgress'> {
  /** Of which variant how much is over, and how many requests were made. */
  readonly onProgress?: (variant: string, share: number, requests: number) => void;
}

/** Runs all variants of a laboratory, one after the other. The same seed gives the same report. */
export async function runLab(lab: Lab, { onProgress, ...options }: LabOptions): Promise<LabReport> {
  const runs: RunReport[] = [];
  let before = 0;
  for (const [at, source] of lab.sources.entries()) {
    let made = 0;
    const run = await runSource(source, {
      ...options,
      onProgress: (share, requests) => {
        made = requests;
        onProgress?.(source.name, (at + share) / lab.sources.length, before + requests);
      },
    });
    before += made;
    runs.push(run);
  }
  return {
    format: 'stator-lab-report/1',
    scenario: lab.name,
    description: lab.description,
    seed: options.seed,
    scale: options.scale,
    runs,
    story: lab.story?.(runs) ?? [],
    basis: describeBasis(labCostBasis),
  };
}
