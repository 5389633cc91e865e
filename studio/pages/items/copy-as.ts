import { errorText } from '../../data/api.ts';
import { region } from '../../data/connection.ts';
import { type Item, keyOf, plainJson, wireOf } from '../../data/items.ts';
import type { TableDescription } from '../../data/tables.ts';
import { copyText, type MenuEntry } from '../../parts/buttons.tsx';
import { toast } from '../../shell/toast.ts';

/** What can be put on the clipboard of items. */
export function copyEntries(
  table: TableDescription,
  items: () => readonly Item[] | Promise<readonly Item[]>,
): MenuEntry[] {
  const copy = (label: string, text: (items: readonly Item[]) => string): MenuEntry => ({
    label: `Copy as ${label}`,
    icon: 'copy',
    run: async () => {
      try {
        await copyText(text(await items()), `Copied as ${label}`);
      } catch (error) {
        toast(errorText(error), { kind: 'red' });
      }
    },
  });
  const each = (call: (table: string, item: Item) => string) => (all: readonly Item[]) =>
    all.map((item) => call(table.TableName, item)).join('\n');
  return [
    copy('DynamoDB JSON', (all) => list(all, (item) => JSON.stringify(wireOf(item), null, 2))),
    copy('JSON', (all) => list(all, (item) => plainJson(item))),
    copy('CLI call', each(cliCall)),
    copy('SDK call', each(sdkCall)),
    copy('key', (all) => list(all, (item) => JSON.stringify(wireOf(keyOf(table, item))))),
  ];
}

function list(items: readonly Item[], text: (item: Item) => string): string {
  return items.length === 1 ? text(items[0]!) : `[\n${items.map(text).join(',\n')}\n]`;
}

function cliCall(table: string, item: Item): string {
  const json = JSON.stringify(wireOf(item)).replaceAll("'", "'\\''");
  return `aws dynamodb put-item --endpoint-url ${location.origin} --region ${region.value} --table-name ${table} --item '${json}'`;
}

function sdkCall(table: string, item: Item): string {
  const json = JSON.stringify(wireOf(item), null, 2).replaceAll('\n', '\n  ');
  return `await client.send(new PutItemCommand({\n  TableName: ${JSON.stringify(table)},\n  Item: ${json},\n}));`;
}

/** Lines of DynamoDB JSON, as exports to S3 have them. */
export function exportLines(items: readonly Item[]): string {
  return items.map((item) => `${JSON.stringify({ Item: wireOf(item) })}\n`).join('');
}

export function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
