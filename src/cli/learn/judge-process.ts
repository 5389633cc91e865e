import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findPlace } from '../../learn/course.ts';
import { asLesson } from '../../learn/explain-error.ts';
import { judgeExercise } from '../../learn/judge-exercise.ts';
import { machine } from '../../runtime/machine/machine.ts';
import { importModule } from '../import-file.ts';
import type { FromJudge, ToJudge } from './check-messages.ts';

const runFile = promisify(execFile);

/** Node tells the line of a syntax error when it checks a file, but not in the error of an import. */
async function located(error: SyntaxError, path: string): Promise<SyntaxError> {
  const told = await runFile(process.execPath, ['--check', path]).catch(
    ({ stderr }: { stderr?: string }) => stderr,
  );
  const line = typeof told === 'string' ? /^[^\n]*:(\d+)\n/.exec(told)?.[1] : undefined;
  // Where the stack would name it, if the engine did.
  if (line !== undefined) error.stack = `${error.stack}\n    at ${path}:${line}`;
  return error;
}

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
      load: (path: string, version?: number) =>
        importModule(path, version).catch(async (error: unknown) => {
          throw error instanceof SyntaxError ? await located(error, path) : error;
        }),
      onStep: (step: string) => tell({ step }),
    };
    const { exercise } = findPlace(id)!;
    file = exercise.files[0]!;
    judgeExercise(exercise, options).then(
      // One turn later, so that a promise that failed unseen is told first.
      (attempt) => machine.soon(() => end({ attempt })),
      (error: unknown) =>
        end({ defect: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
  });
  tell({ ready: true });
  return new Promise(() => {});
}
