/** A scenario that cannot be run: what is wrong, where, and in which line of its file if that is known. */
export class ScenarioError extends Error {
  override readonly name = 'ScenarioError';
  readonly line: number | undefined;

  constructor(message: string, line?: number) {
    super(line === undefined ? message : `line ${line}: ${message}`);
    this.line = line;
  }
}
