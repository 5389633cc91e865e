import type { ToldVerdict } from '../engine/capacity/physics-report.ts';
import type { ReportedPattern } from '../observe/patterns/report-patterns.ts';
import type { ReportedSignal } from '../observe/signals/signal-store.ts';
import { checkAccount, checkTable } from './checks/all-checks.ts';
import { type SortKeyFlaw, sortKeyFlaws } from './checks/sort-key-flaws.ts';
import { type Endpoint, type Follower, ownPattern, type TableInsights } from './endpoint.ts';
import { bySeverity, type Finding } from './finding.ts';
import { KeptLooks, spread, type TableLook } from './kept-looks.ts';
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

/** What it takes to compare the settings of a table with those of the last look, and to check it. */
const markSteps = 200;
const checkSteps = 5_000;

/** When something was seen, by the clock of this machine and by that of the endpoint, which a test may have moved. */
interface Ages {
  readonly atMs: number;
  readonly lookMs: number;
}

interface Kept<Value> extends Ages {
  readonly value: Value;
}

/** Settings under a number of their own, which they keep as long as a new look at them finds the same. */
interface KnownSettings {
  readonly value: TableSettings;
  readonly text: string;
  readonly id: number;
  /** What a Stator told of them just before they were read. */
  readonly mark: string | undefined;
  readonly read: Ages;
}

/**
 * Examines the tables of an endpoint. So that watching costs little, definitions, samples, and the findings of tables that
 * nobody has used are kept from one look to the next. Metrics of the other tables are read at every look.
 */
export class Doctor {
  readonly #endpoint: Endpoint;
  readonly #options: DoctorOptions;
  readonly #settings = new Map<string, Kept<KnownSettings>>();
  readonly #samples = new Map<string, Kept<Sample>>();
  readonly #samplesBefore = new Map<string, Sample>();
  readonly #flaws = new WeakMap<Sample, readonly SortKeyFlaw[]>();
  readonly #looks: KeptLooks;
  readonly #nowMs: () => number;
  #seriesList: SeriesList | undefined;
  /** The time of the look by the endpoint's clock. */
  #lookMs = 0;
  #latestId = 0;
  #scalingText = '';
  #latestScaling = 0;

  /** `nowMs` is the clock of this machine, for what is kept between looks. */
  constructor(endpoint: Endpoint, options: DoctorOptions, nowMs: () => number) {
    this.#endpoint = endpoint;
    this.#options = options;
    this.#nowMs = nowMs;
    this.#looks = new KeptLooks(options.minutes ?? defaultMinutes);
  }

