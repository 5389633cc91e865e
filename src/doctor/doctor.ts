import type { ServerReport } from '../engine/capacity/physics-report.ts';
import type { PatternReport } from '../observe/patterns/report-patterns.ts';
import type { ReportedSignal } from '../observe/signals/signal-store.ts';
import { checkAccount, checkTable } from './checks/all-checks.ts';
import { type SortKeyFlaw, sortKeyFlaws } from './checks/sort-key-flaws.ts';
import { type Endpoint, type Follower, ownPattern, type TableInsights } from './endpoint.ts';
import { bySeverity, type Finding } from './finding.ts';
import { each, listTables, lookAtTable, readAlarms, readScaling } from './look-at-tables.ts';
import { MetricBook, type SeriesList } from './metric-book.ts';
import { type Consumed, type NotSeen, Questions } from './questions.ts';
import { readInsights } from './read-insights.ts';
import type { Sample } from './sample.ts';
import { sampleTable } from './sample-table.ts';
import { type AlarmView, armsOf, type Context, type TableSettings, type TableView } from './table-view.ts';

export interface DoctorOptions {
  /** The tables to look at; all unless given. */
  readonly tables?: readonly string[];
  /** How many minutes back the metrics go. */
  readonly minutes?: number;
  /** Read units that the sample of one table may use; 0 for no samples. */
  readonly budget?: number;
}

/** What the doctor found, what it could not see, and what looking has cost. */
export interface DoctorReport {
  readonly findings: readonly Finding[];
  readonly notSeen: readonly NotSeen[];
  readonly consumed: Consumed;
  /** The tables that were examined. */
  readonly tables: readonly string[];
  /** The time of the look by the endpoint's clock. */
  readonly at: string;
}

export const defaultMinutes = 60;
export const defaultBudget = 25;

/** How long definitions and samples are good for, when somebody looks again and again. */
const definitionMs = 60_000;
const sampleMs = 10 * 60_000;

interface Kept<Value> {
  readonly value: Value;
  /** By the clock of this machine, and by that of the endpoint, which a test may have moved. */
  readonly atMs: number;
  readonly lookMs: number;
}

/**
 * Examines the tables of an endpoint. Metrics are read at every look; definitions and samples are kept between looks, so
 * that watching costs little.
 */
export class Doctor {
  readonly #endpoint: Endpoint;
  readonly #options: DoctorOptions;
  readonly #settings = new Map<string, Kept<TableSettings>>();
  readonly #samples = new Map<string, Kept<Sample>>();
  readonly #samplesBefore = new Map<string, Sample>();
  readonly #flaws = new WeakMap<Sample, readonly SortKeyFlaw[]>();
  readonly #nowMs: () => number;
  #seriesList: SeriesList | undefined;
  /** The time of the look by the endpoint's clock. */
  #lookMs = 0;

  /** `nowMs` is the clock of this machine, for what is kept between looks. */
  constructor(endpoint: Endpoint, options: DoctorOptions, nowMs: () => number) {
    this.#endpoint = endpoint;
    this.#options = options;
    this.#nowMs = nowMs;
  }

  async look(): Promise<DoctorReport> {
    const { stator } = this.#endpoint;
    const { minutes = defaultMinutes } = this.#options;
    const questions = new Questions(this.#endpoint);
    const nowMs = stator === undefined ? this.#nowMs() : await stator.nowMs();
    this.#lookMs = nowMs;
    const names = this.#options.tables ?? (await listTables(questions)) ?? [];
    const settings = await each(names, (name) => this.#settingsOf(questions, name));
    const known = settings.filter((one) => one !== undefined);
    const metrics = new MetricBook(questions, nowMs, minutes);
    const [alarms, scaled, patterns, physics, followers, signals] = await Promise.all([
      readAlarms(questions),
      readScaling(questions),
      stator?.patterns(minutes),
      stator?.physics(),
      stator?.followers(),
      stator?.signals(minutes),
      metrics.read(new Set(known.map(nameOf)), this.#seriesList),
    ]);
    this.#seriesList = metrics.list;
    const context: Context = { endpoint: this.#endpoint, metrics, nowMs };
    await metrics.readMinutes(known.filter((one) => wantsMinutes(one, metrics)).map(nameOf));
    const views = await each(known, (one) =>
      this.#viewOf(one, questions, context, { alarms, scaled, patterns, physics, followers, signals }),
    );
    if (this.#options.budget === 0)
      questions.missing({ what: 'items', why: 'the budget of read units is 0', remedy: 'Give a --budget.' });
    this.#tellUnseen(questions, { patterns, physics, signals });
    const findings = [...views.flatMap((view) => checkTable(view, context)), ...checkAccount(views, context)];
    return {
      findings: findings.sort(bySeverity),
      notSeen: questions.notSeen,
      consumed: questions.consumed,
      tables: known.map(nameOf),
      at: new Date(nowMs).toISOString(),
    };
  }

  async #settingsOf(questions: Questions, name: string): Promise<TableSettings | undefined> {
    const kept = this.#settings.get(name);
    const now = this.#nowMs();
    if (kept !== undefined && this.#isFresh(kept, definitionMs)) return kept.value;
    const value = await lookAtTable(questions, name);
    if (value === undefined) this.#settings.delete(name);
    // Spread over the time, so that a later look does not ask for all again.
    else
      this.#settings.set(name, {
        value,
        atMs: kept === undefined ? now - spread(name, definitionMs) : now,
        lookMs: this.#lookMs,
      });
    return value;
  }

  async #sampleOf(questions: Questions, { description }: TableSettings): Promise<Sample | undefined> {
    const { TableName } = description;
    const kept = this.#samples.get(TableName);
    const now = this.#nowMs();
    if (kept !== undefined && this.#isFresh(kept, sampleMs)) return kept.value;
    const { budget = defaultBudget } = this.#options;
    const value = await sampleTable(questions, description, budget);
    if (kept !== undefined) this.#samplesBefore.set(TableName, kept.value);
    if (value !== undefined)
      this.#samples.set(TableName, {
        value,
        atMs: now - spread(TableName, sampleMs / 2),
        lookMs: this.#lookMs,
      });
    return value;
  }

  /** The flaws of sort keys take a while to find, and change with the sample only. */
  #flawsOf(sample: Sample | undefined, { description }: TableSettings): readonly SortKeyFlaw[] {
    if (sample === undefined) return [];
    const known = this.#flaws.get(sample);
    if (known !== undefined) return known;
    const found = sortKeyFlaws({ description, sample });
    this.#flaws.set(sample, found);
    return found;
  }

