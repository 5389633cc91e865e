import type { LiveRates, LiveSecond, TableName } from '../observe/live-rates.ts';
import { type MetricFilter, minuteOf, minutesKept } from '../observe/metrics.ts';
import { distributionOf, reportPatterns } from '../observe/patterns/report-patterns.ts';
import { prometheusText } from '../observe/prometheus.ts';
import { dynamoDbNamespace } from '../observe/table-metrics.ts';
import { wait } from '../runtime/machine/machine.ts';
import type { Page, PageRequest } from '../wire/pages.ts';
import { accountFilter } from './caller-scope.ts';
import type { ControlledDatabase } from './control-api.ts';
import { ControlError } from './control-error.ts';
import type { ControlGuard } from './control-guard.ts';
import { jsonPage, ofAccount, ofServer, ofTablesAsked, type Resource } from './control-resource.ts';
import type { Namespaces } from './namespaces.ts';
import { databaseMeant } from './namespaces-resource.ts';
import { scopeMeant } from './physics-resource.ts';

/** How many series one request may read. */
const seriesMax = 200;

/** `GET /_stator/metrics`: the metrics of this process, and of others behind the port, as Prometheus reads them. */
export function metricsResource<Database extends ControlledDatabase>(
  namespaces: Namespaces<Database>,
  { oneOfSeveral = false }: ControlGuard,
): Resource {
  return {
    path: ['metrics'],
    intents: { GET: ofServer('stator:ReadMetrics') },
    takesToken: true,
    methods: {
      async GET(_, request) {
        const { observation } = observed(namespaces, request);
        const others = (await observation.metricsOfOthers?.()) ?? [];
        const own = await observation.processMetrics(oneOfSeveral ? String(process.pid) : undefined);
        const body = await prometheusText([own, ...others], observation.slices);
        return { status: 200, headers: { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' }, body };
      },
    },
  };
}

/** `GET /_stator/patterns`: the access patterns of the last `?minutes=`. */
export function patternsResource<Database extends ControlledDatabase>(
  namespaces: Namespaces<Database>,
): Resource {
  return {
    path: ['patterns'],
    intents: { GET: ofAccount('stator:ListPatterns') },
    methods: {
      async GET(_, request) {
        const database = observed(namespaces, request);
        const minutes = wholeNumber(new URLSearchParams(request.query), 'minutes', 1, minutesKept, 60);
        const report = await reportPatterns(database.observation, nowMsOf(database), minutes);
        return jsonPage(200, { ...report, patterns: report.patterns.filter(accountFilter(request)) });
      },
    },
  };
}

/**
 * `GET /_stator/series`: the minutes of metrics. `metric`, `metricNamespace`, `table`, `index`, `operation` and
 * `dimension=<name>:<value>` choose them; without `metric` it lists which there are. `?seconds=` answers the live rates
 * instead.
 */
export function seriesResource<Database extends ControlledDatabase>(
  namespaces: Namespaces<Database>,
): Resource {
  return {
    path: ['series'],
    intents: { GET: ofTablesAsked('stator:ReadSeries') },
    methods: {
      async GET(_, request) {
        const database = observed(namespaces, request);
        const parameters = new URLSearchParams(request.query);
        if (parameters.has('seconds')) return rates(database, request, parameters);
        return parameters.has('metric')
          ? readSeries(database, request, parameters)
          : listSeries(database, request, parameters);
      },
    },
  };
}

/**
 * `GET /_stator/live`: one line of JSON for every second, for as long as the client reads. A client that reads slowly gets
 * the seconds it missed, up to five minutes of them.
 */
export function liveResource<Database extends ControlledDatabase>(
  namespaces: Namespaces<Database>,
): Resource {
  return {
    path: ['live'],
    intents: { GET: ofTablesAsked('stator:ReadSeries') },
    methods: {
      GET(_, request) {
        const database = observed(namespaces, request);
        const table = new URLSearchParams(request.query).get('table');
        return {
          status: 200,
          headers: { 'Content-Type': 'application/x-ndjson', 'Cache-Control': 'no-store' },
          body: seconds(database, { table, isWanted: accountFilter(request) }, request.signal),
        };
      },
    },
  };
}

async function* seconds(
  database: ControlledDatabase,
  { table, isWanted }: { table: string | null; isWanted: ReturnType<typeof accountFilter> },
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { rates } = database.observation;
  let next = Math.floor(nowMsOf(database) / 1_000);
  while (!signal.aborted) {
    const now = Math.floor(nowMsOf(database) / 1_000);
    // A clock that was set back begins anew, and one that leapt ahead skips what is gone.
    if (next > now || now - next > 300) next = Math.max(0, now - 300 < next ? now : now - 300);
    const tables = rates
      .tables()
      .filter((each) => (table === null || each.table === table) && isWanted(each));
    for (const open = rates.openSecond(now); next < open; next++) yield liveLine(next, tables, rates);
    try {
      await wait(1_000 - (nowMsOf(database) % 1_000) + 5, undefined, { signal, ref: false });
    } catch {
      return;
    }
  }
}

function liveLine(second: number, tables: readonly TableName[], rates: LiveRates): string {
  const busy = tables.flatMap((each) => {
    const [found] = rates.read(each, second, second + 1);
    return found === undefined ? [] : [shownRates(each, found)];
  });
  return `${JSON.stringify({ at: second * 1_000, tables: busy })}\n`;
}

function shownRates({ table, region, account }: TableName, { second: _, ...numbers }: LiveSecond): object {
  return { table, region, account, ...numbers };
}

function rates(database: ControlledDatabase, request: PageRequest, parameters: URLSearchParams): Page {
  const count = wholeNumber(parameters, 'seconds', 1, 300, 300);
  const table = parameters.get('table');
  const now = Math.floor(nowMsOf(database) / 1_000);
  const { rates: all } = database.observation;
  const tables = all
    .tables()
    .filter((each) => table === null || each.table === table)
    .filter(accountFilter(request))
    .map((each) => ({
      table: each.table,
      region: each.region,
      account: each.account,
      seconds: all
        .read(each, now - count + 1, now + 1)
        .map(({ second, ...numbers }) => ({ at: second * 1_000, ...numbers })),
    }));
  return jsonPage(200, { now: now * 1_000, seconds: count, tables });
}

async function listSeries(
  database: ControlledDatabase,
  request: PageRequest,
  parameters: URLSearchParams,
): Promise<Page> {
  const { account: accountId, region } = scopeMeant(database, request);
  const found = await database.observation.list({ accountId, region }, filterOf(parameters));
  return jsonPage(200, {
    series: found.map(({ namespace, name, unit, dimensions }) => ({
      ...{ namespace, metric: name, unit, dimensions: shownDimensions(dimensions) },
    })),
  });
}

async function readSeries(
  database: ControlledDatabase,
  request: PageRequest,
  parameters: URLSearchParams,
): Promise<Page> {
  const { account: accountId, region } = scopeMeant(database, request);
  const { observation } = database;
  const now = minuteOf(nowMsOf(database)) + 1;
  const minutes = wholeNumber(parameters, 'minutes', 1, minutesKept, 60);
  const to = parameters.has('to') ? minuteOf(time(parameters, 'to')) : now;
  const from = parameters.has('from') ? minuteOf(time(parameters, 'from')) : to - minutes;
  const step = wholeNumber(parameters, 'step', 1, minutesKept, 1);
  if (from >= to) throw new ControlError(400, 'from is not before to');
  const filter = { namespace: dynamoDbNamespace, ...filterOf(parameters) };
  const found = await observation.list({ accountId, region }, filter);
  const series = [];
  for (const metric of found.slice(0, seriesMax)) {
    const points = await observation.read(metric, Math.max(from, to - minutesKept), to, step);
    series.push({
      ...{ namespace: metric.namespace, metric: metric.name, unit: metric.unit },
      dimensions: shownDimensions(metric.dimensions),
      points: points.map((point) => ({
        ...{ at: point.minute * 60_000, sum: point.sum },
        ...distributionOf(point),
      })),
    });
  }
  return jsonPage(200, {
    ...{ from: from * 60_000, to: to * 60_000, stepMinutes: step },
    series,
    ...(found.length > seriesMax && { leftOut: found.length - seriesMax }),
  });
}

function filterOf(parameters: URLSearchParams): MetricFilter {
  const dimensions = parameters.getAll('dimension').map((text) => {
    const colon = text.indexOf(':');
    return colon === -1 ? { name: text } : { name: text.slice(0, colon), value: text.slice(colon + 1) };
  });
  for (const [parameter, name] of [
    ['table', 'TableName'],
    ['index', 'GlobalSecondaryIndexName'],
    ['operation', 'Operation'],
    ['pattern', 'Pattern'],
  ] as const) {
    const value = parameters.get(parameter);
    if (value !== null) dimensions.push({ name, value });
  }
  const namespace = parameters.get('metricNamespace');
  const name = parameters.get('metric');
  return {
    ...(namespace !== null && { namespace }),
    ...(name !== null && { name }),
    dimensions,
  };
}

function shownDimensions(dimensions: readonly { readonly name: string; readonly value: string }[]): object {
  return Object.fromEntries(dimensions.map(({ name, value }) => [name, value]));
}

/** The database that a request means, if it is observed. */
export function observed<Database extends ControlledDatabase>(
  namespaces: Namespaces<Database>,
  request: PageRequest,
): Database {
  const database = databaseMeant(namespaces, request);
  if (!database.observation.isOn)
    throw new ControlError(409, 'This database is not observed: open it with { observe: true }');
  return database;
}

function nowMsOf({ clock }: ControlledDatabase): number {
  return clock.nowMicros() / 1_000;
}

export function wholeNumber(
  parameters: URLSearchParams,
  name: string,
  least: number,
  most: number,
  fallback: number,
): number {
  const given = parameters.get(name);
  if (given === null) return fallback;
  const value = Number(given);
  if (given === '' || !Number.isInteger(value) || value < least || value > most)
    throw new ControlError(
      400,
      `${name} must be a whole number from ${least} to ${most}, and not "${given}"`,
    );
  return value;
}

function time(parameters: URLSearchParams, name: string): number {
  const given = parameters.get(name)!;
  const value = /^\d+$/.test(given) ? Number(given) : Date.parse(given);
  if (Number.isNaN(value))
    throw new ControlError(400, `${name} must be milliseconds or a time such as 2026-11-15T12:00:00Z`);
  return value;
}
