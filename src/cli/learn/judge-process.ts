import { findPlace } from '../../learn/course.ts';
import { asLesson } from '../../learn/explain-error.ts';
import { judgeExercise } from '../../learn/judge-exercise.ts';
import { importModule } from '../import-file.ts';
import type { FromJudge, ToJudge } from './check-messages.ts';

/**
 * Runs in a process of its own: judges one exercise, tells the steps, and ends the process. It never answers: a command that
 * has answered is ended soon after, and a check may take longer than that.
 */
export async function runJudge(): Promise<never> {
  let isEnding = false;
  const tell = (message: FromJudge) => process.send?.(message);
  /** The first of the endings counts. The process waits until it is sent. */
  const end = (message: FromJudge) => {
    if (isEnding) return;
    isEnding = true;
    process.send?.(message, () => process.exit());
  };
  // Whoever started this process is gone: nobody waits for the answer.
  process.on('disconnect', () => process.exit());
  let file = '';
  const lose = (error: unknown) =>
    end({ lost: asLesson(error, file, 'Your code failed where nobody waited for it').saw });
  process.on('unhandledRejection', lose);
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', lose);
  process.once('message', ({ exercise: id, folder }: ToJudge) => {
    const options = {
      folder,
      load: (path: string, version?: number) => importModule(path, version),
      onStep: (step: string) => tell({ step }),
    };
    const { exercise } = findPlace(id)!;
    file = exercise.files[0]!;
    judgeExercise(exercise, options).then(
      // One turn later, so that a promise that failed unseen is told first.
      (attempt) => void setImmediate(() => end({ attempt })),
      (error: unknown) =>
        end({ defect: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
  });
  tell({ ready: true });
  return new Promise(() => {});
}
