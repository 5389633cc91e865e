import type { Moment, PatternReport, RunReport, StoryRow } from './lab-report.ts';
import type { Scenario } from './scenario.ts';

/** A scenario that comes with Stator, and how its story is told with the figures of its runs. */
export interface IncludedScenario {
  readonly scenario: Scenario;
  story(runs: readonly RunReport[]): StoryRow[];
}

export function runNamed(runs: readonly RunReport[], name: string): RunReport | undefined {
  return runs.find((run) => run.name === name);
}

export function patternOf(run: RunReport, name: string): PatternReport | undefined {
  return run.patterns.find(({ pattern }) => pattern === name);
}

export function firstMoment(run: RunReport | undefined, kind: Moment['kind'], text = ''): Moment | undefined {
  return run?.moments.find((moment) => moment.kind === kind && moment.text.includes(text));
}

/** The time of day of a moment; that of the run's start if it did not come. */
export function timeOf(moment: Moment | undefined, run: RunReport): string {
  return (moment?.at ?? run.startAt).slice(11, 19);
}
