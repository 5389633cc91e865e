import type { Engine } from '../../engine/engine.ts';
import type { Scope } from '../../engine/store-keys.ts';
import type { AlarmBook } from '../alarms/alarm-book.ts';
import { comparisons } from '../alarms/alarm-record.ts';
import type { Evaluated, MinuteFollower } from '../alarms/alarm-worker.ts';
import { mendPolicies } from './policy-alarms.ts';
import { runSchedules } from './run-schedules.ts';
import type { ScalingBook } from './scaling-book.ts';
import {
  aggregated,
  chosenWish,
  clamp,
  cooldownOf,
  isCooling,
  proportionalCapacity,
  scaleOutBase,
  steppedCapacity,
  trackedCapacity,
  type Wish,
} from './scaling-decision.ts';
import type { AlarmRole, PolicyRecord, ScheduledRecord, TargetRecord } from './scaling-records.ts';
import { armOf } from './scaling-target.ts';
import { type ArmCapacity, capacityOf, setCapacity } from './table-capacity.ts';
import { alarmSettings } from './tracking-alarms.ts';

export interface ScalerDeps {
  readonly engine: Engine;
  readonly scaling: ScalingBook;
  readonly book: AlarmBook;
  readonly nowMs: () => number;
  readonly newUuid: () => string;
  readonly log: (line: string) => void;
}

/** All records of one target. */
interface Scaled {
  readonly scope: Scope;
  target: TargetRecord;
  readonly policies: PolicyRecord[];
  readonly schedules: ScheduledRecord[];
}

/**
 * Acts on alarms, schedules and changed bounds: sets the capacity of tables and indexes by UpdateTable. While an alarm
 * stays in ALARM it acts every minute, as the service does.
 */
export class Scaler implements MinuteFollower {
  readonly #deps: ScalerDeps;
  #isMended = false;

  constructor(deps: ScalerDeps) {
    this.#deps = deps;
  }

