import { JsonReader } from '../../src/model/json/json-reader.ts';
import { Stator } from '../../src/stator.ts';
import { type CaseName, cases } from '../http/cases.ts';
import { fillPlainly, wholeRequest } from '../http/in-process.ts';
import { Orders, tableDefinition } from '../http/items.ts';
import { atMost, type Suite } from '../suite.ts';

/** How often a request reads JSON: once, for its own body, and never for an item that is stored already. */
export const jsonReads: Suite = async ({ seed }, onProgress) => {
  onProgress('how often requests read JSON');
  const orders = new Orders(100, seed);
  const db = await Stator.open();
  try {
    await db.createTable(tableDefinition as unknown as Parameters<Stator['createTable']>[0]);
    await fillPlainly(db, orders);
    const findings = [];
    for (const name of names) {
      const { operation, input } = cases[name];
      // The first request finds the table and keeps what its expressions mean.
      await wholeRequest(db, operation, input(orders, 6, 1));
      const reads = await countReads(() => wholeRequest(db, operation, input(orders, 7, 1)));
      findings.push(atMost(`${name}: JSON is read`, reads, 1, 'times'));
    }
    return { findings, tables: [], notes: [] };
  } finally {
    await db.close();
  }
};

const names: readonly CaseName[] = ['get', 'query', 'index', 'batch-get', 'put', 'update'];

async function countReads(work: () => Promise<unknown>): Promise<number> {
  const { read } = JsonReader.prototype;
  const { parse } = JSON;
  let count = 0;
  JsonReader.prototype.read = function (this: JsonReader, ...args) {
    count++;
    return read.apply(this, args);
  };
  JSON.parse = (text, reviver) => {
    count++;
    return parse(text, reviver) as unknown;
  };
  try {
    await work();
    return count;
  } finally {
    JsonReader.prototype.read = read;
    JSON.parse = parse;
  }
}