  #isFresh({ atMs, lookMs }: Kept<unknown>, keptMs: number): boolean {
    return this.#nowMs() - atMs < keptMs && Math.abs(this.#lookMs - lookMs) < keptMs;
  }

  async #viewOf(
    settings: TableSettings,
    questions: Questions,
    context: Context,
    { alarms, scaled, patterns, physics, followers, signals }: Seen,
  ): Promise<TableView> {
    const name = nameOf(settings);
    const { metrics } = context;
    const isThrottled = armsOf(settings.description).some(({ index }) => throttles(metrics, name, index) > 0);
    const insights: TableInsights | undefined =
      isThrottled || isBusy(settings, metrics)
        ? await readInsights(questions, settings.description, context, isThrottled)
        : undefined;
    const sample = await this.#sampleOf(questions, settings);
    return {
      ...settings,
      name,
      arms: armsOf(settings.description),
      patterns: patterns?.patterns.filter(
        (each) => each.table === name && each.region === this.#endpoint.region && each.name !== ownPattern,
      ),
      verdicts: physics?.verdicts.filter(
        ({ tableName, arn }) => tableName === name && arn.includes(`:${this.#endpoint.region}:`),
      ),
      insights,
      followers: followers?.filter((each) => each.table === name && each.region === this.#endpoint.region),
      signals: signals?.filter(({ table }) => table === name),
      sample,
      flaws: this.#flawsOf(sample, settings),
      sampleBefore: this.#samplesBefore.get(name),
      alarms: alarms?.filter(({ table }) => table === name),
      scaled,
    };
  }

  #tellUnseen(
    questions: Questions,
    { patterns, physics, signals }: Pick<Seen, 'patterns' | 'physics' | 'signals'>,
  ): void {
    if (this.#endpoint.stator === undefined) {
      questions.missing({
        what: 'access patterns, retries, stale index reads and failed conditions by key',
        why: 'the endpoint is no Stator, and DynamoDB has no metrics of them',
        remedy: 'Run the same traffic against a Stator.',
      });
      return;
    }
    if (patterns === undefined)
      questions.missing({
        what: 'access patterns',
        why: 'the server does not observe its requests (--observe off)',
      });
    if (physics === undefined || (signals === undefined && patterns !== undefined))
      questions.missing({
        what: 'partitions, verdicts, refusals by key and habits of callers',
        why: 'several workers answer, and each judges its own traffic',
      });
  }
}

interface Seen {
  readonly alarms: readonly AlarmView[] | undefined;
  readonly scaled: ReadonlySet<string> | undefined;
  readonly patterns: PatternReport | undefined;
  readonly physics: ServerReport | undefined;
  readonly followers: readonly Follower[] | undefined;
  readonly signals: readonly ReportedSignal[] | undefined;
}

function nameOf({ description }: TableSettings): string {
  return description.TableName;
}

/** Minutes are read of tables that were throttled, and of provisioned tables with traffic. */
function wantsMinutes({ description }: TableSettings, metrics: MetricBook): boolean {
  const { TableName } = description;
  return armsOf(description).some(
    ({ index, provisioned }) =>
      throttles(metrics, TableName, index) > 0 ||
      (provisioned !== undefined &&
        metrics.sum(TableName, { metric: 'ConsumedReadCapacityUnits', index }) +
          metrics.sum(TableName, { metric: 'ConsumedWriteCapacityUnits', index }) >
          0),
  );
}

function throttles(metrics: MetricBook, table: string, index: string | undefined): number {
  return (['Read', 'Write'] as const).reduce((sum, kind) => {
    const metric = `${kind}ThrottleEvents`;
    return (
      sum + metrics.sum(table, { metric, index }) + metrics.sum(table, { metric, index, isShadow: true })
    );
  }, 0);
}

/** Whether a key of the table can have come near the limits of a partition: no minute of less traffic has one that does. */
function isBusy({ description }: TableSettings, metrics: MetricBook): boolean {
  return armsOf(description).some(
    ({ index }) =>
      metrics.sum(description.TableName, { metric: 'ConsumedWriteCapacityUnits', index }) >= 333 * 60 ||
      metrics.sum(description.TableName, { metric: 'ConsumedReadCapacityUnits', index }) >= 1_000 * 60,
  );
}

/** A number below `most` that depends on the name only. */
function spread(name: string, most: number): number {
  let hash = 0;
  for (let i = 0; i < name.length; i++) hash = (hash * 31 + name.charCodeAt(i)) >>> 0;
  return hash % most;
}
