import { type CheckId, checkList, type Severity } from './check-list.ts';

/** One thing that is wrong with a table, as plain data: what the studio shows and what `--json` prints. */
export interface Finding {
  readonly id: CheckId;
  readonly severity: Severity;
  /** The table; `*` for a finding about the whole account. */
  readonly table: string;
  readonly index?: string;
  /** The access pattern, by the name that the caller gave it or by its shape. */
  readonly pattern?: string;
  /** The key that the finding is about, as people write it. */
  readonly key?: string;
  /** What somebody notices. */
  readonly symptom: string;
  /** Why it most likely happens. */
  readonly cause: string;
  /** What the doctor saw: keys, numbers, times. */
  readonly evidence: readonly string[];
  /** The command that shows the same to a reader. */
  readonly confirm: string;
  readonly fix: { readonly text: string; readonly command?: string };
  /** The page with the whole story. */
  readonly runbook: string;
}

/** What a check tells of a finding; the list of checks has the rest. */
export interface Told {
  readonly severity?: Severity;
  readonly index?: string | undefined;
  readonly pattern?: string | undefined;
  readonly key?: string | undefined;
  readonly symptom: string;
  readonly cause: string;
  readonly evidence: readonly string[];
  readonly confirm: string;
  readonly fix: string;
  readonly command?: string | undefined;
}

export function finding(id: CheckId, table: string, told: Told): Finding {
  const { severity, runbook } = checkList[id];
  return {
    id,
    severity: told.severity ?? severity,
    table,
    ...(told.index !== undefined && { index: told.index }),
    ...(told.pattern !== undefined && { pattern: told.pattern }),
    ...(told.key !== undefined && { key: told.key }),
    symptom: told.symptom,
    cause: told.cause,
    evidence: told.evidence,
    confirm: told.confirm,
    fix: { text: told.fix, ...(told.command !== undefined && { command: told.command }) },
    runbook: `docs/runbooks/${runbook}.md`,
  };
}

const ranks: Readonly<Record<Severity, number>> = { error: 0, warning: 1, note: 2 };
const order = new Map(Object.keys(checkList).map((id, at) => [id, at]));

/** Worst first, then by check, table and index, so that two looks at the same state read alike. */
export function bySeverity(a: Finding, b: Finding): number {
  return (
    ranks[a.severity] - ranks[b.severity] ||
    order.get(a.id)! - order.get(b.id)! ||
    compare(a.table, b.table) ||
    compare(a.index ?? '', b.index ?? '') ||
    compare(a.pattern ?? '', b.pattern ?? '')
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
