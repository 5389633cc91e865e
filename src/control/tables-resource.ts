import { reportServer } from '../engine/capacity/physics-report.ts';
import type { Engine } from '../engine/engine.ts';
import type { Scope } from '../engine/store-keys.ts';
import { parseTableArn } from '../model/tables/table-arn.ts';
import type { ControlledDatabase } from './control-api.ts';
import type { ControlGuard } from './control-guard.ts';
import { jsonPage, ofTablesAsked, type Resource } from './control-resource.ts';
import type { Namespaces } from './namespaces.ts';
import { databaseMeant } from './namespaces-resource.ts';
import { scopeMeant } from './physics-resource.ts';

const namesAtOnce = 1_000;
/** The first tables are described, and those that `?table=` names. */
const describedMax = 500;

/**
 * `GET /_stator/tables`: the names of all tables of a Region, their descriptions as DescribeTable gives them, and the
 * physics of the tables in use. One request of a page that shows tables, instead of one for each table.
 */
export function tablesResource<Database extends ControlledDatabase>(
  namespaces: Namespaces<Database>,
  { describeTable, oneOfSeveral = false }: ControlGuard,
): Resource {
  return {
    path: ['tables'],
    intents: { GET: ofTablesAsked('stator:DescribeTables') },
    methods: {
      async GET(_, request) {
        const database = databaseMeant(namespaces, request);
        const { engine } = database;
        const scope = scopeMeant(database, request);
        const names = await allNames(engine, scope);
        const parameters = new URLSearchParams(request.query);
        const wanted = new Set([...names.slice(0, describedMax), ...parameters.getAll('table')]);
        const tables = [];
        for (const name of wanted) {
          const { account, region, tableName } = parseTableArn(name) ?? { ...scope, tableName: name };
          const record = await engine.catalogue.record({ account, region }, tableName);
          if (record !== undefined) tables.push(await describeTable(engine, { account, region }, record));
        }
        const isLoadWanted = parameters.get('load') === 'minutes';
        const physics = oneOfSeveral ? undefined : physicsOf(engine, scope, isLoadWanted);
        return jsonPage(200, { names, tables, physics });
      },
    },
  };
}

async function allNames(engine: Engine, scope: Scope): Promise<readonly string[]> {
  const names: string[] = [];
  for (;;) {
    const page = await engine.catalogue.names(scope, names.at(-1), namesAtOnce);
    names.push(...page);
    if (page.length < namesAtOnce) return names;
  }
}

/**
 * The mode of every table that this process has used, and its refusals in the verdicts that are kept; if wanted, the load
 * of the last hour by minute.
 */
function physicsOf(engine: Engine, scope: Scope, isLoadWanted: boolean): object[] {
  const { capacity } = engine;
  return reportServer(engine)
    .tables.filter(({ account, region }) => account === scope.account && region === scope.region)
    .map(({ table, mode, refused }) => {
      if (!isLoadWanted) return { table, mode, refused };
      const resources = capacity.find(scope, table)?.all() ?? [];
      const minutes = resources.flatMap((each) => capacity.model.describe(each, capacity.nowMs()).lastHour);
      return { table, mode, refused, minutes };
    });
}
