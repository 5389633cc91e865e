import { createReadStream, existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type CompiledDesign, compile, type Request, storedModel } from '../../design/index.ts';
import type { EndpointCaller } from '../../kit/endpoint-caller.ts';
import { forecastPatterns } from '../../prove/forecast-patterns.ts';
import { machine } from '../../runtime/machine/machine.ts';
import { readTraffic, TrafficError, writeHeader, writeLine } from '../../traffic/traffic-file.ts';
import { type Feed, ModelFeed, peakTraffic } from '../../workload/feed.ts';
import { Population } from '../../workload/population.ts';
import { runWorkload } from '../../workload/runner.ts';
import { sampleOf } from '../../workload/scale-model.ts';
import { RealTimeline } from '../../workload/timeline.ts';
import { callLine, trafficFeed } from '../../workload/traffic-feed.ts';
import type { CommandContext, Run } from '../command.ts';
import { Failure, UsageError } from '../failure.ts';
import { callFailure, openCaller } from '../open-caller.ts';
import { figure } from '../progress-text.ts';
import { realNames } from '../real-names.ts';
import type { Settings } from '../settings.ts';
import { StopSignals } from '../stop-signals.ts';
import { withBytes, withText } from '../wire-values.ts';
import { refuseUnwritable, writeWholeFiles } from '../write-output.ts';
import { designOf } from './given-design.ts';
import { patternReport, type RunReport, reportText, type Units } from './run-report.ts';
import { createTables, deleteTables, fillTables, type RunPlace } from './run-tables.ts';
import type { runOptions } from './run-verb.ts';

type RunSettings = Settings<typeof runOptions>;

/** A workload whose tables are ready. */
interface Workload {
  /** The model, or the traffic file. */
  readonly of: string;
  readonly feed: Feed;
  /** Items that were put. */
  readonly items: number;
  readonly forecast: ReadonlyMap<string, Units>;
  /** Patterns in the order of the model; others follow as they were first called. */
  readonly order: readonly string[];
  /** The time that its instances take for now. */
  readonly startMs: number;
}

/** How often it is told how far a run has come. */
const progressMs = 1_000;
/** Calls of each pattern that are drawn for the forecast. */
const forecastCalls = 300;

/** Calls the patterns of a model, or plays a traffic file, against an endpoint in real time. */
export const run: Run<typeof runOptions> = async (settings, context) => {
  const { output, directory } = context;
  const { record } = settings;
  refuseTogether(settings);
  if (record.value !== undefined) refuseUnwritable(resolve(directory, record.value), 'private');
  // Requests under way are never cut off: the report counts them.
  const caller = openCaller(settings, context.environment, new AbortController().signal);
  const created: string[] = [];
  const signals = new StopSignals();
  try {
    const workload =
      settings.traffic.value === undefined
        ? await modelWorkload(settings, context, { caller, signal: signals.asked, created })
        : await trafficWorkload(settings, context, settings.traffic.value);
    const lines: string[] = [];
    const report = await send(settings, context, workload, caller, signals.asked, lines);
    if (record.value !== undefined) {
      const startedAt = new Date(workload.startMs).toISOString();
      const header = writeHeader({ kind: 'calls', startedAt, model: workload.of, values: 'plain' });
      writeWholeFiles(new Map([[resolve(directory, record.value), header + lines.join('')]]), 'private');
      output.log('info', `Wrote ${lines.length} calls into ${record.value}.`);
    }
    output.result('run', { report }, (style) => reportText(report, style));
    if (report.interrupted) process.exitCode = 1;
    refuseLost(report);
  } catch (error) {
    if (signals.asked.aborted && !(error instanceof Failure))
      throw new Failure('Interrupted before the calls began.', undefined, error);
    throw callFailure(error, settings.endpoint.value);
  } finally {
    if (settings.cleanup.value && created.length > 0) {
      await deleteTables(caller, created, output);
      output.log('info', `Deleted ${created.join(' and ')}.`);
    }
    signals.release();
  }
};

function refuseTogether({ traffic, fill, cleanup, record, tables }: RunSettings): void {
  if (traffic.value === undefined) return;
  const others = { fill: fill.value, cleanup: cleanup.value, record: record.value, tables: tables.value };
  const [other] = Object.entries(others).find(([, given]) => given !== undefined && given !== false) ?? [];
  if (other !== undefined)
    throw new UsageError(
      `--${other} and --traffic exclude each other.`,
      'A traffic file is played at the tables that its requests name, as they are.',
    );
}

/** Tables that are created and filled, and calls that are drawn from the declared rates and skews. */
async function modelWorkload(
  settings: RunSettings,
  { operand, directory, output }: CommandContext,
  {
    caller,
    signal,
    created,
  }: { readonly caller: EndpointCaller; readonly signal: AbortSignal; readonly created: string[] },
): Promise<Workload> {
  const { model: asked, design } = await designOf(operand, directory, 'run', settings.design);
  const names = realNames(settings.tables.value, design.tables);
  const nameOf = (table: string) => names.get(table) ?? table;
  const model = storedModel(asked, design);
  const compiled = compile(model, design, { tableName: nameOf, returnConsumedCapacity: 'TOTAL' });
  const seed = settings.seed.value;
  const era = { nowMs: machine.nowMs(), days: 90 };
  output.progress('Drawing instances');
  const sample = sampleOf(model, settings.instances.value);
  const population = new Population(sample, { seed, era });
  population.fill();
  const place: RunPlace = { caller, compiled, nameOf, output, signal };
  await createTables(place, settings.fill.value, created);
  const items = await fillTables(place, population);
  const load = settings.load.value / 100;
  const rate = [...model.reads, ...model.writes].reduce((sum, each) => sum + each.rate.peak * load, 0);
  output.log(
    'info',
    `Put ${figure(items)} items. Now ${figure(rate)} calls a second for ${settings.seconds.value} s.`,
  );
  return {
    of: model.name,
    items,
    feed: new ModelFeed(population, compiled, {
      seconds: settings.seconds.value,
      seed,
      traffic: peakTraffic(model, load),
    }),
    // By the names of the design, whatever the tables are called.
    forecast: forecastPatterns(compile(model, design), sample, seed + 1, era, forecastCalls),
    order: [...model.reads, ...model.writes].map(({ name }) => name),
    startMs: era.nowMs,
  };
}

