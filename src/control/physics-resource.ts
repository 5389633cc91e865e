import { reportServer, reportTable } from '../engine/capacity/physics-report.ts';
import { sharingProblem } from '../engine/capacity/several-processes.ts';
import { setTableModes } from '../engine/capacity/table-modes.ts';
import { readModes, type WantedModes } from '../engine/capacity/wanted-modes.ts';
import type { Engine } from '../engine/engine.ts';
import type { Scope } from '../engine/store-keys.ts';
import { tableArnIn } from '../model/tables/table-arn.ts';
import type { PageRequest } from '../wire/pages.ts';
import { accountFilter } from './caller-scope.ts';
import type { ControlledDatabase } from './control-api.ts';
import { ControlError } from './control-error.ts';
import { jsonBody, jsonPage, ofAccount, ofServer, ofTable, type Resource } from './control-resource.ts';
import type { Namespaces } from './namespaces.ts';
import { databaseMeant } from './namespaces-resource.ts';

/**
 * `/_stator/physics`: GET tells the settings of the server, the tables in use, the latest verdicts and the assumptions of
 * the model. POST changes `mode` and `effects` from the next request on.
 */
export function physicsResource<Database extends ControlledDatabase>(
  namespaces: Namespaces<Database>,
): Resource {
  return {
    path: ['physics'],
    intents: { GET: ofAccount('stator:ReadPhysics'), POST: ofServer('stator:SetPhysics') },
    ofThisProcess: true,
    methods: {
      GET(_, request) {
        const report = reportServer(databaseMeant(namespaces, request).engine);
        const isOwn = accountFilter(request);
        const verdicts = report.verdicts.filter(({ arn }) => isOwn({ account: arn.split(':')[4] ?? '' }));
        return jsonPage(200, { ...report, tables: report.tables.filter(isOwn), verdicts });
      },
      POST(_, request) {
        const { engine } = databaseMeant(namespaces, request);
        const wanted = wantedModes(request);
        const { modes } = engine.capacity;
        refuseShared(engine, wanted, modes.server);
        modes.setServer(wanted);
        return jsonPage(200, modes.server);
      },
    },
  };
}

/**
 * `/_stator/physics/<table>`: GET tells the partitions of a table and its indexes, their load over the last hour, the
 * verdicts with their explanations, and what each minute would have cost. POST gives the table settings of its own,
 * which are kept with the table; DELETE takes them back. `?region=` and `?accountId=` name others than the server's.
 */
export function tablePhysicsResource<Database extends ControlledDatabase>(
  namespaces: Namespaces<Database>,
): Resource {
  return {
    path: ['physics', '<name>'],
    intents: {
      GET: ofTable('stator:ReadPhysics'),
      POST: ofServer('stator:SetPhysics'),
      DELETE: ofServer('stator:SetPhysics'),
    },
    ofThisProcess: true,
    methods: {
      async GET([name], request) {
        const database = databaseMeant(namespaces, request);
        const report = await reportTable(database.engine, scopeMeant(database, request), name!);
        if (report === undefined) throw noTable(database, request, name!);
        return jsonPage(200, report);
      },
      async POST([name], request) {
        const database = databaseMeant(namespaces, request);
        const wanted = wantedModes(request);
        const { engine } = database;
        const scope = scopeMeant(database, request);
        const record = await engine.catalogue.record(scope, name!);
        if (record === undefined) throw noTable(database, request, name!);
        refuseShared(engine, wanted, engine.capacity.modes.ofRecord(tableArnIn(scope, name!), record));
        return setModes(database, request, name!, wanted);
      },
      DELETE: ([name], request) => setModes(databaseMeant(namespaces, request), request, name!, undefined),
    },
  };
}

function wantedModes(request: PageRequest): WantedModes {
  const wanted = readModes(jsonBody(request));
  if (typeof wanted === 'string') throw new ControlError(400, wanted);
  return wanted;
}

function refuseShared({ store }: Engine, wanted: WantedModes, current: Parameters<typeof sharingProblem>[0]) {
  if (store.exclusive) return;
  const next = { mode: wanted.mode ?? current.mode, effects: { ...current.effects, ...wanted.effects } };
  const problem = sharingProblem(next);
  if (problem !== undefined) throw new ControlError(409, problem);
}

async function setModes(
  database: ControlledDatabase,
  request: PageRequest,
  name: string,
  wanted: WantedModes | undefined,
) {
  const settings = await setTableModes(database.engine, scopeMeant(database, request), name, wanted);
  if (settings === undefined) throw noTable(database, request, name);
  return jsonPage(200, { table: name, ...settings });
}

export function scopeMeant(database: ControlledDatabase, { query }: PageRequest): Scope {
  const parameters = new URLSearchParams(query);
  const account = parameters.get('accountId') ?? '000000000000';
  const region = parameters.get('region') ?? database.region;
  if (!/^\d{12}$/.test(account)) throw new ControlError(400, 'accountId is not an account of 12 digits');
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(region)) throw new ControlError(400, 'region is not a Region');
  return { account, region };
}

function noTable(database: ControlledDatabase, request: PageRequest, name: string): ControlError {
  const { region, account } = scopeMeant(database, request);
  return new ControlError(404, `There is no table ${name} in Region ${region} of account ${account}`);
}
