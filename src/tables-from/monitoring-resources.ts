import type { Intrinsics } from './intrinsic-functions.ts';
import { isObject, type Members, picked, TablesError } from './table-definition.ts';
import { flag } from './table-resource.ts';

/** The requests of CloudWatch and Application Auto Scaling that a template's resources stand for. */
export interface TemplateMonitoring {
  /** PutMetricAlarm. */
  readonly alarms: readonly Members[];
  /** RegisterScalableTarget. */
  readonly targets: readonly Members[];
  /** PutScheduledAction. */
  readonly schedules: readonly Members[];
  /** PutScalingPolicy. */
  readonly policies: readonly Members[];
}

/** A resource that is no table. */
export interface Resource {
  readonly id: string;
  readonly type: string;
  readonly properties: Members;
}

/**
 * Alarms, scalable targets and scaling policies of a template. A member that only a deployment knows is left out with a
 * note; a resource that cannot do without it is left out whole. Everything else that is no table is counted in one note.
 */
export function monitoringOf(
  resources: readonly Resource[],
  intrinsics: Intrinsics,
  note: (line: string) => void,
): TemplateMonitoring {
  const found = {
    alarms: [] as Members[],
    targets: [] as Members[],
    schedules: [] as Members[],
    policies: [] as Members[],
  };
  const others = new Map<string, number>();
  const known = new Map(resources.map((one) => [one.id, one]));
  for (const resource of resources) {
    const { id, type } = resource;
    try {
      if (type === 'AWS::CloudWatch::Alarm') found.alarms.push(alarm(resource, intrinsics, note));
      else if (type === 'AWS::ApplicationAutoScaling::ScalableTarget') {
        const target = targetOf(resource, intrinsics);
        if (target.ServiceNamespace !== 'dynamodb') {
          note(`${id} is left out: it scales ${String(target.ServiceNamespace)}, and not a table`);
          continue;
        }
        // The role is the service's affair.
        const { MinCapacity, MaxCapacity, SuspendedState } = asNumbers(
          resolved(resource, intrinsics, ['MinCapacity', 'MaxCapacity', 'SuspendedState']),
        ) as Members;
        found.targets.push(present({ ...target, MinCapacity, MaxCapacity, SuspendedState }));
        found.schedules.push(...schedulesOf(resource, target, intrinsics));
      } else if (type === 'AWS::ApplicationAutoScaling::ScalingPolicy')
        found.policies.push(policy(resource, known, intrinsics));
      else others.set(type, (others.get(type) ?? 0) + 1);
    } catch (error) {
      if (!(error instanceof TablesError)) throw error;
      note(`${id} is left out: ${error.message}`);
    }
  }
  if (others.size > 0)
    note(
      `left out: ${[...others].map(([type, count]) => (count === 1 ? type : `${count} × ${type}`)).join(', ')}`,
    );
  return found;
}

const optionalOfAlarms = ['AlarmActions', 'OKActions', 'InsufficientDataActions', 'Tags', 'AlarmDescription'];

function alarm({ id, properties }: Resource, intrinsics: Intrinsics, note: (line: string) => void): Members {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(properties)) {
    try {
      const { [name]: found } = intrinsics.resolve({ [name]: value }) as Members;
      if (found !== undefined) kept[name] = found;
    } catch (error) {
      if (!(error instanceof TablesError) || !optionalOfAlarms.includes(name)) throw error;
      note(`${name} of ${id} is left out: ${error.message}`);
    }
  }
  const { Dimensions: dimensions, ActionsEnabled: enabled, AlarmName: name = id, ...others } = kept;
  const numbers = Object.fromEntries(
    Object.entries(others).map(([member, value]) => [
      member,
      numericMembers.has(member) || member === 'Metrics' ? asNumbers(value) : value,
    ]),
  );
  return present({ AlarmName: name, ...numbers, Dimensions: dimensions, ActionsEnabled: flag(enabled) });
}

const numericMembers = new Set(['Period', 'EvaluationPeriods', 'DatapointsToAlarm', 'Threshold']);

const targetMembers = ['ResourceId', 'ScalableDimension', 'ServiceNamespace'];

/** What names a scalable target: `Ref` of one gives these three. */
function targetOf(resource: Resource, intrinsics: Intrinsics): Members {
  const { ResourceId, ScalableDimension, ServiceNamespace } = resolved(resource, intrinsics, targetMembers);
  return { ServiceNamespace, ResourceId, ScalableDimension };
}

function schedulesOf(resource: Resource, target: Members, intrinsics: Intrinsics): Members[] {
  const { ScheduledActions: actions } = resolved(resource, intrinsics, ['ScheduledActions']);
  return (Array.isArray(actions) ? actions : []).filter(isObject).map((one) => ({
    ...target,
    ...one,
    ScalableTargetAction: asNumbers(one.ScalableTargetAction),
  }));
}

function policy(resource: Resource, known: ReadonlyMap<string, Resource>, intrinsics: Intrinsics): Members {
  const { ScalingTargetId: id, ...properties } = resource.properties;
  const { PolicyName, PolicyType, ...rest } = resolved(
    { ...resource, properties },
    intrinsics,
    Object.keys(properties),
  );
  const target = id === undefined ? {} : targetNamed(id, known, intrinsics);
  return present({
    PolicyName: PolicyName ?? resource.id,
    PolicyType,
    ServiceNamespace: rest.ServiceNamespace,
    ResourceId: rest.ResourceId,
    ScalableDimension: rest.ScalableDimension,
    ...target,
    TargetTrackingScalingPolicyConfiguration: asNumbers(rest.TargetTrackingScalingPolicyConfiguration),
    StepScalingPolicyConfiguration: asNumbers(rest.StepScalingPolicyConfiguration),
  });
}

/** `table/orders|dynamodb:table:ReadCapacityUnits|dynamodb`, or a reference to the target's resource. */
function targetNamed(id: unknown, known: ReadonlyMap<string, Resource>, intrinsics: Intrinsics): Members {
  const referred = isObject(id) && typeof id.Ref === 'string' ? known.get(id.Ref) : undefined;
  if (referred !== undefined) return targetOf(referred, intrinsics);
  const [ResourceId, ScalableDimension, ServiceNamespace] = String(intrinsics.resolve(id)).split('|');
  return { ServiceNamespace, ResourceId, ScalableDimension };
}

function resolved({ properties }: Resource, intrinsics: Intrinsics, names: readonly string[]): Members {
  return intrinsics.resolve(picked(properties, names)) as Members;
}

/** Templates write numbers and flags as texts too. Names and units are never digits alone in these resources. */
export function asNumbers(value: unknown): unknown {
  if (typeof value === 'string') {
    if (/^-?\d+(\.\d+)?$/.test(value.trim())) return Number(value);
    return flag(value);
  }
  if (Array.isArray(value)) return value.map(asNumbers);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      // The value of a dimension is a text, whatever it looks like.
      name === 'Value' || name === 'Id' || name === 'Expression' ? inner : asNumbers(inner),
    ]),
  );
}

function present(members: Members): Members {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
