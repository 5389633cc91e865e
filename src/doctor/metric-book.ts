import type { Questions } from './questions.ts';

/** A series as CloudWatch lists it. */
interface ListedSeries {
  readonly Namespace: string;
  readonly MetricName: string;
  readonly Dimensions: readonly { readonly Name: string; readonly Value: string }[];
}

interface DataAnswer {
  readonly MetricDataResults: readonly {
    readonly Id: string;
    readonly Timestamps: readonly number[];
    readonly Values: readonly number[];
  }[];
  readonly NextToken?: string;
}

/** What a series is about. */
export interface SeriesPlace {
  readonly metric: string;
  readonly index?: string | undefined;
  readonly operation?: string | undefined;
  /** Whether it counts what AWS would have done, and not what was done. */
  readonly isShadow?: boolean | undefined;
}

export interface Point {
  readonly atMs: number;
  readonly value: number;
}

/** The metrics that the checks read, and the statistic of each that they read. */
const statistics: Readonly<Record<string, 'Sum' | 'SampleCount' | 'Average'>> = {
  ConsumedReadCapacityUnits: 'Sum',
  ConsumedWriteCapacityUnits: 'Sum',
  ProvisionedReadCapacityUnits: 'Average',
  ProvisionedWriteCapacityUnits: 'Average',
  ReadThrottleEvents: 'Sum',
  WriteThrottleEvents: 'Sum',
  ReadKeyRangeThroughputThrottleEvents: 'Sum',
  WriteKeyRangeThroughputThrottleEvents: 'Sum',
  ReadProvisionedThroughputThrottleEvents: 'Sum',
  WriteProvisionedThroughputThrottleEvents: 'Sum',
  ReadAccountLimitThrottleEvents: 'Sum',
  WriteAccountLimitThrottleEvents: 'Sum',
  ReadMaxOnDemandThroughputThrottleEvents: 'Sum',
  WriteMaxOnDemandThroughputThrottleEvents: 'Sum',
  SuccessfulRequestLatency: 'SampleCount',
  ReturnedItemCount: 'Sum',
  ReturnedRecordsCount: 'Sum',
  ThrottledRequests: 'Sum',
  ConditionalCheckFailedRequests: 'Sum',
  TransactionConflict: 'Sum',
  SystemErrors: 'Sum',
  OnlineIndexPercentageProgress: 'Average',
  AgeOfOldestUnreplicatedRecord: 'Average',
  IteratorAge: 'Average',
};

const queriesMax = 500;
const none: ReadonlyMap<string, number> = new Map();
const namespaces = ['AWS/DynamoDB', 'Stator/Shadow', 'Stator/Streams'] as const;

/** The series of a book, as long as none comes or goes. */
export interface SeriesList {
  readonly id: string;
  readonly series: Map<string, Map<string, ListedSeries>>;
}

interface Wanted {
  readonly table: string;
  readonly id: string;
  readonly series: ListedSeries;
}

/**
 * The metrics of all tables over the last minutes. Every series is read first as one sum; the minutes of a table are
 * read only if a check wants them, because most tables are well.
 */
export class MetricBook {
  readonly #questions: Questions;
  /** When the window begins. */
  readonly fromMs: number;
  readonly #toMs: number;
  readonly #period: number;
  #series = new Map<string, Map<string, ListedSeries>>();
  readonly #sums = new Map<string, Map<string, number>>();
  readonly #operations = new Map<string, Map<string, number>>();
  readonly #points = new Map<string, Map<string, readonly Point[]>>();
  /** What the next book may take over. */
  list: SeriesList | undefined;
  /** Whether CloudWatch answered. */
  isSeen = false;

