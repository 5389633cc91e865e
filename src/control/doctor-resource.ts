import type { Doctor } from '../doctor/doctor.ts';
import { type Endpoint, ownPattern, type StatorView } from '../doctor/endpoint.ts';
import { missingTables } from '../doctor/missing-tables.ts';
import { reportServer } from '../engine/capacity/physics-report.ts';
import { followerReports } from '../engine/destinations/followers.ts';
import type { Scope } from '../engine/store-keys.ts';
import { nearest } from '../model/nearest.ts';
import { reportInsights } from '../observe/insights/report-insights.ts';
import { reportPatterns } from '../observe/patterns/report-patterns.ts';
import { tableActivity } from '../observe/table-activity.ts';
import { machine } from '../runtime/machine/machine.ts';
import type { Page, PageRequest } from '../wire/pages.ts';
import { callHere } from './call-here.ts';
import type { ControlledDatabase } from './control-api.ts';
import { ControlError } from './control-error.ts';
import type { ControlGuard } from './control-guard.ts';
import { jsonPage, ofTablesAsked, type Resource } from './control-resource.ts';
import type { Namespaces } from './namespaces.ts';
import { databaseMeant } from './namespaces-resource.ts';
import { wholeNumber } from './observe-resources.ts';
import { scopeMeant } from './physics-resource.ts';
import { WorkQueue } from './work-queue.ts';

/** Read units that a sample of a table may use unless the request says otherwise: a page asks again and again. */
const defaultUnits = 10;

/**
 * `GET /_stator/doctor`: what is wrong with the tables of this server. `?table=` names one or several, `?minutes=` how far back
 * metrics go, `?budget=` the read units of a sample. The doctor is loaded with the first request.
 */
export function doctorResource<Database extends ControlledDatabase>(
  namespaces: Namespaces<Database>,
  guard: ControlGuard,
): Resource {
  const doctors = new WeakMap<ControlledDatabase, Map<string, Doctor>>();
  const queues = new WeakMap<ControlledDatabase, WorkQueue<Page>>();
  return {
    path: ['doctor'],
    intents: { GET: ofTablesAsked('stator:Diagnose') },
    methods: {
      async GET(_, request) {
        const database = databaseMeant(namespaces, request);
        const parameters = new URLSearchParams(request.query);
        const tables = parameters.getAll('table');
        const impossible = tables.find((name) => !tableNameForm.test(name));
        if (impossible !== undefined)
          throw new ControlError(404, `There is no table ${shownName(impossible)}`);
        const options = {
          ...(tables.length > 0 && { tables }),
          minutes: wholeNumber(parameters, 'minutes', 1, 24 * 60, 60),
          budget: wholeNumber(parameters, 'budget', 0, 100_000, defaultUnits),
        };
        const scope = scopeMeant(database, request);
        const id = JSON.stringify([scope, options, request.headers.host]);
        const own = doctors.get(database) ?? new Map<string, Doctor>();
        doctors.set(database, own);
        const queue = queues.get(database) ?? new WorkQueue<Page>(waitersMax);
        queues.set(database, queue);
        let doctor = own.get(id);
        if (doctor === undefined) {
          const { Doctor } = await import('../doctor/doctor.ts');
          doctor = new Doctor(endpointOf(database, scope, guard, request), options, machine.stopwatchMs);
          // What a doctor keeps of tables is small, and a page asks for few of them.
          if (own.size >= doctorsMax) own.clear();
          own.set(id, doctor);
        }
        const looking = doctor;
        // Requests that share an examination share its answer too: a hundred copies would take seconds to write.
        const page = await queue.run(scope.account, id, async () => {
          const report = await looking.look();
          const missing = missingTables(report, tables);
          if (missing.length > 0) throw new ControlError(404, await noTable(database, scope, missing[0]!));
          return jsonPage(200, report);
        });
        if (page === undefined)
          throw new ControlError(503, 'Too many other examinations of this account wait already');
        return page;
      },
    },
  };
}

/** The names that DescribeTable takes; it answers a ValidationException to others. */
const tableNameForm = /^[a-zA-Z0-9_.-]{3,255}$/;

function shownName(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}

async function noTable(database: ControlledDatabase, scope: Scope, name: string): Promise<string> {
  const { TableNames } = (await callHere(database, scope, 'dynamodb', 'ListTables', {})) as {
    readonly TableNames: readonly string[];
  };
  const meant = nearest(name, TableNames);
  return `There is no table ${name} in Region ${scope.region}${meant === undefined ? '' : `. Did you mean ${meant}?`}`;
}

const doctorsMax = 16;
/** How many examinations of an account wait for the one under way. */
const waitersMax = 8;
/** What it takes to answer a small request. */
const callSteps = 3_000;

function endpointOf(
  database: ControlledDatabase,
  { account, region }: Scope,
  { oneOfSeveral = false }: ControlGuard,
  { headers: { host } }: PageRequest,
): Endpoint {
  const url = `http://${host ?? '127.0.0.1:8000'}`;
  const { slices } = database.observation;
  const inRegion = region === database.region ? '' : ` --region ${region}`;
  return {
    flags: `--endpoint-url ${url}${inRegion}`,
    ownFlags: `--endpoint ${url}${inRegion}`,
    region,
    stator: statorView(database, { account, region }, oneOfSeveral),
    slices,
    // A call within the process ends without a turn of the event loop: others would wait for thousands of them.
    call: async (service, operation, input) => {
      await slices.spend(callSteps);
      return callHere(database, { account, region }, service, operation, input);
    },
  };
}

function statorView(database: ControlledDatabase, scope: Scope, oneOfSeveral: boolean): StatorView {
  const { observation } = database;
  const nowMs = () => database.clock.nowMicros() / 1_000;
  return {
    nowMs: async () => nowMs(),
    seriesMark: () => {
      const { size, dropped } = observation.memory;
      return database.engine.store.exclusive ? `${size} ${dropped}` : undefined;
    },
    activity: () =>
      observation.isOn && !oneOfSeveral && database.engine.store.exclusive
        ? tableActivity(observation.memory, scope, ownPattern)
        : undefined,
    settingsMark: async (table) => {
      const record = await database.engine.catalogue.record(scope, table);
      return record === undefined ? undefined : JSON.stringify(record);
    },
    patterns: async (minutes, tables) =>
      observation.isOn ? reportPatterns(observation, nowMs(), minutes, { scope, tables }) : undefined,
    physics: async () => (oneOfSeveral ? undefined : ownPhysics(reportServer(database.engine), scope)),
    signals: async (minutes) =>
      observation.isOn && !oneOfSeveral ? observation.signals.report(scope, nowMs(), minutes) : undefined,
    followers: async () =>
      (await followerReports(database.engine)).filter(({ account }) => account === scope.account),
    async insights(table, minutes) {
      const record = observation.isOn ? await database.engine.catalogue.record(scope, table) : undefined;
      if (record === undefined) return undefined;
      return reportInsights(observation, database.engine, scope, record, nowMs(), minutes);
    },
  };
}

/** The doctor of one account sees nothing of another. */
function ownPhysics(report: ReturnType<typeof reportServer>, { account }: Scope) {
  return {
    ...report,
    tables: report.tables.filter((one) => one.account === account),
    verdicts: report.verdicts.filter(({ arn }) => arn.split(':')[4] === account),
  };
}
