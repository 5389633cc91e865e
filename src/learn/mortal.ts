import { type Caller, operations } from './caller.ts';
import { Lesson } from './lesson.ts';

const killed = 'The process was killed';

/**
 * The database as a process sees it that is killed after so many requests. Later ones do not arrive, also those that would
 * undo what was done.
 */
export function mortal(caller: Caller, requests: number): Caller {
  let left = requests;
  return operations((operation, request) =>
    left-- > 0 ? caller[operation](request) : Promise.reject(new Lesson({ saw: killed })),
  );
}

/** Runs a function of the learner to its end, or until its process is killed. */
export async function untilKilled<Answer>(run: () => Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof Lesson) || error.saw !== killed) throw error;
    return undefined;
  }
}
