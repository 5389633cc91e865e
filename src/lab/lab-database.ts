import { autoScalingService } from '../auto-scaling-service.ts';
import { processCaller } from '../engine/process-caller.ts';
import { Stator } from '../index.ts';
import { DynamoError } from '../model/errors.ts';
import type { Resource } from '../physics/resource.ts';
import { Seeded } from '../workload/seeded.ts';
import { SimulatedClock } from '../workload/timeline.ts';
import { Actions, type LabRequest } from './actions.ts';
import { Conflicts } from './conflicts.ts';
import { Draws } from './draws.ts';
import { LabClock } from './lab-clock.ts';
import { LabMeter } from './lab-meter.ts';
import type { AutoScalingSpec, Scenario } from './scenario.ts';
import type { LabTable } from './table-requests.ts';
import { labelOf } from './template.ts';

export interface LabDatabaseOptions {
  readonly seed: number;
  readonly startMs: number;
  readonly physics?: 'off' | 'enforce';
}

/**
 * What is acted out by waiting on the machine's clock has no place where time jumps. Conflicts of transactions have their
 * own class here; capacity changes take effect at once.
 */
const simulatedEffects = { transactionConflicts: false, timeToLiveDelay: false, controlPlanePhases: false };

/** A database in memory on simulated time, with the tables of a scenario, and a meter on it. */
export class LabDatabase {
  readonly db: Stator;
  readonly meter = new LabMeter();
  readonly clock: SimulatedClock;
  readonly tables: readonly LabTable[];
  readonly #minuteClock: LabClock | undefined;
  readonly #options: LabDatabaseOptions;
  readonly #methods: Readonly<Record<string, (input: object) => Promise<unknown>>>;
  #conflicts: Conflicts | undefined;

  constructor(tables: readonly LabTable[], options: LabDatabaseOptions) {
    const { seed, startMs } = options;
    this.tables = tables;
    this.#options = options;
    const isScaled = tables.some(({ scaling }) => scaling.length > 0);
    this.#minuteClock = isScaled ? new LabClock(startMs) : undefined;
    this.clock = this.#minuteClock ?? new SimulatedClock(startMs);
    this.db = Stator.inMemory({
      clock: this.clock,
      seed,
      physics: 'off',
      observer: this.meter,
      ...(isScaled && { observe: true }),
    });
    this.#methods = this.db as unknown as Readonly<Record<string, (input: object) => Promise<unknown>>>;
  }

  async createTables(): Promise<void> {
    for (const { name, request, scaling } of this.tables) {
      await this.db.createTable(request as never);
      for (const { index, spec } of scaling)
        if (index === undefined) await this.#scale(spec, `table/${name}`, 'table');
        else await this.#scale(spec, `table/${name}/index/${index}`, 'index');
    }
  }

  /** Registers the table or index with Application Auto Scaling, as `put-scaling-policy` would. */
  async #scale(spec: AutoScalingSpec, ResourceId: string, kind: 'table' | 'index'): Promise<void> {
    const { operations } = autoScalingService(() => this.db.monitoring);
    const caller = processCaller({
      ...{ accountId: '000000000000', region: this.db.region, accessKeyId: 'lab', requestId: 'lab' },
      authorize: undefined,
    });
    for (const access of ['read', 'write'] as const) {
      const tracking = spec[access];
      if (tracking === undefined) continue;
      const word = access === 'read' ? 'Read' : 'Write';
      const target = {
        ServiceNamespace: 'dynamodb',
        ResourceId,
        ScalableDimension: `dynamodb:${kind}:${word}CapacityUnits`,
      };
      const { min: MinCapacity, max: MaxCapacity } = tracking;
      const answers = [
        await operations
          .get('RegisterScalableTarget')!
          .handle({ ...target, MinCapacity, MaxCapacity }, caller),
        await operations.get('PutScalingPolicy')!.handle(
          {
            ...target,
            PolicyName: `${access}-${ResourceId}`,
            PolicyType: 'TargetTrackingScaling',
            TargetTrackingScalingPolicyConfiguration: {
              TargetValue: tracking.target,
              PredefinedMetricSpecification: {
                PredefinedMetricType: `DynamoDB${word}CapacityUtilization`,
              },
            },
          },
          caller,
        ),
      ];
      const wrong = answers.find((answer) => answer instanceof DynamoError);
      if (wrong !== undefined) throw new Error(`Auto scaling of ${ResourceId}: ${JSON.stringify(wrong)}`);
    }
  }

  /** Puts the items that are there before the traffic. Nothing of it is judged or counted. */
  async load(scenario: Scenario): Promise<number> {
    const { entities = {}, keys = {} } = scenario;
    const actions = new Actions(scenario);
    let count = 0;
    for (const [name, { table: TableName, load }] of Object.entries(entities)) {
      if (load === undefined) continue;
      const draws = new Draws(new Seeded(this.#options.seed, 'load', name), keys, {});
      const { count: values } = keys[load.each]!;
      for (let value = 0; value < values; value++)
        for (let time = 0; time < (load.times ?? 1); time++) {
          draws.begin();
          draws.fix(load.each, value);
          const facts = {
            ...{ nowMs: this.#options.startMs - 86_400_000 + count, number: count++, draws },
            label: labelOf(`load ${name}`),
          };
          await this.db.putItem({ TableName, Item: actions.itemOf(name, facts) as never });
        }
    }
    return count;
  }

  /** Traffic begins: physics is enforced from here on. */
  async begin(hasTransactions: boolean): Promise<void> {
    const { capacity } = this.db.engine;
    // Tables nobody has used yet have no physical state; reports show them from the start.
    const scope = { account: '000000000000', region: this.db.region };
    for (const { name } of this.tables) await this.db.engine.modelled(scope, name);
    if (this.#options.physics !== 'off')
      capacity.modes.setServer({ mode: 'enforce', effects: simulatedEffects });
    this.meter.start(capacity);
    if (hasTransactions)
      this.#conflicts = new Conflicts(new Map(this.tables.map(({ name, keyNames }) => [name, keyNames])));
  }

  /** Sends a request by the fastest door. */
  readonly send = (request: LabRequest, pattern: string): Promise<unknown> => {
    this.meter.pattern = pattern;
    const method = this.#methods[methodName(request.operation)];
    if (this.#conflicts === undefined) return method!.call(this.db, request.input);
    const nowMs = this.clock.nowMicros() / 1000;
    const met = this.#conflicts.met(request, nowMs);
    if (met !== undefined) return Promise.reject(met);
    return method!.call(this.db, request.input).then((answer) => {
      this.#conflicts!.hold(request, nowMs + transactionMs);
      return answer;
    });
  };

  /** A minute of simulated time is over: alarms are evaluated, and auto scaling acts. */
  async minute(): Promise<void> {
    if (this.#minuteClock === undefined) return;
    this.#minuteClock.tell();
    await this.db.settled();
  }

  /** The physical state of a table or index, by `orders` or `orders/GSI1`. */
  resource(arm: string): Resource | undefined {
    const [table, index] = arm.split('/') as [string, string | undefined];
    const { capacity } = this.db.engine;
    const found = capacity.find({ account: '000000000000', region: this.db.region }, table);
    return index === undefined ? found?.main : found?.ofIndex(index);
  }

  close(): Promise<void> {
    return this.db.close();
  }
}

/** How long a transaction is under way: the middle of what enforced physics takes. */
const transactionMs = 10;

/** `PutItem` is the method `putItem`. */
function methodName(operation: string): string {
  return operation.charAt(0).toLowerCase() + operation.slice(1);
}
