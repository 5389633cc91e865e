import type { Endpoint, ServiceName } from './endpoint.ts';

/** Every operation that the doctor may call. None of them changes anything. */
const readOnlyOperations: Readonly<Record<ServiceName, readonly string[]>> = {
  dynamodb: [
    'ListTables',
    'DescribeTable',
    'DescribeContinuousBackups',
    'DescribeTimeToLive',
    'DescribeContributorInsights',
    'Scan',
  ],
  cloudwatch: ['ListMetrics', 'GetMetricData', 'DescribeAlarms', 'GetInsightRuleReport'],
  autoscaling: ['DescribeScalableTargets'],
};

/** What could not be seen, and what the findings lack for it. */
export interface NotSeen {
  /** What is missing, such as `alarms`. */
  readonly what: string;
  /** The tables that it is about; absent if all. */
  readonly tables?: readonly string[];
  readonly why: string;
  /** What would show it. */
  readonly remedy?: string;
}

export interface Consumed {
  /** Read units of the sampled Scans. */
  readonly readUnits: number;
  readonly requests: number;
  /** Metrics that were asked of CloudWatch, which AWS charges by the thousand. */
  readonly metrics: number;
}

/** Asks an endpoint, counts what that costs, and remembers what was denied. */
export class Questions {
  readonly endpoint: Endpoint;
  readonly #denied = new Map<string, { what: string; why: string; remedy: string; tables: Set<string> }>();
  readonly #others: NotSeen[] = [];
  #requests = 0;
  #metrics = 0;
  #readUnits = 0;

  constructor(endpoint: Endpoint) {
    this.endpoint = endpoint;
  }

  get consumed(): Consumed {
    return { readUnits: this.#readUnits, requests: this.#requests, metrics: this.#metrics };
  }

  get notSeen(): NotSeen[] {
    const denied = [...this.#denied.values()].map(({ what, why, remedy, tables }) => ({
      ...{ what, why, remedy },
      ...(tables.size > 0 && { tables: [...tables].sort() }),
    }));
    return [...denied, ...this.#others];
  }

  spendUnits(units: number): void {
    this.#readUnits += units;
  }

  spendMetrics(metrics: number): void {
    this.#metrics += metrics;
  }

  missing(one: NotSeen): void {
    this.#others.push(one);
  }

  /** The answer; undefined if it was denied, does not exist, or is not known there. `what` names it for people. */
  async ask<Answer>(
    service: ServiceName,
    operation: string,
    input: object,
    what: string,
    table?: string,
  ): Promise<Answer | undefined> {
    if (!readOnlyOperations[service].includes(operation))
      throw new Error(`${operation} is no operation of a doctor`);
    this.#requests++;
    try {
      return (await this.endpoint.call(service, operation, input)) as Answer;
    } catch (error) {
      const why = reasonOf(error, service);
      if (why === undefined) throw error;
      if (why !== 'gone') this.#deny(service, operation, what, why, error as Error, table);
      return undefined;
    }
  }

  #deny(
    service: ServiceName,
    operation: string,
    what: string,
    why: 'denied' | 'throttled' | 'unknown',
    error: Error,
    table: string | undefined,
  ): void {
    const action = `${actionPrefix[service]}:${operation}`;
    const id = `${action} ${why}`;
    let denied = this.#denied.get(id);
    if (denied === undefined) {
      denied = {
        what,
        why:
          why === 'denied'
            ? `${error.name}: these credentials may not call ${action}`
            : why === 'throttled'
              ? `${error.name}: ${action} was throttled`
              : `the endpoint does not answer ${action} (${error.name}: ${error.message.slice(0, 120)})`,
        remedy:
          why === 'denied'
            ? `Allow ${action} to the role that runs the doctor.`
            : why === 'throttled'
              ? 'Look again later, or at fewer tables with --table.'
              : 'Ask an endpoint that has it.',
        tables: new Set(),
      };
      this.#denied.set(id, denied);
    }
    if (table !== undefined) denied.tables.add(table);
  }
}

const actionPrefix: Readonly<Record<ServiceName, string>> = {
  dynamodb: 'dynamodb',
  cloudwatch: 'cloudwatch',
  autoscaling: 'application-autoscaling',
};

/** Why a question has no answer, if that is no reason to give up. */
function reasonOf(
  error: unknown,
  service: ServiceName,
): 'denied' | 'gone' | 'throttled' | 'unknown' | undefined {
  const name = error instanceof Error ? error.name : '';
  if (/AccessDenied|NotAuthorized|UnauthorizedOperation/.test(name)) return 'denied';
  if (/^(ResourceNotFound|TableNotFound)/.test(name)) return 'gone';
  if (/Throttling|ThroughputExceeded|RequestLimitExceeded/.test(name)) return 'throttled';
  if (/^(UnknownOperation|InvalidAction)/.test(name)) return 'unknown';
  // Many endpoints are DynamoDB only, and say so in their own ways; a network may lead to DynamoDB only.
  if (service !== 'dynamodb' && name !== 'TypeError') return 'unknown';
  return undefined;
}
