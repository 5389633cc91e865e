import type { ReportedPattern } from '../../../src/observe/patterns/report-patterns.ts';
import { units } from '../../parts/format.ts';

export interface PatternVerdict {
  readonly kind: '' | 'amber' | 'red';
  readonly short: string;
  readonly long: string;
}

/** What the numbers of a pattern say about it; the worst thing only. */
export function verdictOn(pattern: ReportedPattern): PatternVerdict {
  const { operation, requests, filter, readUnits, results } = pattern;
  const throttled = Object.entries(pattern.errors)
    .filter(([name]) => /Throttling|ThroughputExceeded|RequestLimit/.test(name))
    .reduce((sum, [, times]) => sum + times, 0);
  if (throttled > 0)
    return {
      kind: 'red',
      short: 'throttled',
      long: `${throttled} requests were throttled. The page Partitions says which key asked for too much.`,
    };
  if (operation === 'Scan')
    return {
      kind: 'amber',
      short: 'a Scan',
      long: 'A Scan reads the whole table, and its price grows with it. An access pattern that runs often needs a key or an index.',
    };
  const each = readUnits / Math.max(1, requests);
  const returned = results?.average ?? 0;
  // An item of four kilobytes costs half a unit; far more than that for what is returned means that a filter discards most.
  if (filter !== null && each > 2 && returned * 0.5 < each / 4)
    return {
      kind: 'amber',
      short: 'filters away most',
      long: `A request reads ${units(each)} units and returns ${units(returned)} items: the filter discards most of what is read and paid. Put what it filters by into a sort key, or into a sparse index.`,
    };
  const failed = Object.values(pattern.conditionFailures).reduce((sum, times) => sum + times, 0);
  if (failed > requests / 2)
    return {
      kind: 'amber',
      short: 'conditions fail',
      long: 'More than half of the conditions do not hold. That is a business matter, not an outage: duplicates, lost races, or retries of what had succeeded.',
    };
  return { kind: '', short: 'one bounded request', long: 'Nothing stands out in the last hour.' };
}

/** A read or write of `stator/design` to start from. */
export function patternDraft({ name, operation, keyCondition, index, filter }: ReportedPattern): string {
  const id = name.replaceAll(
    /[^A-Za-z0-9]+(.)?/g,
    (_, next: string | undefined) => next?.toUpperCase() ?? '',
  );
  const about = [
    `// seen as ${operation}${index ? ` on ${index}` : ''}`,
    ...(keyCondition ? [`//   by ${keyCondition}`] : []),
    ...(filter ? [`//   filtered by ${filter}`] : []),
  ];
  const isRead = /Get|Query|Scan|SELECT/i.test(operation);
  return [
    ...about,
    isRead ? `${id || 'pattern'}: list(Entity, { by: [] }),` : `${id || 'pattern'}: write({ steps: [] }),`,
  ].join('\n');
}
