import { globalTableRequest, globalTableScaling } from './global-table-resource.ts';
import { Intrinsics } from './intrinsic-functions.ts';
import { monitoringOf, type Resource, type TemplateMonitoring } from './monitoring-resources.ts';
import { simpleTableRequest } from './simple-table-resource.ts';
import {
  isObject,
  type Members,
  type ReadOptions,
  type TableDefinition,
  TablesError,
} from './table-definition.ts';
import { tableRequest } from './table-resource.ts';
import { TemplateScope } from './template-scope.ts';

/** One table of a template, as far as its functions can be worked out. */
export interface TableResource {
  readonly name: string;
  /** A property, worked out; undefined when there is none. */
  property(name: string): unknown;
  /** Likewise, but left out with a note when it cannot be worked out. */
  optional(name: string): unknown;
  readonly names: readonly string[];
  note(line: string): void;
}

const requestOf: Readonly<Record<string, (table: TableResource) => TableDefinition>> = {
  'AWS::DynamoDB::Table': tableRequest,
  'AWS::DynamoDB::GlobalTable': globalTableRequest,
  'AWS::Serverless::SimpleTable': simpleTableRequest,
};

/** What a CloudFormation template makes as far as there is something here that it could make. */
export interface FromTemplate {
  readonly tables: readonly TableDefinition[];
  /** Works out alarms and scaling, and notes what is left out. */
  readonly monitoring: () => TemplateMonitoring;
}

/** The tables that a CloudFormation template makes. */
export function tablesFromTemplate(template: Members, options: ReadOptions = {}): TableDefinition[] {
  return [...fromTemplate(template, options).tables];
}

export function fromTemplate(template: Members, options: ReadOptions = {}): FromTemplate {
  const scope = new TemplateScope(template, options);
  const intrinsics = new Intrinsics(scope);
  const definitions: TableDefinition[] = [];
  const others: Resource[] = [];
  const scaling: TemplateMonitoring[] = [];
  for (const [logicalId, resource] of Object.entries(scope.section('Resources'))) {
    if (logicalId.startsWith('Fn::ForEach')) {
      throw new TablesError(`${logicalId} makes resources in a loop, which is not supported here`);
    }
    if (!isObject(resource)) continue;
    const request = requestOf[String(resource.Type)];
    if (request === undefined) {
      others.push(...otherResource(intrinsics, logicalId, resource));
      continue;
    }
    within(logicalId, () => {
      if (typeof resource.Condition === 'string' && !intrinsics.holds(resource.Condition)) return;
      const table = tableResource(intrinsics, resource, logicalId, options);
      definitions.push(request(table));
      if (request === globalTableRequest) scaling.push(globalTableScaling(table));
    });
  }
  return {
    tables: definitions,
    monitoring() {
      const own = monitoringOf(others, intrinsics, (line) => options.note?.(line));
      return {
        ...own,
        targets: [...scaling.flatMap(({ targets }) => targets), ...own.targets],
        policies: [...scaling.flatMap(({ policies }) => policies), ...own.policies],
      };
    },
  };
}

/** A resource that is no table, unless its condition says that it is not made. */
function otherResource(intrinsics: Intrinsics, id: string, resource: Members): Resource[] {
  if (typeof resource.Condition === 'string') {
    try {
      if (!intrinsics.holds(resource.Condition)) return [];
    } catch (error) {
      // Of what is left out anyhow it does not matter; the others say what stands in their way.
      if (!(error instanceof TablesError)) throw error;
    }
  }
  const properties = isObject(resource.Properties) ? resource.Properties : {};
  return [{ id, type: String(resource.Type), properties }];
}

function tableResource(
  intrinsics: Intrinsics,
  resource: Members,
  logicalId: string,
  options: ReadOptions,
): TableResource {
  const properties = isObject(resource.Properties) ? resource.Properties : {};
  const note = (line: string) => options.note?.(`${logicalId}: ${line}`);
  const property = (name: string) => {
    if (!Object.hasOwn(properties, name)) return undefined;
    const { [name]: found } = intrinsics.resolve({ [name]: properties[name] }) as Members;
    return found;
  };
  return {
    name: intrinsics.tableName(resource, logicalId),
    names: Object.keys(properties),
    note,
    property: (name) => within(name, () => property(name)),
    optional(name) {
      try {
        return property(name);
      } catch (error) {
        if (!(error instanceof TablesError)) throw error;
        note(`${name} is left out: ${error.message}`);
        return undefined;
      }
    },
  };
}

/** Says where it was that something could not be read. */
function within<T>(place: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof TablesError)) throw error;
    throw new TablesError(`${place}: ${error.message}`, { cause: error });
  }
}
