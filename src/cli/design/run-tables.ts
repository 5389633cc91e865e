import { type CompiledDesign, createTableRequests } from '../../design/index.ts';
import type { EndpointCaller } from '../../kit/endpoint-caller.ts';
import { ServiceError } from '../../kit/service-error.ts';
import { machine, wait } from '../../runtime/machine/machine.ts';
import type { Population } from '../../workload/population.ts';
import { storedInstances } from '../../workload/stored-instances.ts';
import { Failure } from '../failure.ts';
import type { Output } from '../output.ts';
import { patientCall } from '../patient-call.ts';
import { progressText } from '../progress-text.ts';
import { BatchWriter, type WireItem } from '../transfer/batch-writer.ts';
import { withText } from '../wire-values.ts';

/** Where a workload runs. */
export interface RunPlace {
  readonly caller: EndpointCaller;
  readonly compiled: CompiledDesign;
  /** The real name of a table of the design. */
  readonly nameOf: (table: string) => string;
  readonly output: Output;
  readonly signal: AbortSignal;
}

interface Key {
  readonly AttributeName: string;
  readonly KeyType: string;
}

interface Described {
  readonly TableStatus: string;
  readonly KeySchema: readonly Key[];
  readonly GlobalSecondaryIndexes?: readonly DescribedIndex[];
  readonly LocalSecondaryIndexes?: readonly DescribedIndex[];
}

interface DescribedIndex {
  readonly IndexName: string;
  readonly KeySchema: readonly Key[];
}

const pollMs = 250;

/** Creates the tables of a design that are not there, and adds them to `created`. One that is there must be `fill`ed. */
export async function createTables(place: RunPlace, fill: boolean, created: string[]): Promise<void> {
  const { caller, compiled, nameOf, output, signal } = place;
  const requests = createTableRequests(compiled.model, compiled.design).map((request) => ({
    ...request,
    TableName: nameOf(request.TableName),
    ttl: compiled.ttlAttribute(request.TableName),
  }));
  const found = await Promise.all(requests.map(({ TableName }) => describe(caller, TableName)));
  // All are looked at before the first is created.
  for (const [at, request] of requests.entries()) {
    const there = found[at];
    if (there === undefined) continue;
    if (!fill)
      throw new Failure(
        `Table ${request.TableName} is there already.`,
        'Add --fill to put the sample beside what it holds, --traffic to play a file at it, or give it another name with --tables.',
      );
    refuseOther(request, there);
  }
  for (const [at, { ttl: AttributeName, ...request }] of requests.entries()) {
    const { TableName } = request;
    if (found[at] !== undefined) continue;
    await caller.call('CreateTable', request);
    created.push(TableName);
    output.progress(`Creating ${TableName}`);
    await untilActive(caller, TableName, signal);
    if (AttributeName !== undefined)
      await caller.call('UpdateTimeToLive', {
        TableName,
        TimeToLiveSpecification: { AttributeName, Enabled: true },
      });
  }
}

async function untilActive(caller: EndpointCaller, TableName: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const found = await describe(caller, TableName);
    if (found === undefined) throw new Failure(`Table ${TableName} was removed meanwhile.`);
    if (found.TableStatus === 'ACTIVE') return;
    await wait(pollMs, undefined, { signal });
  }
}

async function describe(caller: EndpointCaller, TableName: string): Promise<Described | undefined> {
  try {
    return (await caller.call<{ Table: Described }>('DescribeTable', { TableName })).Table;
  } catch (error) {
    if (error instanceof ServiceError && error.name === 'ResourceNotFoundException') return undefined;
    throw error;
  }
}

/** A table with other keys, or without an index, would refuse every second call. */
function refuseOther(
  asked: {
    readonly TableName: string;
    readonly KeySchema: readonly Key[];
    readonly GlobalSecondaryIndexes?: readonly DescribedIndex[];
    readonly LocalSecondaryIndexes?: readonly DescribedIndex[];
  },
  there: Described,
): void {
  const keys = ({ KeySchema }: { readonly KeySchema: readonly Key[] }) =>
    KeySchema.map(({ AttributeName }) => AttributeName).join(' and ');
  if (keys(asked) !== keys(there))
    throw new Failure(`Table ${asked.TableName} has the keys ${keys(there)}, and the design ${keys(asked)}.`);
  const indexesOf = (table: Omit<Described, 'KeySchema' | 'TableStatus'>) => [
    ...(table.GlobalSecondaryIndexes ?? []),
    ...(table.LocalSecondaryIndexes ?? []),
  ];
  for (const index of indexesOf(asked)) {
    const found = indexesOf(there).find(({ IndexName }) => IndexName === index.IndexName);
    if (found === undefined || keys(found) !== keys(index))
      throw new Failure(
        `Table ${asked.TableName} ${found === undefined ? 'has no index' : 'has other keys in its index'} ${index.IndexName}.`,
        `The design has it with the keys ${keys(index)}.`,
      );
  }
}

const chunkRows = 1_000;
const batchesAtOnce = 8;

/** Puts the items of a population. */
export async function fillTables(place: RunPlace, population: Population): Promise<number> {
  const { caller, compiled, output, signal } = place;
  const rows = new Map<string, WireItem[]>();
  const writers = new Map<string, BatchWriter>();
  const keyNames = new Map(
    createTableRequests(compiled.model, compiled.design).map(({ TableName, KeySchema }) => [
      place.nameOf(TableName),
      KeySchema.map(({ AttributeName }) => AttributeName),
    ]),
  );
  const began = machine.stopwatchMs();
  let done = 0;
  const write = async (table: string) => {
    const puts = (rows.get(table) ?? []).map((put) => ({ put }));
    rows.delete(table);
    let writer = writers.get(table);
    if (writer === undefined) {
      const target = { name: table, keyNames: keyNames.get(table)! };
      writer = new BatchWriter(caller, target, batchesAtOnce, { output, signal });
      writers.set(table, writer);
    }
    const [refused] = await writer.write(puts);
    if (refused !== undefined) throw new Failure(`Table ${table} refuses an item: ${refused.error}`);
    done += puts.length;
    const seconds = (machine.stopwatchMs() - began) / 1_000;
    output.progress(progressText({ done, total: undefined, seconds, unit: 'items put' }));
  };
  for (const [entity, values] of storedInstances(compiled, population)) {
    const { table, items } = compiled.itemsOf(entity, values);
    const own = rows.get(table) ?? [];
    own.push(...items.map((item) => withText(item) as WireItem));
    rows.set(table, own);
    signal.throwIfAborted();
    if (own.length >= chunkRows) await write(table);
  }
  for (const table of [...rows.keys()]) await write(table);
  return done;
}

/** Tables are removed after Ctrl-C too. */
export async function deleteTables(
  caller: EndpointCaller,
  names: readonly string[],
  output: Output,
): Promise<void> {
  const { signal } = new AbortController();
  for (const TableName of names) await patientCall(caller, 'DeleteTable', { TableName }, { output, signal });
}
