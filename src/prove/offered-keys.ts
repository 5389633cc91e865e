import type { Request } from '../design/index.ts';

/** Units a second that callers asked of one partition key, retries not counted. */
export interface OfferedKey {
  readonly arm: string;
  readonly key: string;
  read: number;
  write: number;
}

interface Input {
  readonly TableName?: string;
  readonly IndexName?: string;
  readonly Key?: Readonly<Record<string, { readonly S?: string }>>;
  readonly Item?: Readonly<Record<string, { readonly S?: string }>>;
  readonly ExpressionAttributeValues?: Readonly<Record<string, { readonly S?: string }>>;
  readonly TransactItems?: readonly Readonly<Record<string, Input>>[];
}

/**
 * Counts which keys calls ask for, before anything is throttled. Small items are assumed: a write is one unit, two in a
 * transaction, a read half a unit. That tells a key that is too hot by itself from one that shares a partition with others.
 */
export class OfferedKeys {
  readonly #keys = new Map<string, OfferedKey>();
  readonly #partitionKeys: ReadonlyMap<string, string>;

  /** The partition key's name of each table, by the table's name. */
  constructor(partitionKeys: ReadonlyMap<string, string>) {
    this.#partitionKeys = partitionKeys;
  }

  count(requests: readonly Request[]): void {
    for (const { operation, input } of requests) {
      const sent = input as Input;
      if (operation === 'Query')
        this.#add(armOf(sent), sent.ExpressionAttributeValues?.[':p']?.S, 'read', 0.5);
      else if (operation === 'GetItem') this.#add(sent.TableName!, this.#keyOf(sent), 'read', 0.5);
      else if (operation === 'TransactWriteItems')
        for (const action of sent.TransactItems ?? [])
          for (const one of Object.values(action)) this.#add(one.TableName!, this.#keyOf(one), 'write', 2);
      else if (operation !== 'BatchGetItem') this.#add(sent.TableName!, this.#keyOf(sent), 'write', 1);
    }
  }

  #keyOf({ TableName, Key, Item }: Input): string | undefined {
    return (Item ?? Key)?.[this.#partitionKeys.get(TableName!) ?? 'PK']?.S;
  }

  #add(arm: string, key: string | undefined, kind: 'read' | 'write', units: number): void {
    if (key === undefined) return;
    const name = `${arm}\n${key}`;
    const known = this.#keys.get(name);
    if (known !== undefined) known[kind] += units;
    else this.#keys.set(name, { arm, key, read: 0, write: 0, [kind]: units });
  }

  /** The busiest keys of a table or index, in units a second. */
  top(
    arm: string,
    count: number,
    seconds: number,
  ): { readonly key: string; readonly read: number; readonly write: number }[] {
    const use = ({ read, write }: OfferedKey) => Math.max(read / 3_000, write / 1_000);
    return [...this.#keys.values()]
      .filter((one) => one.arm === arm)
      .sort((a, b) => use(b) - use(a))
      .slice(0, count)
      .map(({ key, read, write }) => ({ key, read: read / seconds, write: write / seconds }));
  }
}

function armOf({ TableName, IndexName }: Input): string {
  return IndexName === undefined ? TableName! : `${TableName!}/${IndexName}`;
}
