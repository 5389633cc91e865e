import { DynamoError } from '../model/errors.ts';
import { putItem } from '../operations/items/put-item.ts';
import { nextTurn, wait } from '../runtime/machine/machine.ts';
import { Failure } from './failure.ts';
import type { InitContext, Send } from './init.ts';
import type { Init } from './init-file.ts';
import type { InitTables } from './init-tables.ts';

/** Enough under way at once for the store to group them into few commits. */
const underWayMax = 256;
/** After so many, other things get a turn, such as the signal to stop. */
const itemsPerTurn = 512;

/**
 * Puts the items of an init file, except those for tables of the file that were there before. Tells how many.
 * Ends early when it is asked to stop.
 */
export async function loadItems(
  init: Extract<Init, { kind: 'tables' }>,
  tables: Pick<InitTables, 'created' | 'untilActive'>,
  send: Send,
  context: Pick<InitContext, 'output' | 'stop'>,
): Promise<number> {
  const existed = new Set(init.tables.map(({ TableName }) => TableName));
  for (const table of tables.created) existed.delete(table);
  let count = 0;
  for (const [table, items] of init.items) {
    if (existed.has(table)) continue;
    await tables.untilActive(table);
    await loadTable(init.path, table, items, send, context);
    count += items.length;
  }
  return count;
}

async function loadTable(
  path: string,
  table: string,
  items: readonly unknown[],
  send: Send,
  { output, stop }: Pick<InitContext, 'output' | 'stop'>,
): Promise<void> {
  let next = 0;
  let failed = false;
  const worker = async () => {
    for (;;) {
      const index = next++;
      if (index >= items.length || failed || stop.aborted) return;
      const error = await putOne(table, items[index], send);
      if (error !== undefined) {
        failed = true;
        throw new Failure(
          `${path}: item ${index + 1} of table ${table} was refused: ${error}\n${shown(items[index])}`,
        );
      }
      if (index % itemsPerTurn !== 0) continue;
      output.progress(`Loading ${table}: ${index} of ${items.length} items`);
      await nextTurn();
    }
  };
  await Promise.all(Array.from({ length: Math.min(underWayMax, items.length) }, worker));
}

/** Why an item was refused; throttling, which enforced physics act out, only delays it. */
async function putOne(table: string, item: unknown, send: Send): Promise<string | undefined> {
  for (let delayMs = 25; ; delayMs = Math.min(2 * delayMs, 1_000)) {
    const answer = await send(putItem, { TableName: table, Item: item });
    if (!(answer instanceof DynamoError)) return undefined;
    if (!throttled.includes(answer.name)) return `${answer.name}: ${answer.message}`;
    await wait(delayMs);
  }
}

const throttled = ['ProvisionedThroughputExceededException', 'ThrottlingException', 'RequestLimitExceeded'];

function shown(item: unknown): string {
  const text = JSON.stringify(item) ?? String(item);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
