import {
  type CompiledDesign,
  type ItemJson,
  PatternError,
  type Values,
  type WriteArguments,
  type WriteStep,
} from '../design/index.ts';
import type { Sender } from './sender.ts';
import type { UpdateOptions } from './types.ts';
import { runWrite } from './write-call.ts';

interface GetOptions {
  readonly consistency?: 'eventual' | 'strong';
}

/** Reads and writes of single instances, beside the patterns. The keys of all indexes follow the values. */
export class EntityRequests {
  readonly #name: string;
  readonly #compiled: CompiledDesign;
  readonly #sender: Sender;
  readonly #table: string;

  constructor(name: string, compiled: CompiledDesign, sender: Sender, table: string) {
    this.#name = name;
    this.#compiled = compiled;
    this.#sender = sender;
    this.#table = table;
  }

  get #placed() {
    return this.#compiled.entities.get(this.#name)!;
  }

  async get(key: Values, options: GetOptions = {}): Promise<Values | undefined> {
    const where = `${this.#name}.get`;
    const { Item } = await this.#sender.send(where, {
      operation: 'GetItem',
      input: {
        TableName: this.#table,
        Key: this.#placed.knownKey(where, key),
        ...(options.consistency === 'strong' ? { ConsistentRead: true } : {}),
      },
    });
    return Item === undefined ? undefined : this.#placed.valuesFrom(Item, this.#placed.base);
  }

  async getMany(keys: readonly Values[], options: GetOptions = {}): Promise<(Values | undefined)[]> {
    const where = `${this.#name}.getMany`;
    const { partitionKey, sortKey } = this.#placed.table;
    const nameOf = (item: ItemJson) => JSON.stringify([item[partitionKey], item[sortKey]]);
    const wanted = keys.map((key) => this.#placed.knownKey(where, key));
    // The service refuses a key that comes twice.
    const each = [...new Map(wanted.map((key) => [nameOf(key), key])).values()];
    const found = new Map<string, Values>();
    for (let at = 0; at < each.length; at += 100) {
      const { Responses } = await this.#sender.send(where, {
        operation: 'BatchGetItem',
        input: {
          RequestItems: {
            [this.#table]: {
              Keys: each.slice(at, at + 100),
              ...(options.consistency === 'strong' ? { ConsistentRead: true } : {}),
            },
          },
        },
      });
      for (const item of Responses?.[this.#table] ?? [])
        found.set(nameOf(item), this.#placed.valuesFrom(item, this.#placed.base));
    }
    return wanted.map((key) => found.get(nameOf(key)));
  }

  create(values: Values): Promise<void> {
    return this.#write(
      'create',
      { ...this.#step, kind: 'create', once: true, unique: [], values: [] },
      values,
    );
  }

  put(values: Values): Promise<void> {
    return this.#write('put', { ...this.#step, kind: 'create', once: false, unique: [], values: [] }, values);
  }

  async putMany(all: readonly Values[]): Promise<void> {
    const where = `${this.#name}.putMany`;
    const { unique, copies } = this.#placed;
    if (unique.length + copies.length > 0)
      throw new PatternError(
        where,
        `${this.#name} has ${unique.length > 0 ? 'unique values' : 'copies'}, which a batch cannot guard; use put`,
      );
    const { partitionKey, sortKey } = this.#placed.table;
    const items = all.map((values) => this.#compiled.item(this.#name, values).item);
    const keys = new Set(items.map((item) => JSON.stringify([item[partitionKey], item[sortKey]])));
    if (keys.size < items.length) throw new PatternError(where, 'two of the items have the same key');
    for (let at = 0; at < items.length; at += 25)
      await this.#sender.batchWrite(where, this.#table, items.slice(at, at + 25));
  }

  update(key: Values, changes: Values, { version }: UpdateOptions = {}): Promise<void> {
    const where = `${this.#name}.update`;
    const { entity } = this.#placed;
    if (version !== undefined && entity.version === undefined)
      throw new PatternError(where, `${this.#name} has no version`);
    const stable = new Set([...entity.identity, ...entity.fixed]);
    for (const name of Object.keys(changes)) {
      if (stable.has(name)) throw new PatternError(where, `"${name}" of ${this.#name} never changes`);
      if (!entity.attributes.some((one) => one.name === name))
        throw new PatternError(where, `${this.#name} has no attribute "${name}"`);
      if (version !== undefined && name === entity.version)
        throw new PatternError(where, `"${name}" is raised by the update itself`);
    }
    const sets = Object.keys(changes).map((attribute) => ({ attribute }));
    const checksVersion = version !== undefined;
    const known = Object.fromEntries(Object.entries(key).filter(([name]) => stable.has(name)));
    return this.#write(
      'update',
      { ...this.#step, kind: 'change', given: entity.identity, sets, when: [], checksVersion },
      { ...known, ...changes, ...(checksVersion ? { [entity.version!]: version } : {}) },
    );
  }

  delete(key: Values): Promise<void> {
    const { entity } = this.#placed;
    return this.#write('delete', { ...this.#step, kind: 'remove', given: entity.identity, when: [] }, key);
  }

  async counter(attribute: string, key: Values): Promise<number> {
    let at = this.#compiled.counter(this.#name, attribute, key) as ReturnType<CompiledDesign['counter']>;
    for (;;) {
      const answers = await Promise.all(
        at.requests.map((request) => this.#sender.send(`${this.#name}.counter`, request)),
      );
      const next = at.next(answers);
      if ('result' in next) return next.result;
      at = next;
    }
  }

  get #step() {
    return { entity: this.#name, count: 1 };
  }

  async #write(call: string, step: WriteStep, values: Values): Promise<void> {
    const name = `${this.#name}.${call}`;
    const rate = { peak: 0, mean: 0 };
    const plan = this.#compiled.plan({ name, steps: [step], atomic: false, rate, skew: [] });
    await runWrite(this.#sender, name, undefined, () =>
      plan.begin({ [this.#name]: values } as WriteArguments),
    );
  }
}