  constructor(questions: Questions, nowMs: number, minutes: number) {
    this.#questions = questions;
    // CloudWatch begins periods at their multiples: the window begins at one, so that sums hold nothing older.
    this.#period = minutes >= 30 ? 900 : 60;
    this.#toMs = (Math.floor(nowMs / 60_000) + 1) * 60_000;
    const periodMs = this.#period * 1_000;
    this.fromMs = Math.floor((this.#toMs - minutes * 60_000) / periodMs) * periodMs;
  }

  /** Lists the series of all tables, unless the last book's list is still right, and reads the sums of some tables. */
  async read(tables: ReadonlySet<string>, some: ReadonlySet<string>, last?: SeriesList): Promise<void> {
    const { stator } = this.#questions.endpoint;
    // Asked for before the list, so that a series that comes meanwhile makes the list old.
    const mark = stator?.seriesMark();
    const id = mark === undefined ? undefined : JSON.stringify([mark, [...tables]]);
    if (id !== undefined && last?.id === id) this.#series = last.series;
    else if (!(await this.#listAll(tables))) return;
    this.list = id === undefined ? undefined : { id, series: this.#series };
    this.isSeen = true;
    const wanted: Wanted[] = [];
    for (const table of some)
      for (const [id, series] of this.#series.get(table) ?? []) wanted.push({ table, id, series });
    const sums = await this.#get(wanted, this.#period);
    for (const { table, id, points } of sums) {
      const [metric = '', , operation = ''] = id.split('\n');
      const isMean = statistics[metric] === 'Average';
      const sum = points.reduce((total, { value }) => total + value, 0);
      const value = isMean ? sum / Math.max(1, points.length) : sum;
      if (points.length === 0) continue;
      within(this.#sums, table).set(id, value);
      if (metric !== 'SuccessfulRequestLatency' || operation === '') continue;
      const counts = within(this.#operations, table);
      counts.set(operation, (counts.get(operation) ?? 0) + value);
    }
  }

  /** The length of the window in minutes. */
  get minutes(): number {
    return (this.#toMs - this.fromMs) / 60_000;
  }

  /** The sum of a series over all minutes, or the mean of a state such as provisioned units; 0 if there is none. */
  sum(table: string, place: SeriesPlace): number {
    return this.#sums.get(table)?.get(idOf(place)) ?? 0;
  }

  /** The operations that a table has had, with how often each succeeded. */
  operations(table: string): ReadonlyMap<string, number> {
    return this.#operations.get(table) ?? none;
  }

  /** Reads the minutes of the tables in question. */
  async readMinutes(tables: readonly string[]): Promise<void> {
    const wanted: Wanted[] = [];
    for (const table of tables) {
      if (this.#points.has(table)) continue;
      this.#points.set(table, new Map());
      for (const [id, series] of this.#series.get(table) ?? [])
        if (this.#sums.get(table)?.has(id) === true) wanted.push({ table, id, series });
    }
    for (const { table, id, points } of await this.#get(wanted, 60)) this.#points.get(table)!.set(id, points);
  }

  /** The minutes of a series that have values, oldest first; none unless `readMinutes` was asked for the table. */
  points(table: string, place: SeriesPlace): readonly Point[] {
    return this.#points.get(table)?.get(idOf(place)) ?? [];
  }

  async #listAll(tables: ReadonlySet<string>): Promise<boolean> {
    const { stator } = this.#questions.endpoint;
    for (const namespace of stator === undefined ? namespaces.slice(0, 1) : namespaces)
      if (!(await this.#list(namespace, tables))) return false;
    return true;
  }

  async #list(namespace: string, tables: ReadonlySet<string>): Promise<boolean> {
    let token: string | undefined;
    // A single table is asked for by name: an account may have thousands of series.
    const [only] = tables;
    const dimension = tables.size === 1 ? { Name: 'TableName', Value: only! } : { Name: 'TableName' };
    do {
      const answer = await this.#questions.ask<{ Metrics: ListedSeries[]; NextToken?: string }>(
        ...(['cloudwatch', 'ListMetrics'] as const),
        {
          Namespace: namespace,
          Dimensions: [dimension],
          ...(this.#questions.endpoint.stator === undefined && { RecentlyActive: 'PT3H' }),
          ...(token !== undefined && { NextToken: token }),
        },
        'metrics of CloudWatch',
      );
      if (answer === undefined) return false;
      for (const series of answer.Metrics) this.#add(series, namespace, tables);
      token = answer.NextToken;
    } while (token !== undefined);
    return true;
  }

  #add(series: ListedSeries, namespace: string, tables: ReadonlySet<string>): void {
    const { MetricName: metric, Dimensions } = series;
    if (statistics[metric] === undefined) return;
    const value = (name: string) => Dimensions.find(({ Name }) => Name === name)?.Value;
    const table = value('TableName');
    if (table === undefined || !tables.has(table)) return;
    const id = idOf({
      metric,
      index: value('GlobalSecondaryIndexName'),
      operation: value('Operation'),
      isShadow: namespace === 'Stator/Shadow' || undefined,
    });
    within(this.#series, table).set(id, series);
  }

  async #get(
    wanted: readonly Wanted[],
    period: number,
  ): Promise<readonly { readonly table: string; readonly id: string; readonly points: Point[] }[]> {
    const found = wanted.map(({ table, id }) => ({ table, id, points: [] as Point[] }));
    for (let from = 0; from < wanted.length; from += queriesMax) {
      const some = wanted.slice(from, from + queriesMax);
      this.#questions.spendMetrics(some.length);
      let token: string | undefined;
      do {
        const answer: DataAnswer | undefined = await this.#questions.ask(
          ...(['cloudwatch', 'GetMetricData'] as const),
          {
            StartTime: this.fromMs / 1_000,
            EndTime: this.#toMs / 1_000,
            ScanBy: 'TimestampAscending',
            MetricDataQueries: some.map(({ series }, at) => ({
              Id: `m${at}`,
              MetricStat: { Metric: series, Period: period, Stat: statistics[series.MetricName] },
            })),
            ...(token !== undefined && { NextToken: token }),
          },
          'metrics of CloudWatch',
        );
        if (answer === undefined) {
          this.isSeen = false;
          return found;
        }
        for (const { Id, Timestamps, Values } of answer.MetricDataResults) {
          const { points } = found[from + Number(Id.slice(1))]!;
          for (const [i, at] of Timestamps.entries())
            points.push({ atMs: millisecondsOf(at), value: Values[i]! });
        }
        token = answer.NextToken;
      } while (token !== undefined);
    }
    return found;
  }
}

/** JSON has seconds; an endpoint that answers ISO 8601 is understood too. */
function millisecondsOf(timestamp: number | string): number {
  return typeof timestamp === 'number' ? timestamp * 1_000 : Date.parse(timestamp);
}

/** Names of metrics, indexes and operations have no line breaks. */
function idOf({ metric, index = '', operation = '', isShadow = false }: SeriesPlace): string {
  return `${metric}\n${index}\n${operation}\n${isShadow ? 'shadow' : ''}`;
}

function within<Value>(all: Map<string, Map<string, Value>>, table: string): Map<string, Value> {
  let own = all.get(table);
  if (own === undefined) {
    own = new Map();
    all.set(table, own);
  }
  return own;
}
