import type { CompiledDesign, Request, Round } from '../design/index.ts';
import {
  type CallLine,
  type RequestLine,
  TrafficError,
  type TrafficFile,
  type TrafficLine,
} from '../traffic/traffic-file.ts';
import type { Call } from './calls.ts';
import type { Feed, Job, Started } from './feed.ts';

/** The calls or requests of a traffic file, at their times; `speed` 2 plays them twice as fast. */
export async function trafficFeed(
  { header, lines }: TrafficFile,
  options: { readonly compiled?: CompiledDesign; readonly speed?: number } = {},
): Promise<Feed> {
  const { compiled, speed = 1 } = options;
  if (header.kind === 'calls' && compiled === undefined)
    throw new TrafficError(1, 'its calls are patterns of a model, which is not given');
  const jobs: Job[] = [];
  let number = 1;
  for await (const line of lines) {
    number++;
    jobs.push(jobOf(number, line, compiled, speed));
  }
  let at = 0;
  return { next: () => jobs[at++] };
}

function jobOf(number: number, line: TrafficLine, compiled: CompiledDesign | undefined, speed: number): Job {
  const atMs = line.at / speed;
  if ('op' in line) return { atMs, pattern: line.pattern ?? line.op, begin: () => ({ round: once(line) }) };
  const { pattern, given, options = {} } = line;
  if (!compiled!.reads.has(pattern) && !compiled!.writes.has(pattern))
    throw new TrafficError(number, `the model has no pattern "${pattern}"`);
  const begin = (): Started => ({
    round: compiled!.reads.has(pattern)
      ? compiled!.read(pattern, given as never, options)
      : compiled!.write(pattern, given as never, options),
  });
  return { atMs, pattern, begin };
}

/** A recorded request, sent as it was. */
function once({ op, input }: RequestLine): Round<unknown> {
  return { requests: [{ operation: op, input } as unknown as Request], next: () => ({ result: {} }) };
}

/** A call of a model's pattern as a line. */
export function callLine(atMs: number, call: Call, nowMs: number): CallLine {
  const at = Math.round(atMs * 1000) / 1000;
  const { pattern } = call;
  if (call.kind === 'read') {
    const isBounded = Object.values(call.bounds).some((one) => one !== undefined);
    return { at, pattern, given: call.given, ...(isBounded ? { options: { ...call.bounds } } : {}) };
  }
  const { command, token, given } = call;
  const options = { nowMs, ...(command ? { command } : {}), ...(token ? { token } : {}) };
  return { at, pattern, given, options };
}