  async hasAny(): Promise<boolean> {
    return (await this.#load()).size > 0;
  }

  async begin(): Promise<boolean> {
    if (!this.#isMended) {
      for (const mended of await mendPolicies(this.#deps)) this.#deps.log(`Auto scaling: ${mended}.`);
      this.#isMended = true;
    }
    const all = await this.#load();
    for (const one of all.values()) if (one.target.pending !== undefined) await this.#enforceBounds(one);
    return all.size > 0;
  }

  async minute(minute: number, evaluated: readonly Evaluated[]): Promise<void> {
    const all = await this.#load();
    if (all.size === 0) return;
    const alarms = new Map(evaluated.map((one) => [alarmKey(one.scope, one.record.name), one]));
    for (const one of all.values()) {
      for (const target of await runSchedules(this.#deps, one, minute)) {
        one.target = target;
        await this.#enforceBounds(one);
      }
      if (evaluated.length > 0) await this.#followAlarms(one, alarms, evaluated);
    }
  }

  async #load(): Promise<Map<string, Scaled>> {
    const targets = new Map<string, Scaled>();
    const loose: { readonly scope: Scope; policy?: PolicyRecord; schedule?: ScheduledRecord }[] = [];
    for await (const { scope, target, policy, schedule } of this.#deps.scaling.everything()) {
      if (target !== undefined)
        targets.set(targetKey(scope, target), { scope, target, policies: [], schedules: [] });
      if (policy !== undefined) loose.push({ scope, policy });
      if (schedule !== undefined) loose.push({ scope, schedule });
    }
    for (const { scope, policy, schedule } of loose) {
      const scaled = targets.get(targetKey(scope, (policy ?? schedule)!));
      if (policy !== undefined) scaled?.policies.push(policy);
      if (schedule !== undefined) scaled?.schedules.push(schedule);
    }
    return targets;
  }

  /** Brings a capacity that lies outside new bounds inside them. */
  async #enforceBounds(one: Scaled): Promise<void> {
    const { scope, target } = one;
    const capacity = await capacityOf(this.#deps.engine, scope, armOf(target)!);
    if (typeof capacity !== 'string' && capacity.isScalable) {
      const desired = clamp(capacity.provisioned, target);
      const cause = target.pending?.cause ?? '';
      if (desired !== capacity.provisioned && !(await this.#scale(one, capacity, { desired, cause }))) return;
    }
    const kept = await this.#deps.scaling.change<'target', TargetRecord | undefined>(
      scope,
      'target',
      target,
      '',
      (now) => {
        if (now === undefined) return { result: undefined };
        const { pending: _, ...record } = now;
        return { result: record, record };
      },
    );
    if (kept !== undefined) one.target = kept;
  }

  async #followAlarms(
    one: Scaled,
    alarms: ReadonlyMap<string, Evaluated>,
    evaluated: readonly Evaluated[],
  ): Promise<void> {
    const { scope, target } = one;
    const capacity = await capacityOf(this.#deps.engine, scope, armOf(target)!);
    if (typeof capacity === 'string' || !capacity.isScalable || one.policies.length === 0) return;
    const current = capacity.provisioned;
    const now = this.#deps.nowMs();
    const wishes: (Wish | undefined)[] = [];
    for (const policy of one.policies) {
      if (policy.type === 'StepScaling') {
        const wish = stepWish(scope, policy, target, { current, now }, evaluated);
        if (wish !== undefined) wishes.push(wish);
      } else {
        wishes.push(trackingWish(scope, policy, target, { current, now }, alarms));
      }
    }
    const wish = chosenWish(wishes);
    const { DynamicScalingInSuspended: noIn, DynamicScalingOutSuspended: noOut } = target.suspended;
    const isSuspended = wish?.direction === 'in' ? noIn : noOut;
    let reached = current;
    if (wish !== undefined && !isSuspended && !isCooling(target, wish, now)) {
      if (await this.#scale(one, capacity, wish)) {
        reached = wish.desired;
        await this.#noteScaling(one, wish);
      }
    }
    for (const policy of one.policies) await this.#setThresholds(scope, policy, reached);
  }

  /** The thresholds of alarms on consumption follow the capacity. */
  async #setThresholds(scope: Scope, policy: PolicyRecord, capacity: number): Promise<void> {
    const { book, scaling, nowMs } = this.#deps;
    const isFixed =
      policy.type === 'StepScaling' || policy.tracking?.CustomizedMetricSpecification !== undefined;
    if (isFixed || policy.alarmedCapacity === capacity) return;
    const arm = armOf(policy)!;
    const configuredAt = nowMs();
    const alarms = policy.alarms.map(({ role, name }) =>
      book.edit(scope, name, (before) => {
        if (before === undefined) return {};
        const action = before.settings.alarmActions[0] ?? policy.arn;
        const settings = alarmSettings(policy, arm, role, capacity, action);
        return { record: { ...before, settings, configuredAt } };
      }),
    );
    const noted = scaling.edit(
      scope,
      'policy',
      policy,
      policy.name,
      (before) => before && { ...before, alarmedCapacity: capacity },
    );
    await scaling.changeAll([...alarms, noted], [scaling.isPolicy(scope, policy, policy.name, policy)]);
  }

  async #noteScaling(one: Scaled, { direction, desired, base }: Wish): Promise<void> {
    const at = this.#deps.nowMs();
    const note = direction === 'out' ? { lastOut: { at, by: desired - base } } : { lastIn: { at } };
    await this.#deps.scaling.change(one.scope, 'target', one.target, '', (now) =>
      now === undefined ? { result: undefined } : { result: undefined, record: { ...now, ...note } },
    );
  }

  /** Sets a capacity and records the activity. Answers false if it could not be set. */
  async #scale(
    { scope, target }: Scaled,
    capacity: ArmCapacity,
    { desired, cause }: Pick<Wish, 'desired' | 'cause'>,
  ): Promise<boolean> {
    const { engine, scaling, nowMs, newUuid, log } = this.#deps;
    const arm = armOf(target)!;
    const startedAt = nowMs();
    const id = newUuid();
    const error = await setCapacity(engine, scope, arm, capacity, desired, id);
    // Another change is under way; the next minute tries again.
    if (error?.name === 'ResourceInUseException') return false;
    const what = `${arm.access} capacity units to ${desired}`;
    const activity = {
      id,
      resourceId: target.resourceId,
      dimension: target.dimension,
      description: `Setting ${what}.`,
      cause,
      startedAt,
      endedAt: nowMs(),
      ...(error === undefined
        ? {
            status: 'Successful' as const,
            message: `Successfully set ${what}. Change successfully fulfilled by dynamodb.`,
          }
        : {
            status: 'Failed' as const,
            message: `Failed to set ${what}. Reason: ${error.message ?? error.name}`,
          }),
    };
    if (error !== undefined) {
      // A failure that repeats every minute is told once an hour.
      for await (const last of scaling.activities(scope)) {
        if (last.resourceId !== target.resourceId || last.dimension !== target.dimension) continue;
        if (last.message === activity.message && startedAt - last.startedAt < 3_600_000) return false;
        break;
      }
      log(`Auto scaling of ${target.resourceId}: ${activity.message}`);
    }
    await scaling.addActivity(scope, activity);
    return error === undefined;
  }
}