/** The calls or requests of a traffic file, at tables that are there. */
async function trafficWorkload(
  settings: RunSettings,
  { operand, directory }: CommandContext,
  given: string,
): Promise<Workload> {
  const path = resolve(directory, given);
  if (!existsSync(path)) throw new Failure(`There is no file ${path}.`);
  try {
    const file = await readTraffic(createReadStream(path));
    let compiled: CompiledDesign | undefined;
    if (file.header.kind === 'calls') {
      if (operand === undefined)
        throw new UsageError(`${given} holds calls of a model.`, 'Name the model file before --traffic.');
      const { model, design } = await designOf(operand, directory, 'run', settings.design);
      compiled = compile(storedModel(model, design), design, { returnConsumedCapacity: 'TOTAL' });
    }
    return {
      of: given,
      items: 0,
      feed: await trafficFeed(file, { ...(compiled && { compiled }), speed: settings.speed.value }),
      forecast: new Map(),
      order: compiled === undefined ? [] : [...compiled.reads.keys(), ...compiled.writes.keys()],
      startMs: Date.parse(file.header.startedAt),
    };
  } catch (error) {
    if (error instanceof TrafficError) throw new Failure(`${path}: ${error.message}`, undefined, error);
    throw error;
  }
}

async function send(
  settings: RunSettings,
  { output }: CommandContext,
  workload: Workload,
  caller: EndpointCaller,
  signal: AbortSignal,
  lines: string[],
): Promise<RunReport> {
  signal.throwIfAborted();
  const consumed = new Map<string, Units>();
  const timeline = new RealTimeline();
  let calls = 0;
  let toldMs = 0;
  const outcomes = await runWorkload({
    timeline,
    feed: workload.feed,
    seed: settings.seed.value,
    clients: settings.clients.value,
    retry: settings.retry.value,
    inFlightMax: settings.parallel.value,
    signal,
    async send(request, pattern) {
      const input = withText(request.input) as object;
      const answer = withBytes(await caller.callAs(pattern, request.operation, input)) as Charged;
      addUnits(consumed, pattern, request, answer);
      return answer;
    },
    onCall({ atMs }, { call }) {
      calls++;
      if (settings.record.value !== undefined && call !== undefined)
        lines.push(writeLine(callLine(atMs, call, workload.startMs + Math.floor(atMs))));
      if (timeline.nowMs() < toldMs) return;
      toldMs = timeline.nowMs() + progressMs;
      output.progress(`Second ${Math.floor(atMs / 1_000) + 1}: ${figure(calls)} calls made`);
    },
  });
  const placeOf = (pattern: string) => workload.order.indexOf(pattern) >>> 0;
  const inOrder = [...outcomes.values()].sort((a, b) => placeOf(a.pattern) - placeOf(b.pattern));
  return {
    format: 'stator-run/1',
    of: workload.of,
    endpoint: settings.endpoint.value,
    seconds: timeline.nowMs() / 1_000,
    items: workload.items,
    interrupted: signal.aborted,
    patterns: inOrder.map((one) =>
      patternReport(one, consumed.get(one.pattern), workload.forecast.get(one.pattern)),
    ),
  };
}

interface Charged {
  readonly ConsumedCapacity?: Capacity | readonly Capacity[];
}

interface Capacity {
  readonly CapacityUnits?: number;
}

const reading = /^(Get|Query|Scan|BatchGet|TransactGet)/;

function addUnits(
  consumed: Map<string, Units>,
  pattern: string,
  { operation }: Request,
  { ConsumedCapacity }: Charged,
): void {
  if (ConsumedCapacity === undefined) return;
  const units = [ConsumedCapacity].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
  const known = consumed.get(pattern) ?? { read: 0, write: 0 };
  known[reading.test(operation) ? 'read' : 'write'] += units;
  consumed.set(pattern, known);
}

/** A condition that did not hold is an answer; everything else that was not answered is a failure. */
function refuseLost({ patterns }: RunReport): void {
  const sum = (amount: (one: RunReport['patterns'][number]) => number) =>
    patterns.reduce((all, one) => all + amount(one), 0);
  const parts = [
    [sum(({ failed }) => failed), 'failed'],
    [sum(({ throttledCalls }) => throttledCalls), 'lost to throttling'],
    [sum(({ notSent }) => notSent), 'not sent, because --parallel were under way'],
  ] as const;
  const lost = parts.filter(([count]) => count > 0).map(([count, what]) => `${figure(count)} ${what}`);
  if (lost.length > 0)
    throw new Failure(
      `Of ${figure(sum(({ calls, idle }) => calls - idle))} calls not all were answered: ${lost.join(', ')}.`,
    );
}
