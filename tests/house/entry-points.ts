/** What a source file does that could answer a request without asking an authorizer. */
export interface EntryPoint {
  readonly path: string;
  readonly what: EntryKind;
}

export type EntryKind = keyof typeof signs;

/** How each kind of entry point looks in the source. */
const signs = {
  /** Gives a request to an operation, or a whole request to the handler. */
  'calls operations': /\.handle\(/,
  /** Turns bytes into requests. */
  'makes a request handler': /new (?:RequestHandler|HttpServer)\(/,
  /** Makes a caller whom nothing is asked about. */
  'asks no authorizer': /\bauthorize: undefined\b/,
  /** Makes callers. */
  'makes callers': /\bimplements Caller\b|\bprocessCaller\(/,
  /** Takes touches and answers around the road of a request. */
  'leaves the road': /\bopenRoad\b/,
  /** Answers paths of the control API. */
  'serves a resource': /^\s*path: \[/m,
} as const;

/** The entry points in the text of a source file. */
export function entryPointsOf(path: string, text: string): readonly EntryPoint[] {
  // Comments name the same things.
  const code = text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
  const kinds = Object.keys(signs) as EntryKind[];
  return kinds.filter((what) => signs[what].test(code)).map((what) => ({ path, what }));
}
