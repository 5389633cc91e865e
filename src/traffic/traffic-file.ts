/**
 * Traffic as a file: JSON lines, the first of which says what the others are. The recorder writes it, the workload runner
 * reads it; docs/design/traffic.md is the specification.
 */
const trafficFormat = 'stator-traffic/1';

export interface TrafficHeader {
  readonly format: typeof trafficFormat;
  /** `calls`: patterns of a model with their values. `requests`: requests of DynamoDB's API. */
  readonly kind: 'calls' | 'requests';
  /** When the first line's clock began: ISO-8601. */
  readonly startedAt: string;
  /** The model whose patterns are called. */
  readonly model?: string;
  /** Whether the values are those that were sent, or digests of them in their place. */
  readonly values: 'plain' | 'hashed';
  /** Tables that requests name, as DescribeTable shows them, as far as they were seen. */
  readonly tables?: readonly object[];
  /** Anything else that the writer wants to say. */
  readonly note?: string;
}

/** A call of a pattern. */
export interface CallLine {
  /** Milliseconds from the start. */
  readonly at: number;
  readonly pattern: string;
  readonly given: Readonly<Record<string, unknown>>;
  /** Bounds of a read, and the idempotency of a write. */
  readonly options?: Readonly<Record<string, unknown>>;
}

/** A request as it was sent, and what became of it. */
export interface RequestLine {
  readonly at: number;
  readonly op: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly region?: string;
  /** The access pattern that the caller named. */
  readonly pattern?: string;
  /** The name of the error, if it was refused. */
  readonly error?: string;
  readonly readUnits?: number;
  readonly writeUnits?: number;
  readonly items?: number;
  readonly ms?: number;
}

export type TrafficLine = CallLine | RequestLine;

/** A traffic file that cannot be used, with the line. */
export class TrafficError extends Error {
  constructor(line: number, message: string) {
    super(`line ${line}: ${message}`);
    this.name = 'TrafficError';
  }
}

export function writeHeader(header: Omit<TrafficHeader, 'format'>): string {
  return `${JSON.stringify({ format: trafficFormat, ...header })}\n`;
}

export function writeLine(line: TrafficLine): string {
  return `${JSON.stringify(line, withBytes)}\n`;
}

/** Bytes and sets have no place in JSON of their own. */
function withBytes(_name: string, value: unknown): unknown {
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString('base64') };
  return value instanceof Set ? { $set: [...value] } : value;
}

function fromBytes(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { $bytes, $set } = value as { readonly $bytes?: unknown; readonly $set?: unknown };
  if (typeof $bytes === 'string') return new Uint8Array(Buffer.from($bytes, 'base64'));
  return Array.isArray($set) ? new Set($set) : value;
}

const lineCharactersMax = 8 * 1024 * 1024;

export interface TrafficFile {
  readonly header: TrafficHeader;
  /** The lines in the order of the file. May be gone through once. */
  readonly lines: AsyncIterable<TrafficLine>;
}

/** Reads a file from pieces of its text. Everything that does not fit is refused with its line. */
export async function readTraffic(text: AsyncIterable<string | Uint8Array>): Promise<TrafficFile> {
  const lines = numbered(text);
  const first = await lines.next();
  if (first.done) throw new TrafficError(1, 'the file is empty');
  const header = headerOf(first.value.text);
  return { header, lines: linesOf(header, lines) };
}

async function* linesOf(
  header: TrafficHeader,
  lines: AsyncIterable<{ readonly number: number; readonly text: string }>,
): AsyncIterable<TrafficLine> {
  let last = 0;
  for await (const { number, text } of lines) {
    const line = parsed(number, text) as Partial<CallLine & RequestLine>;
    if (typeof line.at !== 'number' || !Number.isFinite(line.at) || line.at < 0)
      throw new TrafficError(number, '"at" must be milliseconds from the start');
    if (line.at < last) throw new TrafficError(number, `"at" is ${line.at}, but the line before has ${last}`);
    last = line.at;
    const [name, values] =
      header.kind === 'calls' ? (['pattern', 'given'] as const) : (['op', 'input'] as const);
    if (typeof line[name] !== 'string' || line[name] === '')
      throw new TrafficError(number, `"${name}" is missing`);
    if (typeof line[values] !== 'object' || line[values] === null || Array.isArray(line[values]))
      throw new TrafficError(number, `"${values}" must be an object`);
    yield line as TrafficLine;
  }
}

function headerOf(text: string): TrafficHeader {
  const header = parsed(1, text) as Partial<TrafficHeader>;
  if (header.format !== trafficFormat)
    throw new TrafficError(1, `the format is ${JSON.stringify(header.format)}, not "${trafficFormat}"`);
  if (header.kind !== 'calls' && header.kind !== 'requests')
    throw new TrafficError(1, '"kind" must be "calls" or "requests"');
  if (typeof header.startedAt !== 'string' || Number.isNaN(Date.parse(header.startedAt)))
    throw new TrafficError(1, '"startedAt" must be a time');
  if (header.values !== 'plain' && header.values !== 'hashed')
    throw new TrafficError(1, '"values" must be "plain" or "hashed"');
  return header as TrafficHeader;
}

function parsed(line: number, text: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text, fromBytes);
  } catch (error) {
    throw new TrafficError(line, `it is no JSON: ${(error as Error).message}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TrafficError(line, 'it must be a JSON object');
  return value;
}

async function* numbered(
  text: AsyncIterable<string | Uint8Array>,
): AsyncGenerator<{ readonly number: number; readonly text: string }, void> {
  const decoder = new TextDecoder();
  let number = 0;
  let open = '';
  for await (const piece of text) {
    open += typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true });
    const lines = open.split('\n');
    open = lines.pop()!;
    for (const line of lines) {
      number++;
      if (line.trim() !== '') yield { number, text: line };
    }
    if (open.length > lineCharactersMax) throw new TrafficError(number + 1, 'it is longer than 8 MB');
  }
  open += decoder.decode();
  if (open.trim() !== '') yield { number: number + 1, text: open };
}
