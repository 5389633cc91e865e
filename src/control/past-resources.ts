import type { ChangeBetween } from '../engine/history/changes-between.ts';
import type { TableRecord } from '../engine/tables/table-record.ts';
import { changeEventOf } from '../model/stored/change-event.ts';
import { itemJson, readHeader } from '../model/stored/stored-item.ts';
import { fromHex, toHex } from '../model/values/hex.ts';
import { decodeUtf8 } from '../model/values/utf8.ts';
import type { JudgedRequester, PageRequest } from '../wire/pages.ts';
import type { ControlledDatabase } from './control-api.ts';
import { ControlError } from './control-error.ts';
import { jsonBody, jsonPage, ofServer, ofTable, type Resource } from './control-resource.ts';
import type { Namespaces } from './namespaces.ts';
import { databaseMeant } from './namespaces-resource.ts';
import { scopeMeant } from './physics-resource.ts';

/** The parts of a database that look into its past. */
export interface DatabaseWithPast {
  at(time: string | number): {
    json(
      operation: ReadOperation,
      input: object,
      options: CallScope,
      requester?: JudgedRequester,
    ): Promise<Uint8Array>;
  };
  storedChanges(
    tableName: string,
    options: CallScope & { readonly from: number; readonly to?: number },
    after?: Uint8Array,
  ): Promise<{
    readonly record: TableRecord;
    readonly changes: readonly ChangeBetween[];
    readonly toMs: number;
    readonly next: Uint8Array | undefined;
    readonly itemsRead: number;
  }>;
  storedVersions(
    tableName: string,
    key: object,
    options: CallScope,
  ): Promise<readonly { readonly stored: Uint8Array; readonly endMicros: number | undefined }[]>;
}

type ReadOperation = 'GetItem' | 'Query' | 'Scan';
interface CallScope {
  readonly region: string;
  readonly accountId: string;
}

/**
 * `POST /_stator/at/<table>?time=<time>`: reads a table as it was. The body names the operation with its parameters, such
 * as `{ "Query": { "KeyConditionExpression": … } }`; the answer is the operation's. GET scans.
 */
export function atResource<Database extends ControlledDatabase>(namespaces: Namespaces<Database>): Resource {
  const read = async (name: string, request: PageRequest, operation: ReadOperation, input: object) => {
    const database = databaseMeant(namespaces, request);
    const time = timeIn(request, 'time');
    if (time === undefined) throw new ControlError(400, 'time is missing: ?time=2026-11-18T09:00:00Z');
    const answer = await served(() =>
      database
        .at(time)
        .json(operation, { ...input, TableName: name }, callScope(database, request), request.requester),
    );
    return { status: 200, headers: { 'Content-Type': 'application/json' }, body: answer };
  };
  return {
    path: ['at', '<name>'],
    intents: { GET: ofTable('stator:ReadPast'), POST: ofTable('stator:ReadPast') },
    methods: {
      GET: ([name], request) => read(name!, request, 'Scan', {}),
      POST([name], request) {
        const entries = Object.entries(jsonBody(request));
        const [operation, input] = entries[0] ?? [];
        if (
          entries.length !== 1 ||
          !isReadOperation(operation) ||
          typeof input !== 'object' ||
          input === null
        )
          throw new ControlError(400, 'The body is { "GetItem": {…} }, { "Query": {…} } or { "Scan": {…} }');
        return read(name!, request, operation, input);
      },
    },
  };
}

/**
 * `GET /_stator/changes/<table>?from=<time>&to=<time>`: the items that differ between two times. `next` of an answer goes
 * into `?after=` of the request for the next page. POST takes the same as JSON, or `{ "Key": … }`, which tells the
 * versions of one item.
 */
export function changesResource<Database extends ControlledDatabase>(
  namespaces: Namespaces<Database>,
): Resource {
  return {
    path: ['changes', '<name>'],
    intents: { GET: ofTable('stator:ReadPast'), POST: ofTable('stator:ReadPast') },
    methods: {
      GET([name], request) {
        const query = new URLSearchParams(request.query);
        return changesPage(databaseMeant(namespaces, request), request, name!, {
          from: query.get('from') ?? undefined,
          to: query.get('to') ?? undefined,
          after: query.get('after') ?? undefined,
        });
      },
      async POST([name], request) {
        const database = databaseMeant(namespaces, request);
        const { Key: key, ...window } = jsonBody(request);
        if (key === undefined) return changesPage(database, request, name!, window);
        if (typeof key !== 'object' || key === null)
          throw new ControlError(400, 'The body is { "Key": {…} } or { "from": …, "to": … }');
        const found = await served(() => database.storedVersions(name!, key, callScope(database, request)));
        const versions = found.map(({ stored, endMicros }) => ({
          from: new Date(readHeader(stored).writtenMicros / 1000).toISOString(),
          ...(endMicros !== undefined && { to: new Date(endMicros / 1000).toISOString() }),
          item: imageOf(stored),
        }));
        return jsonPage(200, { versions });
      },
    },
  };
}

