import { useEffect, useState } from 'preact/hooks';
import { loadModels, modelOfTable } from '../../data/models.ts';
import { allIndexes, type TableDescription } from '../../data/tables.ts';
import { Inspector } from '../../parts/page-frame.tsx';
import { MakePattern } from '../patterns/make-pattern.tsx';
import type { DraftKey, RequestShape } from '../patterns/pattern-draft.ts';
import type { Explanation } from './explanation.tsx';
import { statementMode } from './operations.ts';

/** What is in the editor, as a pattern for the model. */
export function PatternFromRequest({
  table,
  told,
  operation,
  text,
  onClose,
}: {
  readonly table: TableDescription;
  readonly told: Explanation | undefined;
  readonly operation: string;
  readonly text: string;
  readonly onClose: () => void;
}) {
  const known = modelOfTable(table.TableName);
  const [keys, setKeys] = useState<readonly DraftKey[]>([]);
  useEffect(() => {
    loadModels().catch(() => {});
  }, []);
  useEffect(() => {
    if (known === undefined) return;
    let isGone = false;
    import('../patterns/judge-model.ts').then(
      ({ judge }) => {
        if (!isGone) setKeys(judge(known.model, known.design, table.TableName).keys);
      },
      // The draft then names no entity.
      () => {},
    );
    return () => {
      isGone = true;
    };
  }, [known?.model, table.TableName]);
  return (
    <Inspector title="From this request" onClose={onClose}>
      <MakePattern shape={shapeOf(table, told, operation, text)} keys={keys} />
    </Inspector>
  );
}

function shapeOf(
  table: TableDescription,
  told: Explanation | undefined,
  operation: string,
  text: string,
): RequestShape {
  if (operation === statementMode) {
    const index = allIndexes(table).find(({ IndexName }) => IndexName === told?.target)?.IndexName;
    const filter = told?.parts.find((part) => part.startsWith('filter: '))?.slice('filter: '.length);
    const keyCondition = told?.parts.filter((part) => !/^(filter|condition): /.test(part)).join(' AND ');
    return { operation: told?.operation ?? 'ExecuteStatement', index, keyCondition, filter };
  }
  const request = parsed(text);
  const member = (name: string) => {
    const value = request[name];
    return typeof value === 'string' ? named(value, request.ExpressionAttributeNames) : undefined;
  };
  return {
    operation,
    index: member('IndexName'),
    keyCondition: member('KeyConditionExpression'),
    filter: member('FilterExpression'),
  };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** The expression with the attributes' own names. */
function named(expression: string, names: unknown): string {
  const known = typeof names === 'object' && names !== null ? (names as Record<string, unknown>) : {};
  return expression.replaceAll(/#\w+/g, (mark) => String(known[mark] ?? mark));
}