function alarmKey({ account, region }: Scope, name: string): string {
  return `${account}/${region}/${name}`;
}

function targetKey(
  scope: Scope,
  { resourceId, dimension }: { resourceId: string; dimension: string },
): string {
  return alarmKey(scope, `${dimension} ${resourceId}`);
}

function alarmOf(
  scope: Scope,
  policy: PolicyRecord,
  role: AlarmRole,
  alarms: ReadonlyMap<string, Evaluated>,
): Evaluated | undefined {
  const named = policy.alarms.find((alarm) => alarm.role === role);
  const found = named && alarms.get(alarmKey(scope, named.name));
  return found?.record.state.value === 'ALARM' && found.record.settings.actionsEnabled ? found : undefined;
}

/**
 * What target tracking wants while one of its alarms is in ALARM. Scaling out goes by the latest minute. Scaling in goes
 * by the busiest minute of the alarm: the service does not say which it takes, and calls its scale-in conservative.
 */
function trackingWish(
  scope: Scope,
  policy: PolicyRecord,
  target: TargetRecord,
  { current, now }: { readonly current: number; readonly now: number },
  alarms: ReadonlyMap<string, Evaluated>,
): Wish | undefined {
  const tracking = policy.tracking!;
  const isCustom = tracking.CustomizedMetricSpecification !== undefined;
  for (const [role, direction] of [
    ['AlarmHigh', 'out'],
    ['AlarmLow', 'in'],
  ] as const) {
    const alarm = alarmOf(scope, policy, role, alarms);
    const values = valuesOf(alarm);
    if (alarm === undefined || values.length === 0) continue;
    const value = direction === 'out' ? values.at(-1)! : Math.max(...values);
    const cooldownMs = cooldownOf(tracking, direction);
    const base = direction === 'out' ? scaleOutBase(target, current, cooldownMs, now) : current;
    const wanted = isCustom
      ? proportionalCapacity(base, value, tracking.TargetValue)
      : trackedCapacity(value, tracking.TargetValue);
    const desired = clamp(wanted, target);
    if (direction === 'out' ? desired <= current : desired >= current) continue;
    return {
      ...{ direction, desired, base, cooldownMs },
      cause: `monitor alarm ${alarm.record.name} in state ALARM triggered policy ${policy.name}`,
    };
  }
  return undefined;
}

/** The values of the periods that an alarm evaluated. */
function valuesOf(alarm: Evaluated | undefined): readonly number[] {
  const points = alarm?.evaluation?.points ?? [];
  const count = alarm?.record.settings.evaluationPeriods ?? 0;
  return points
    .map(({ value }) => value)
    .filter((value) => value !== undefined)
    .slice(-count);
}

/** What a step policy wants: an alarm that names it as its action is in ALARM. */
function stepWish(
  scope: Scope,
  policy: PolicyRecord,
  target: TargetRecord,
  { current, now }: { readonly current: number; readonly now: number },
  evaluated: readonly Evaluated[],
): Wish | undefined {
  const step = policy.step!;
  const cooldownMs = (step.Cooldown ?? 0) * 1000;
  for (const one of evaluated) {
    const { record } = one;
    if (one.scope.account !== scope.account || one.scope.region !== scope.region) continue;
    if (record.state.value !== 'ALARM' || !record.settings.actionsEnabled) continue;
    if (!record.settings.alarmActions.some((action) => action.startsWith(policy.arn))) continue;
    const { breaches } = comparisons[record.settings.comparison];
    const values = valuesOf(one).filter((value) => breaches(value, record.settings.threshold));
    if (values.length === 0) continue;
    const distance = aggregated(values, step.MetricAggregationType) - record.settings.threshold;
    const from = (base: number) => clamp(steppedCapacity(step, base, distance) ?? current, target);
    const direction = from(current) > current ? 'out' : 'in';
    const base = direction === 'out' ? scaleOutBase(target, current, cooldownMs, now) : current;
    const desired = from(base);
    if (direction === 'out' ? desired <= current : desired === current) continue;
    return {
      ...{ direction, desired, base, cooldownMs },
      cause: `monitor alarm ${record.name} in state ALARM triggered policy ${policy.name}`,
    };
  }
  return undefined;
}
