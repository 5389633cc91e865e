import { useEffect, useState } from 'preact/hooks';
import { readUnits } from '../../../src/physics/units.ts';
import { control, errorText } from '../../data/api.ts';
import { AwayError, epoch, region } from '../../data/connection.ts';
import { allIndexes, descriptions } from '../../data/tables.ts';
import { units } from '../../parts/format.ts';
import { isRead, statementMode } from './operations.ts';

/** What a request comes down to and what it will cost, before it runs. */
export interface Explanation {
  readonly operation: string;
  readonly target: string;
  readonly parts: readonly string[];
  readonly cost: string | undefined;
  readonly isScan: boolean;
  readonly isWrite: boolean;
  readonly warnings: readonly string[];
  readonly problem?: string;
}

interface Explained {
  readonly operation: string;
  readonly table: string;
  readonly index?: string;
  readonly requests: number;
  readonly keyConditions: readonly string[];
  readonly filter?: string;
  readonly condition?: string;
  readonly update?: string;
  readonly estimate: { readonly kind: 'read' | 'write'; readonly least: number; readonly most: number };
  readonly warnings: readonly string[];
}

const waitMs = 300;

/** Asks the server while somebody types, a moment after the last key. JSON requests are explained here. */
export function useExplanation(operation: string, text: string): Explanation | undefined {
  const [found, setFound] = useState<Explanation>();
  const connection = epoch.value;
  useEffect(() => {
    if (operation !== statementMode) return setFound(explainJson(operation, text));
    const gone = new AbortController();
    const timer = setTimeout(() => {
      void explainStatement(text, gone.signal).then((next) => {
        if (!gone.signal.aborted) setFound(next);
      });
    }, waitMs);
    return () => {
      clearTimeout(timer);
      gone.abort();
    };
  }, [operation, text, connection]);
  return found;
}

async function explainStatement(statement: string, signal: AbortSignal): Promise<Explanation | undefined> {
  if (statement.trim() === '') return undefined;
  const isWrite = !/^\s*SELECT\b/i.test(statement);
  try {
    const told = await control<Explained>('POST', 'explain', { statement, region: region.value }, signal);
    const { estimate, keyConditions, filter, condition, update } = told;
    const unit = estimate.kind === 'read' ? 'RCU' : 'WCU';
    const least = units(estimate.least);
    const most = units(estimate.most);
    return {
      operation: told.requests > 1 ? `${told.operation} ×${told.requests}` : told.operation,
      target: told.index ?? told.table,
      parts: [
        ...keyConditions,
        ...(filter ? [`filter: ${filter}`] : []),
        ...(condition ? [`condition: ${condition}`] : []),
        ...(update ? [update] : []),
      ],
      cost: least === most ? `${least} ${unit}` : `${least}–${most} ${unit}`,
      isScan: told.operation === 'Scan',
      isWrite,
      warnings: told.warnings,
    };
  } catch (error) {
    // Without a server nothing can be said, which is no fault of the statement.
    if (signal.aborted || error instanceof AwayError) return undefined;
    const rest = {
      operation: 'PartiQL',
      target: '',
      parts: [],
      cost: undefined,
      isScan: false,
      warnings: [],
    };
    return { ...rest, isWrite, problem: errorText(error) };
  }
}

function explainJson(operation: string, text: string): Explanation {
  const isScan = operation === 'Scan';
  const rest = { operation, isScan, isWrite: !isRead(operation) };
  const unknown = { ...rest, target: '', parts: [], cost: undefined, warnings: [] };
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    return { ...unknown, problem: `Not JSON: ${(error as Error).message}` };
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    return { ...unknown, problem: 'A request is an object of parameters' };
  const input = parsed as Readonly<Record<string, unknown>>;
  const table = descriptions.value.get(String(input.TableName ?? ''));
  const index = table && allIndexes(table).find(({ IndexName }) => IndexName === input.IndexName);
  const target = String(input.IndexName ?? input.TableName ?? '');
  const parts = [input.KeyConditionExpression, input.FilterExpression && `filter: ${input.FilterExpression}`];
  const warnings: string[] = [];
  let cost: string | undefined;
  if (table !== undefined && (isScan || operation === 'Query')) {
    const bytes = index?.IndexSizeBytes ?? table.TableSizeBytes;
    const items = Math.max(1, index?.ItemCount ?? table.ItemCount);
    const limit = typeof input.Limit === 'number' ? input.Limit : items;
    const consistency = input.ConsistentRead === true ? 'strong' : 'eventual';
    const page = Math.min(1024 * 1024, (bytes / items) * Math.min(items, limit));
    cost = `${isScan ? '≈' : '≤'} ${units(readUnits(page, consistency))} RCU a page`;
    if (isScan) warnings.push(`A Scan of everything costs ${units(readUnits(bytes, consistency))} RCU.`);
  }
  return { ...rest, target, parts: parts.filter(Boolean).map(String), cost, warnings };
}

export function ExplanationLine({ told }: { readonly told: Explanation | undefined }) {
  if (told === undefined)
    return <div class="explain faint">Type a request to see what it comes down to.</div>;
  if (told.problem !== undefined) return <div class="explain red">{told.problem}</div>;
  return (
    <div class="explain">
      <span class={`badge ${told.isScan ? 'amber' : told.isWrite ? 'red' : 'accent'}`}>{told.operation}</span>
      <span class="mono">{told.target}</span>
      {told.parts.map((part) => (
        <bdi key={part} class="mono soft cut">
          {part}
        </bdi>
      ))}
      {told.cost ? <span class={told.isScan ? 'amber' : 'soft'}>{told.cost}</span> : null}
      {told.warnings.map((warning) => (
        <span key={warning} class="amber">
          {warning}
        </span>
      ))}
    </div>
  );
}