  async look(): Promise<DoctorReport> {
    const { stator } = this.#endpoint;
    const { minutes = defaultMinutes } = this.#options;
    const questions = new Questions(this.#endpoint);
    const nowMs = stator === undefined ? this.#nowMs() : await stator.nowMs();
    this.#lookMs = nowMs;
    const names = this.#options.tables ?? (await listTables(questions)) ?? [];
    this.#looks.only(names);
    const settings = await each(names, async (name) => {
      await this.#endpoint.slices?.spend(markSteps);
      return this.#settingsOf(questions, name);
    });
    const known = settings.filter((one) => one !== undefined);
    // Counted before anything else is read: what a request changes meanwhile is looked at the next time.
    const activity = stator?.activity();
    const [alarms, scaled, physics, followers, signals] = await Promise.all([
      readAlarms(questions),
      readScaling(questions),
      stator?.physics(),
      stator?.followers(),
      stator?.signals(minutes),
    ]);
    const alarmsOf = byTable(alarms);
    const followersOf = byTable(followers?.filter(({ region }) => region === this.#endpoint.region));
    const scaling = this.#scalingMark(scaled);
    const markOf = ({ id, value }: KnownSettings) => {
      const name = nameOf(value);
      if (activity === undefined) return undefined;
      return `${id} ${activity(name)} ${JSON.stringify([alarmsOf?.get(name), followersOf?.get(name)])} ${scaling}`;
    };
    const marks = new Map<string, string | undefined>();
    for (const one of known) {
      await this.#endpoint.slices?.spend(markSteps);
      marks.set(nameOf(one.value), markOf(one));
    }
    const looks = new Map<string, TableLook>();
    for (const [name, mark] of marks) {
      const kept = this.#looks.find(name, mark, nowMs);
      if (kept !== undefined) looks.set(name, kept);
    }
    const anew = known.map(({ value }) => value).filter((one) => !looks.has(nameOf(one)));
    const read = new Set(anew.map(nameOf));
    const metrics = new MetricBook(questions, nowMs, minutes);
    const [patterns] = await Promise.all([
      stator?.patterns(minutes, read),
      metrics.read(new Set(marks.keys()), read, this.#seriesList),
    ]);
    this.#seriesList = metrics.list;
    const context: Context = { endpoint: this.#endpoint, metrics, nowMs };
    await metrics.readMinutes(anew.filter((one) => wantsMinutes(one, metrics)).map(nameOf));
    const seen: Seen = {
      ...{ alarms: alarmsOf, scaled, followers: followersOf },
      patterns: byTable(
        patterns?.patterns.filter(
          ({ name, region }) => name !== ownPattern && region === this.#endpoint.region,
        ),
      ),
      verdicts: byTable(
        physics?.verdicts
          .filter(({ arn }) => arn.includes(`:${this.#endpoint.region}:`))
          .map((verdict) => ({ table: verdict.tableName, verdict })),
      ),
      signals: byTable(signals),
    };
    await each(anew, async (one) => {
      await this.#endpoint.slices?.spend(checkSteps);
      const view = await this.#viewOf(one, questions, context, seen);
      const look = { view, findings: checkTable(view, context) };
      looks.set(view.name, look);
      this.#looks.keep(view.name, marks.get(view.name), look, nowMs);
    });
    if (this.#options.budget === 0)
      questions.missing({ what: 'items', why: 'the budget of read units is 0', remedy: 'Give a --budget.' });
    this.#tellUnseen(questions, { patterns, physics, signals });
    const inOrder = [...marks.keys()].map((name) => looks.get(name)!);
    const findings = [
      ...inOrder.flatMap((look) => look.findings),
      ...checkAccount(
        inOrder.map(({ view }) => view),
        context,
      ),
    ];
    return {
      findings: findings.sort(bySeverity),
      notSeen: questions.notSeen,
      consumed: questions.consumed,
      tables: [...marks.keys()],
      at: new Date(nowMs).toISOString(),
    };
  }

  /** Another number when auto scaling moves other dimensions: their names would fill the mark of every table. */
  #scalingMark(scaled: ReadonlySet<string> | undefined): number {
    const text = [...(scaled ?? [])].join();
    if (text !== this.#scalingText) {
      this.#scalingText = text;
      this.#latestScaling++;
    }
    return this.#latestScaling;
  }

  async #settingsOf(questions: Questions, name: string): Promise<KnownSettings | undefined> {
    const kept = this.#settings.get(name);
    if (kept !== undefined && this.#isFresh(kept, definitionMs)) return kept.value;
    const mark = await this.#endpoint.stator?.settingsMark(name);
    const ages = this.#agesFrom(name, kept, definitionMs);
    // Read again now and then all the same: counts of items are no settings.
    if (kept !== undefined && mark !== undefined && mark === kept.value.mark && isSteady(kept.value)) {
      if (this.#isFresh(kept.value.read, sampleMs)) {
        this.#settings.set(name, { value: kept.value, ...ages });
        return kept.value;
      }
    }
    const value = await lookAtTable(questions, name);
    if (value === undefined) {
      this.#settings.delete(name);
      return undefined;
    }
    const text = JSON.stringify(value);
    const isSame = kept?.value.text === text;
    const read = this.#agesFrom(name, kept, sampleMs);
    const settings: KnownSettings = isSame
      ? { ...kept.value, mark, read }
      : { ...{ value, text, mark, read }, id: ++this.#latestId };
    this.#settings.set(name, { value: settings, ...ages });
    return settings;
  }

  /** The first is spread over the time, so that a later look does not ask for all again. */
  #agesFrom(name: string, kept: unknown, keptMs: number): Ages {
    const earlier = kept === undefined ? spread(name, keptMs) : 0;
    return { atMs: this.#nowMs() - earlier, lookMs: this.#lookMs - earlier };
  }

  async #sampleOf(questions: Questions, { description }: TableSettings): Promise<Sample | undefined> {
    const { TableName } = description;
    const kept = this.#samples.get(TableName);
    if (kept !== undefined && this.#isFresh(kept, sampleMs)) return kept.value;
    const { budget = defaultBudget } = this.#options;
    const value = await sampleTable(questions, description, budget);
    if (kept !== undefined) this.#samplesBefore.set(TableName, kept.value);
    if (value !== undefined)
      this.#samples.set(TableName, { value, ...this.#agesFrom(TableName, kept, sampleMs / 2) });
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

  #isFresh({ atMs, lookMs }: Ages, keptMs: number): boolean {
    return this.#nowMs() - atMs < keptMs && Math.abs(this.#lookMs - lookMs) < keptMs;
  }

  async #viewOf(
    settings: TableSettings,
    questions: Questions,
    context: Context,
    seen: Seen,
  ): Promise<TableView> {
    const name = nameOf(settings);
    const { metrics } = context;
    const arms = armsOf(settings.description);
    const isThrottled = arms.some(({ index }) => throttles(metrics, name, index) > 0);
    const insights: TableInsights | undefined =
      isThrottled || isBusy(settings, metrics)
        ? await readInsights(questions, settings.description, context, isThrottled)
        : undefined;
    const sample = await this.#sampleOf(questions, settings);
    return {
      ...settings,
      name,
      arms,
      patterns: ofTable(seen.patterns, name),
      verdicts: ofTable(seen.verdicts, name)?.map(({ verdict }) => verdict),
      insights,
      followers: ofTable(seen.followers, name),
      signals: ofTable(seen.signals, name),
      sample,
      flaws: this.#flawsOf(sample, settings),
      sampleBefore: this.#samplesBefore.get(name),
      alarms: ofTable(seen.alarms, name),
      scaled: seen.scaled,
    };
  }

  #tellUnseen(
    questions: Questions,
    { patterns, physics, signals }: { readonly [Part in 'patterns' | 'physics' | 'signals']: unknown },
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

type ByTable<One> = ReadonlyMap<string, readonly One[]>;

/** What was read of all tables at once. A part that could not be seen is undefined. */
interface Seen {
  readonly alarms: ByTable<AlarmView> | undefined;
  readonly scaled: ReadonlySet<string> | undefined;
  readonly patterns: ByTable<ReportedPattern> | undefined;
  readonly verdicts: ByTable<{ readonly verdict: ToldVerdict }> | undefined;
  readonly followers: ByTable<Follower> | undefined;
  readonly signals: ByTable<ReportedSignal> | undefined;
}

function byTable<One extends { readonly table: string | null }>(
  all: readonly One[] | undefined,
): ByTable<One> | undefined {
  if (all === undefined) return undefined;
  const found = new Map<string, One[]>();
  for (const one of all) {
    const { table } = one;
    if (table === null) continue;
    const others = found.get(table);
    if (others === undefined) found.set(table, [one]);
    else others.push(one);
  }
  return found;
}

function ofTable<One>(all: ByTable<One> | undefined, name: string): readonly One[] | undefined {
  return all === undefined ? undefined : (all.get(name) ?? []);
}

/** Whether nothing is under way that ends by itself. */
function isSteady({ value }: KnownSettings): boolean {
  const { TableStatus = 'ACTIVE', GlobalSecondaryIndexes = [] } = value.description;
  return (
    TableStatus === 'ACTIVE' &&
    GlobalSecondaryIndexes.every(({ IndexStatus = 'ACTIVE' }) => IndexStatus === 'ACTIVE')
  );
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
