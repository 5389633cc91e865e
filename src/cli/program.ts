import { machine } from '../runtime/machine/machine.ts';
import { exitCodes, Failure } from './failure.ts';
import { Output } from './output.ts';
import { runCommand } from './run-command.ts';

/** Runs the command that the process was started with. */
export function runProgram(): void {
  // The only place that reads the process's arguments and environment: everything else is handed them.
  const { env, stdout, stderr } = process;
  const args = process.argv.slice(2);

  function newOutput(choices: { readonly json: boolean; readonly quiet: boolean }): Output {
    return new Output({
      ...choices,
      out: stdout,
      err: stderr,
      now: machine.now,
      colour: env.NO_COLOR === undefined || env.NO_COLOR === '',
      debug: env.STATOR_DEBUG === '1',
    });
  }
  /** Errors are told in the form that the command has chosen, once it knows its settings. */
  let latestOutput = newOutput({ json: args.includes('--json'), quiet: false });

  // Whoever read our output is gone, as after `stator --help | head`; that must not end a server. Commands that only print
  // look at `isUnread`.
  for (const stream of [stdout, stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      if (stream === stdout) latestOutput.becomeUnread();
    });

  process.on('uncaughtException', (error) => {
    latestOutput.defect(error);
    // What is in an unknown state must not go on; the text is let out first.
    stderr.write('', () => process.exit(exitCodes.failure));
  });

  runCommand({
    args,
    environment: env,
    directory: process.cwd(),
    output(choices) {
      latestOutput = newOutput(choices);
      return latestOutput;
    },
  })
    .catch((error: unknown) => {
      if (error instanceof Failure) latestOutput.failure(error);
      else latestOutput.defect(error);
      process.exitCode = error instanceof Failure ? error.exitCode : exitCodes.failure;
    })
    // The process ends by itself once its output is written. Something that a user's script left running must not keep
    // it: this timer alone does not, and is only reached when something else does.
    .finally(() => machine.after(1_000, () => process.exit()));
}
