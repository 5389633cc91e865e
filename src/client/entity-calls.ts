import type { WritePlan } from '../design/compile/write-plan.ts';
import {
  type CompiledDesign,
  type ItemJson,
  PatternError,
  type Values,
  type WriteArguments,
  type WriteStep,
} from '../design/index.ts';
import type { Designs } from './migration-phases.ts';
import type { Sender } from './sender.ts';
import type { UpdateOptions } from './types.ts';
import { runWrite } from './write-call.ts';

interface GetOptions {
  readonly consistency?: 'eventual' | 'strong';
}

/** Reads and writes of single instances, beside the patterns. The keys of all indexes follow the values. */
export class EntityRequests {
  readonly #name: string;
  readonly #designs: Designs;
  readonly #sender: Sender;
  readonly #table: string;
  /** The plans of the design that the last write used. */
  #plans: { readonly of: CompiledDesign; readonly byName: Map<string, WritePlan> } | undefined;

  constructor(name: string, designs: Designs, sender: Sender, table: string) {
    this.#name = name;
    this.#designs = designs;
    this.#sender = sender;
    this.#table = table;
  }

  #placedIn(compiled: CompiledDesign) {
    return compiled.entities.get(this.#name)!;
  }

  async get(key: Values, options: GetOptions = {}): Promise<Values | undefined> {
    const where = `${this.#name}.get`;
    const at = this.#designs.current();
    const placed = this.#placedIn(at instanceof Promise ? await at : at);
    const { Item } = await this.#sender.send(where, {
      operation: 'GetItem',
      input: {
        TableName: this.#table,
        Key: placed.knownKey(where, key),
        ...(options.consistency === 'strong' ? { ConsistentRead: true } : {}),
      },
    });
    return Item === undefined ? undefined : placed.valuesFrom(Item, placed.base);
  }

  async getMany(keys: readonly Values[], options: GetOptions = {}): Promise<(Values | undefined)[]> {
    const where = `${this.#name}.getMany`;
    const placed = this.#placedIn(await this.#designs.current());
    const { partitionKey, sortKey } = placed.table;
    const nameOf = (item: ItemJson) => JSON.stringify([item[partitionKey], item[sortKey]]);
    const wanted = keys.map((key) => placed.knownKey(where, key));
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
        found.set(nameOf(item), placed.valuesFrom(item, placed.base));
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
    const compiled = await this.#designs.current();
    const { unique, copies, table } = this.#placedIn(compiled);
    // While instances move, each is written under both keys at once.
    if (unique.length === 0 && copies.length > 0 && copies.every(({ mark }) => mark !== undefined))
      return this.#putEach(all);
    if (unique.length + copies.length > 0)
      throw new PatternError(
        where,
        `${this.#name} has ${unique.length > 0 ? 'unique values' : 'copies'}, which a batch cannot guard; use put`,
      );
    const { partitionKey, sortKey } = table;
    const items = all.map((values) => compiled.item(this.#name, values).item);
    const keys = new Set(items.map((item) => JSON.stringify([item[partitionKey], item[sortKey]])));
    if (keys.size < items.length) throw new PatternError(where, 'two of the items have the same key');
    for (let at = 0; at < items.length; at += 25)
      await this.#sender.batchWrite(
        where,
        this.#table,
        items.slice(at, at + 25),
        Math.max(0, items.length - at - 25),
      );
  }

  async #putEach(all: readonly Values[]): Promise<void> {
    const width = 8;
    for (let at = 0; at < all.length; at += width)
      await Promise.all(all.slice(at, at + width).map((values) => this.put(values)));
  }

  async update(key: Values, changes: Values, { version }: UpdateOptions = {}): Promise<void> {
    const where = `${this.#name}.update`;
    const at = this.#designs.current();
    const { entity } = this.#placedIn(at instanceof Promise ? await at : at);
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

  async delete(key: Values): Promise<void> {
    const at = this.#designs.current();
    const { entity } = this.#placedIn(at instanceof Promise ? await at : at);
    return this.#write('delete', { ...this.#step, kind: 'remove', given: entity.identity, when: [] }, key);
  }

  async counter(attribute: string, key: Values): Promise<number> {
    const compiled = await this.#designs.current();
    let at = compiled.counter(this.#name, attribute, key) as ReturnType<CompiledDesign['counter']>;
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

  /** Only what an update sets differs from call to call. */
  #planOf(compiled: CompiledDesign, name: string, step: WriteStep): WritePlan {
    const made = () =>
      compiled.plan({ name, steps: [step], atomic: false, rate: { peak: 0, mean: 0 }, skew: [] });
    if (step.kind === 'change') return made();
    if (this.#plans?.of !== compiled) this.#plans = { of: compiled, byName: new Map() };
    let plan = this.#plans.byName.get(name);
    if (plan === undefined) {
      plan = made();
      this.#plans.byName.set(name, plan);
    }
    return plan;
  }

  async #write(call: string, step: WriteStep, values: Values): Promise<void> {
    const name = `${this.#name}.${call}`;
    const at = this.#designs.current();
    const plan = this.#planOf(at instanceof Promise ? await at : at, name, step);
    await runWrite(this.#sender, name, undefined, (options) =>
      plan.begin({ [this.#name]: values } as WriteArguments, options),
    );
  }
}
