import { type Fault, type FaultError, faultErrors } from '../engine/faults.ts';
import type { ControlledDatabase } from './control-api.ts';
import { ControlError } from './control-error.ts';
import type { Namespaces } from './namespaces.ts';
import { databaseMeant } from './namespaces-resource.ts';
import { jsonBody, jsonPage, type Resource } from './resource.ts';

/** `/_stator/faults`: GET tells the faults that wait for requests, POST adds one, DELETE removes them all. */
export function faultsResource<Database extends ControlledDatabase>(
  namespaces: Namespaces<Database>,
): Resource {
  return {
    path: ['faults'],
    ofThisProcess: true,
    methods: {
      GET: (_, request) => jsonPage(200, { faults: databaseMeant(namespaces, request).engine.faults.all }),
      POST(_, request) {
        const { faults } = databaseMeant(namespaces, request).engine;
        if (faults.all.length >= faultsMax)
          throw new ControlError(409, `There are ${faultsMax} faults already`);
        return jsonPage(201, faults.add(faultOf(jsonBody(request))));
      },
      DELETE(_, request) {
        databaseMeant(namespaces, request).engine.faults.clear();
        return jsonPage(200, { faults: [] });
      },
    },
  };
}

/** `DELETE /_stator/faults/<id>`: removes one. */
export function faultResource<Database extends ControlledDatabase>(
  namespaces: Namespaces<Database>,
): Resource {
  return {
    path: ['faults', '<name>'],
    ofThisProcess: true,
    methods: {
      DELETE([id], request) {
        if (!databaseMeant(namespaces, request).engine.faults.remove(Number(id)))
          throw new ControlError(404, `There is no fault ${id}`);
        return jsonPage(200, { id: Number(id), removed: true });
      },
    },
  };
}

const faultsMax = 1_000;
const timesMax = 1_000_000;

function faultOf(body: Readonly<Record<string, unknown>>): Fault {
  const { error, operation, table, key, times, afterwards, ...others } = body;
  const unknown = Object.keys(others)[0];
  if (unknown !== undefined) throw new ControlError(400, `${unknown} is not known here`);
  if (!isFaultError(error)) {
    throw new ControlError(400, `error must be one of ${Object.keys(faultErrors).join(', ')}`);
  }
  return {
    error,
    ...(operation !== undefined && { operation: text('operation', operation) }),
    ...(table !== undefined && { table: text('table', table) }),
    ...(key !== undefined && { key: attributes(key) }),
    ...(times !== undefined && { times: count(times) }),
    ...(afterwards !== undefined && { afterwards: yesOrNo(afterwards) }),
  };
}

function isFaultError(value: unknown): value is FaultError {
  return typeof value === 'string' && Object.hasOwn(faultErrors, value);
}

function text(name: string, value: unknown): string {
  if (typeof value !== 'string' || value === '') throw new ControlError(400, `${name} must be a name`);
  return value;
}

function attributes(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || Object.keys(value).length === 0)
    throw new ControlError(400, 'key must be an object of attributes, such as {"pk": {"S": "a"}}');
  return value as Readonly<Record<string, unknown>>;
}

function count(value: unknown): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > timesMax)
    throw new ControlError(400, `times must be a whole number from 1 to ${timesMax}`);
  return value;
}

function yesOrNo(value: unknown): boolean {
  if (typeof value !== 'boolean') throw new ControlError(400, 'afterwards must be true or false');
  return value;
}
