import { useMemo, useRef, useState } from 'preact/hooks';
import { itemSize } from '../../../src/model/values/item-size.ts';
import { writeUnits } from '../../../src/physics/units.ts';
import { call, errorText, ServiceError } from '../../data/api.ts';
import { epoch } from '../../data/connection.ts';
import { type Item, keyId, keyOf, type WireItem, wireOf } from '../../data/items.ts';
import { stage } from '../../data/staged.ts';
import { descriptions, type TableDescription } from '../../data/tables.ts';
import { Button } from '../../parts/buttons.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { count, plural } from '../../parts/format.ts';
import { Notice } from '../../parts/states.tsx';
import type { DialogProps } from '../../shell/open-dialog.ts';
import { route } from '../../shell/router.ts';
import { toast } from '../../shell/toast.ts';
import { readImport } from './read-import.ts';

/** Brings items of a file or of the clipboard into the table. */
export default function ImportDialog({ onClose }: DialogProps) {
  const table = descriptions.value.get(route.value.table ?? '');
  if (table === undefined)
    return (
      <Dialog title="Import items" onClose={onClose}>
        <p>Open the table first that the items shall go into.</p>
      </Dialog>
    );
  return <ImportInto table={table} onClose={onClose} />;
}

function ImportInto({ table, onClose }: DialogProps & { readonly table: TableDescription }) {
  const [text, setText] = useState('');
  const [done, setDone] = useState<number>();
  const [problem, setProblem] = useState<string>();
  const stopped = useRef(false);
  const { items, problems } = useMemo(() => readImport(text, table), [text]);
  const isBusy = done !== undefined;
  const write = async (onlyNew: boolean) => {
    setDone(0);
    setProblem(undefined);
    try {
      const { written, kept } = await writeAll(table, items, onlyNew, setDone, () => stopped.current);
      toast(`Wrote ${plural(written, 'item')}${kept > 0 ? `, left ${count(kept)} that were there` : ''}`);
      epoch.value++;
      onClose();
    } catch (error) {
      setProblem(errorText(error));
    } finally {
      setDone(undefined);
    }
  };
  const units = items.reduce((sum, item) => sum + writeUnits(itemSize(item)), 0);
  return (
    <Dialog
      title={`Import items into ${table.TableName}`}
      onClose={() => {
        stopped.current = true;
        onClose();
      }}
      width={680}
      foot={
        <>
          {isBusy ? (
            <span class="grow soft">
              Wrote {count(done)} of {count(items.length)}
            </span>
          ) : (
            <span class="grow" />
          )}
          <Button
            disabled={items.length === 0 || items.length > 100 || isBusy}
            onClick={() => {
              stageAll(table, items);
              onClose();
            }}
            title="At most 100 items; nothing is written before the review"
          >
            Stage
          </Button>
          <Button disabled={items.length === 0 || isBusy} onClick={() => void write(true)}>
            Write new ones only
          </Button>
          <Button kind="primary" disabled={items.length === 0 || isBusy} onClick={() => void write(false)}>
            Write {plural(items.length, 'item')} · ≈ {count(units)} WCU
          </Button>
        </>
      }
    >
      <label class="labelled">
        A file of items: lines or a list of DynamoDB JSON or plain JSON
        <input
          type="file"
          accept=".json,.jsonl,.ndjson,application/json"
          onChange={(event) => void event.currentTarget.files?.[0]?.text().then(setText)}
        />
      </label>
      <label class="labelled">
        or paste them
        <textarea
          class="field mono"
          rows={10}
          spellcheck={false}
          value={text.length > 200_000 ? `${text.slice(0, 200_000)}\n…` : text}
          readOnly={text.length > 200_000}
          placeholder={'{"PK": "CUST#1", "SK": "PROFILE", "total": 12.50}'}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <p class="soft">
        {plural(items.length, 'item')} can be written. Items with the same key are overwritten, unless only
        new ones are written.
      </p>
      {problems.length > 0 ? <Notice kind="amber">{problems.slice(0, 5).join(' · ')}</Notice> : null}
      {problem ? <Notice>{problem}</Notice> : null}
    </Dialog>
  );
}

function stageAll(table: TableDescription, items: readonly Item[]): void {
  const keyNames = table.KeySchema.map(({ AttributeName }) => AttributeName);
  for (const item of items)
    stage({ table: table.TableName, keyNames, key: keyOf(table, item), before: undefined, after: item });
}

async function writeAll(
  table: TableDescription,
  items: readonly Item[],
  onlyNew: boolean,
  onProgress: (done: number) => void,
  isStopped: () => boolean,
): Promise<{ written: number; kept: number }> {
  const name = table.TableName;
  let [written, kept] = [0, 0];
  if (onlyNew) {
    const hash = table.KeySchema[0]!.AttributeName;
    for (const item of items) {
      if (isStopped()) break;
      try {
        await call('PutItem', {
          TableName: name,
          Item: wireOf(item),
          ConditionExpression: 'attribute_not_exists(#k)',
          ExpressionAttributeNames: { '#k': hash },
        });
        written++;
      } catch (error) {
        if (!(error instanceof ServiceError) || error.name !== 'ConditionalCheckFailedException') throw error;
        kept++;
      }
      if ((written + kept) % 20 === 0) onProgress(written + kept);
    }
    return { written, kept };
  }
  // The last of several items with one key counts; a batch takes a key only once.
  const byKey = new Map(items.map((item) => [keyId(name, keyOf(table, item)), item]));
  const waiting = [...byKey.values()].map((item) => ({ PutRequest: { Item: wireOf(item) } }));
  for (let pauseMs = 0; waiting.length > 0 && !isStopped(); ) {
    const part = waiting.splice(0, 25);
    const { UnprocessedItems } = await call<{
      UnprocessedItems?: Record<string, { PutRequest: { Item: WireItem } }[]>;
    }>('BatchWriteItem', { RequestItems: { [name]: part } });
    const left = UnprocessedItems?.[name] ?? [];
    waiting.push(...left);
    written += part.length - left.length;
    onProgress(written);
    pauseMs = left.length === 0 ? 0 : Math.min(2_000, pauseMs * 2 || 100);
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  return { written, kept };
}
