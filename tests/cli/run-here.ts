import { Failure } from '../../src/cli/failure.ts';
import { Output } from '../../src/cli/output.ts';
import { runCommand } from '../../src/cli/run-command.ts';

/** Runs a command in this process, which is much faster than starting one. It must not rely on signals. */
export async function runHere(
  directory: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  let out = '';
  let err = '';
  let code = 0;
  const sinkOf = (take: (text: string) => void) => ({ write: (text: string) => take(text) });
  const newOutput = (choices: { readonly json: boolean; readonly quiet: boolean }) =>
    new Output({
      ...choices,
      out: sinkOf((text) => {
        out += text;
      }),
      err: sinkOf((text) => {
        err += text;
      }),
      now: () => new Date(),
    });
  let output = newOutput({ json: args.includes('--json'), quiet: false });
  const before = process.exitCode;
  process.exitCode = undefined;
  try {
    await runCommand({
      // The AWS settings of whoever runs the tests are no business of theirs.
      ...{ args, directory, environment: { HOME: directory, ...environment } },
      output(choices) {
        output = newOutput(choices);
        return output;
      },
    });
    code = Number(process.exitCode ?? 0);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    output.failure(error);
    code = error.exitCode;
  } finally {
    process.exitCode = before;
  }
  return { code, out, err };
}
