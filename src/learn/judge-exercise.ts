import { Bench, type BenchOptions, type StepResult, StopJudging } from './bench.ts';
import type { Exercise } from './exercise.ts';

/** How an attempt went: the steps up to the first that did not pass. */
export interface Attempt {
  readonly passed: boolean;
  readonly steps: readonly StepResult[];
}

export async function judgeExercise(exercise: Exercise, options: BenchOptions): Promise<Attempt> {
  const bench = new Bench(options);
  try {
    await exercise.judge(bench);
    return { passed: true, steps: bench.steps };
  } catch (error) {
    if (!(error instanceof StopJudging)) throw error;
    return { passed: false, steps: bench.steps };
  } finally {
    await bench.close();
  }
}
