import { reportServer, reportTable } from '../engine/capacity/physics-report.ts';
import { sharingProblem } from '../engine/capacity/several-processes.ts';
import { tableArnIn } from '../engine/capacity/table-resources.ts';
import { readModes, type WantedModes } from '../engine/capacity/wanted-modes.ts';
import type { Engine } from '../engine/engine.ts';
import type { Scope } from '../engine/store-keys.ts';
import type { PageRequest } from '../wire/pages.ts';
import type { ControlledDatabase } from './control-api.ts';
import { ControlError } from './control-error.ts';
import { jsonBody, jsonPage, type Resource } from './control-resource.ts';
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
    ofThisProcess: true,
    methods: {
      GET: (_, request) => jsonPage(200, reportServer(databaseMeant(namespaces, request).engine)),
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
 * DELETE takes them back. `?region=` and `?accountId=` name others than the server's.
 */
export function tablePhysicsResource<Database extends ControlledDatabase>(
  namespaces: Namespaces<Database>,
): Resource {
  return {
    path: ['physics', '<name>'],
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
        const arn = await knownTable(database, request, name!);
        const { modes } = database.engine.capacity;
        refuseShared(database.engine, wanted, modes.of(arn));
        const before = modes.tables.get(arn);
        modes.setTable(arn, { ...before, ...wanted, effects: { ...before?.effects, ...wanted.effects } });
        return jsonPage(200, { table: name, ...modes.of(arn) });
      },
      async DELETE([name], request) {
        const database = databaseMeant(namespaces, request);
        const arn = await knownTable(database, request, name!);
        const { modes } = database.engine.capacity;
        modes.setTable(arn, undefined);
        return jsonPage(200, { table: name, ...modes.of(arn) });
      },
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

async function knownTable<Database extends ControlledDatabase>(
  database: Database,
  request: PageRequest,
  name: string,
): Promise<string> {
  const scope = scopeMeant(database, request);
  if ((await database.engine.catalogue.record(scope, name)) === undefined)
    throw noTable(database, request, name);
  return tableArnIn(scope, name);
}

function scopeMeant(database: ControlledDatabase, { query }: PageRequest): Scope {
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
