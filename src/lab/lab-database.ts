import { autoScalingService } from '../auto-scaling-service.ts';
import { processCaller } from '../engine/process-caller.ts';
import type { CallOptions } from '../index.ts';
import { Stator } from '../index.ts';
import { DynamoError } from '../model/errors.ts';
import type { Resource } from '../physics/resource.ts';
import { SimulatedClock } from '../runtime/clock.ts';
import type { VirtualRuntime } from '../runtime/virtual-runtime.ts';
import { Seeded } from '../workload/seeded.ts';
import { Actions, type LabRequest } from './actions.ts';
import { Draws } from './draws.ts';
import { LabMeter } from './lab-meter.ts';
import type { AutoScalingSpec, Scenario } from './scenario.ts';
import type { LabTable } from './table-requests.ts';
import { labelOf } from './template.ts';

export interface LabDatabaseOptions {
  readonly seed: number;
  readonly startMs: number;
  readonly physics?: 'off' | 'enforce';
}

/** A database in memory on simulated time, with the tables of a scenario, and a meter on it. */
export class LabDatabase {
  readonly db: Stator;
  readonly meter = new LabMeter();
  readonly clock: SimulatedClock;
  readonly tables: readonly LabTable[];
  readonly #options: LabDatabaseOptions;
  readonly #methods: Readonly<Record<string, (input: object, options: CallOptions) => Promise<unknown>>>;
  readonly #labels = new Map<string, CallOptions>();

  constructor(tables: readonly LabTable[], options: LabDatabaseOptions) {
    const { seed, startMs } = options;
    this.tables = tables;
    this.#options = options;
    const isScaled = tables.some(({ scaling }) => scaling.length > 0);
    this.clock = new SimulatedClock(startMs);
    this.db = Stator.inMemory({
      clock: this.clock,
      seed,
      physics: 'off',
      observer: this.meter,
      ...(isScaled && { observe: true }),
    });
    this.#methods = this.db as never;
  }

  /** The time of the database and of its traffic. */
  get runtime(): VirtualRuntime {
    return this.db.engine.runtime as VirtualRuntime;
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
  async begin(): Promise<void> {
    const { capacity } = this.db.engine;
    // Tables nobody has used yet have no physical state; reports show them from the start.
    const scope = { account: '000000000000', region: this.db.region };
    for (const { name } of this.tables) await this.db.engine.modelled(scope, name);
    if (this.#options.physics !== 'off') capacity.modes.setServer({ mode: 'enforce' });
    this.meter.start(capacity);
  }

  /** Sends a request by the fastest door. */
  readonly send = (request: LabRequest, pattern: string): Promise<unknown> => {
    let label = this.#labels.get(pattern);
    if (label === undefined) {
      label = { pattern };
      this.#labels.set(pattern, label);
    }
    return this.#methods[methodName(request.operation)]!.call(this.db, request.input, label);
  };

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

/** `PutItem` is the method `putItem`. */
function methodName(operation: string): string {
  return operation.charAt(0).toLowerCase() + operation.slice(1);
}