async function changesPage(
  database: ControlledDatabase,
  request: PageRequest,
  name: string,
  { from: first, to: last, after: place }: Readonly<Record<string, unknown>>,
) {
  const from = readTime(first, 'from');
  if (from === undefined) throw new ControlError(400, 'from is missing: ?from=2026-11-18T09:00:00Z');
  const to = readTime(last, 'to');
  if (to !== undefined && from > to) throw new ControlError(400, 'from is later than to');
  if (place !== undefined && !(typeof place === 'string' && /^([0-9a-f]{2})+$/.test(place)))
    throw new ControlError(400, 'after is not the next of an answer');
  const options = { from, ...(to !== undefined && { to }), ...callScope(database, request) };
  const page = await served(() =>
    database.storedChanges(name, options, place === undefined ? undefined : fromHex(place)),
  );
  const { keySchema } = page.record.description;
  const changes = page.changes.map(({ before, after, writtenMicros }) => {
    const [old, next] = [before && imageOf(before), after && imageOf(after)];
    const either = (next ?? old)!;
    return {
      event: changeEventOf(old, next),
      keys: Object.fromEntries(keySchema.map(({ AttributeName: each }) => [each, either[each]])),
      ...(old && { before: old }),
      ...(next && { after: next }),
      at: new Date(writtenMicros / 1000).toISOString(),
    };
  });
  const more = page.next && { next: toHex(page.next), to: new Date(page.toMs).toISOString() };
  return jsonPage(200, { changes, looked: page.itemsRead, ...more });
}

/** `GET /_stator/jobs`: backups, restores and exports that are under way, and those that failed in the last week. */
export function jobsResource<Database extends ControlledDatabase>(
  namespaces: Namespaces<Database>,
): Resource {
  return {
    path: ['jobs'],
    intents: { GET: ofServer('stator:ListJobs') },
    methods: {
      async GET(_, request) {
        const { engine } = databaseMeant(namespaces, request);
        const jobs = [];
        for (const job of await engine.past.backups.jobs.list()) {
          // An export notes its progress in its own record.
          const exported =
            job.kind === 'export' ? await engine.transfers.exports.find(job.scope, job.exportId) : undefined;
          const { bytes } = exported ?? job;
          const items = exported?.looked ?? (exported ?? job).items;
          jobs.push({
            id: job.id,
            kind: job.kind,
            ...job.scope,
            tableName: job.tableName,
            state: job.phase === 'failed' || job.phase === 'failing' ? 'FAILED' : 'IN_PROGRESS',
            ...(job.reason !== undefined && { reason: job.reason }),
            ...{ items, itemsExpected: job.itemsExpected, bytes },
            startedAt: new Date(job.startedAt).toISOString(),
          });
        }
        return jsonPage(200, { jobs });
      },
    },
  };
}

function isReadOperation(name: string | undefined): name is ReadOperation {
  return name === 'GetItem' || name === 'Query' || name === 'Scan';
}

function callScope(database: ControlledDatabase, request: PageRequest): CallScope {
  const { account, region } = scopeMeant(database, request);
  return { accountId: account, region };
}

function timeIn(request: PageRequest, name: string): number | undefined {
  return readTime(new URLSearchParams(request.query).get(name) ?? undefined, name);
}

/** A time: milliseconds since 1970, or a text such as `2026-11-18T09:00:00Z`. */
function readTime(given: unknown, name: string): number | undefined {
  if (given === undefined) return undefined;
  const ms = /^\d+$/.test(String(given)) ? Number(given) : Date.parse(String(given));
  if (Number.isFinite(ms)) return ms;
  throw new ControlError(400, `${name} is not a time: ${String(given)}`);
}

/** Refusals of the service are answers here too. */
async function served<R>(run: () => Promise<R>): Promise<R> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Error && '$metadata' in error)
      throw new ControlError(statusOf[error.name] ?? 400, `${error.name}: ${error.message}`);
    throw error;
  }
}

const statusOf: Readonly<Record<string, number>> = {
  ResourceNotFoundException: 404,
  AccessDeniedException: 403,
};

function imageOf(stored: Uint8Array): Record<string, unknown> {
  return JSON.parse(decodeUtf8(itemJson(stored))) as Record<string, unknown>;
}
