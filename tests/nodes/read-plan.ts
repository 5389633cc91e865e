/** The major versions of Node that Stator supports; `engines` of package.json begins with the first. */
export const supportedMajors: readonly number[] = [20, 22, 24];

export interface Plan {
  readonly majors: readonly number[];
  /** What Vitest is asked to run: its options and parts of paths. */
  readonly vitestArguments: readonly string[];
}

/** Reads the command line: which versions to run with, all but the running one unless told, and Vitest's part. */
export function readPlan(args: readonly string[], running: number): Plan | Error {
  const others = supportedMajors.filter((major) => major !== running);
  if (args[0] !== '--only') return { majors: others, vitestArguments: args };
  const asked = (args[1] ?? '').split(',');
  const majors = asked.map(Number);
  if (!asked.every((text) => /^\d+$/.test(text)))
    return new Error(`--only takes major versions such as 22,24, and not '${args[1] ?? ''}'`);
  return { majors, vitestArguments: args.slice(2) };
}
