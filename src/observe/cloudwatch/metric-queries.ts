import { type CloudWatchError, validationError } from './cloudwatch-errors.ts';
import type { MetricDataQuery } from './cloudwatch-shapes.ts';
import { MathError, type MathNode, namesIn, parseMath } from './math-syntax.ts';
import { isPeriod } from './metric-reading.ts';
import { readStatistic, type Statistic } from './statistics.ts';

/** The queries of a request, checked, in an order in which each expression follows what it uses. */
export interface PlannedQueries {
  readonly inOrder: readonly PlannedQuery[];
}

export type PlannedQuery = { readonly query: MetricDataQuery; readonly at: number } & (
  | { readonly kind: 'metric'; readonly statistic: Statistic }
  | { readonly kind: 'expression'; readonly node: MathNode }
);

const idForm = /^[a-z][a-zA-Z0-9_]*$/;

/** Checks queries of GetMetricData, or of an alarm, whose errors name another parameter. */
export function planQueries(
  queries: readonly MetricDataQuery[],
  parameter: 'MetricDataQueries' | 'Metrics' = 'MetricDataQueries',
): PlannedQueries | CloudWatchError {
  const planned = new Map<string, PlannedQuery>();
  for (const [at, query] of queries.entries()) {
    const { Id } = query;
    const place = `${parameter}.member.${at + 1}`;
    if (!idForm.test(Id))
      return validationError(
        `The value ${Id} for parameter ${place}.Id is invalid: it must begin with a lowercase letter and hold only letters, digits and underscores.`,
      );
    if (planned.has(Id))
      return validationError(`The values for parameter Id in ${parameter} are not unique.`);
    const one = plan(query, at, place);
    if (!('kind' in one)) return one;
    planned.set(Id, one);
  }
  return inOrder(planned);
}

function plan(query: MetricDataQuery, at: number, place: string): PlannedQuery | CloudWatchError {
  const { MetricStat, Expression, Id } = query;
  if ((MetricStat === undefined) === (Expression === undefined))
    return validationError(
      `The parameter ${place} must have exactly one of the parameters MetricStat and Expression.`,
    );
  if (query.Period !== undefined && !isPeriod(query.Period)) return wrongPeriod(`${place}.Period`);
  if (Expression !== undefined) {
    if (/^\s*SELECT\b/i.test(Expression))
      return validationError(
        `Error in expression '${Id}': Metrics Insights queries (SELECT) are not supported by Stator`,
      );
    const node = parseMath(Expression);
    if (node instanceof MathError) return expressionError(Id, node);
    return { kind: 'expression', query, at, node };
  }
  const { Metric, Stat, Period } = MetricStat!;
  if (Metric.Namespace === undefined)
    return validationError(`The parameter ${place}.MetricStat.Metric.Namespace is required.`);
  if (Metric.MetricName === undefined)
    return validationError(`The parameter ${place}.MetricStat.Metric.MetricName is required.`);
  if (!isPeriod(Period)) return wrongPeriod(`${place}.MetricStat.Period`);
  const statistic = readStatistic(Stat);
  if (statistic === undefined)
    return validationError(`The value ${Stat} for parameter ${place}.MetricStat.Stat is not supported.`);
  return { kind: 'metric', query, at, statistic };
}

function wrongPeriod(parameter: string): CloudWatchError {
  return validationError(
    `The parameter ${parameter} must be a value in the set [ 1, 5, 10, 20, 30 ] or a multiple of 60.`,
  );
}

export function expressionError(id: string, { message }: MathError): CloudWatchError {
  return validationError(`Error in expression '${id}': ${message}`);
}

/** Depth first, so that a circle shows. METRICS() uses metrics only, which need no order. */
function inOrder(planned: ReadonlyMap<string, PlannedQuery>): PlannedQueries | CloudWatchError {
  const done = new Set<string>();
  const open = new Set<string>();
  const ordered: PlannedQuery[] = [];
  const visit = (id: string): CloudWatchError | undefined => {
    const one = planned.get(id)!;
    if (done.has(id)) return undefined;
    if (open.has(id))
      return expressionError(id, new MathError('Expressions refer to each other in a circle'));
    open.add(id);
    for (const name of one.kind === 'expression' ? namesIn(one.node) : []) {
      // A word such as REPEAT stands where a name might; evaluation knows which words there are.
      if (!planned.has(name)) {
        if (idForm.test(name))
          return expressionError(id, new MathError(`Unrecognized identifier: '${name}'`));
        continue;
      }
      const wrong = visit(name);
      if (wrong !== undefined) return wrong;
    }
    open.delete(id);
    done.add(id);
    ordered.push(one);
    return undefined;
  };
  for (const id of planned.keys()) {
    const wrong = visit(id);
    if (wrong !== undefined) return wrong;
  }
  return { inOrder: ordered };
}
