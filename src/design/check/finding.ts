import type { CheckId } from './check-list.ts';

/** How bad a finding is. */
export type Severity = 'error' | 'warning' | 'note';

/** One rule that a model or a design breaks, with the number that shows it and what would help. */
export interface Finding {
  readonly check: CheckId;
  readonly severity: Severity;
  /** The pattern, entity, index or table, such as `read A5`. */
  readonly where: string;
  readonly message: string;
  readonly number?: Measure;
  readonly fix: string;
}

/** What was measured, and the limit that it stands against. */
export interface Measure {
  readonly value: number;
  readonly limit?: number;
  readonly unit: string;
}

const ranks: Readonly<Record<Severity, number>> = { error: 0, warning: 1, note: 2 };

/** Whether a finding is at least as bad as `least`. */
export function atLeast(severity: Severity, least: Severity): boolean {
  return ranks[severity] <= ranks[least];
}

export function bySeverity(a: Finding, b: Finding): number {
  return (
    ranks[a.severity] - ranks[b.severity] ||
    (a.check < b.check ? -1 : a.check > b.check ? 1 : 0) ||
    (a.where < b.where ? -1 : a.where > b.where ? 1 : 0)
  );
}
