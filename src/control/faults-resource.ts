import type { ArmedFault, Fault, Faults } from '../engine/faults.ts';
import type { ControlledDatabase } from './control-api.ts';
import { ControlError } from './control-error.ts';
import { jsonBody, jsonPage, ofServer, type Resource } from './control-resource.ts';
import type { Namespaces } from './namespaces.ts';
import { databaseMeant } from './namespaces-resource.ts';

/** `/_stator/faults`: GET lists the armed faults, POST adds one, DELETE removes all. */
export function faultsResource<Database extends ControlledDatabase>(
  namespaces: Namespaces<Database>,
): Resource {
  return {
    path: ['faults'],
    intents: {
      GET: ofServer('stator:ListFaults'),
      POST: ofServer('stator:AddFault'),
      DELETE: ofServer('stator:RemoveFaults'),
    },
    ofThisProcess: true,
    methods: {
      GET: (_, request) => jsonPage(200, { faults: databaseMeant(namespaces, request).engine.faults.all }),
      POST(_, request) {
        const { faults } = databaseMeant(namespaces, request).engine;
        if (faults.all.length >= faultsMax)
          throw new ControlError(409, `There are ${faultsMax} faults already`);
        return jsonPage(201, added(faults, jsonBody(request)));
      },
      DELETE(_, request) {
        databaseMeant(namespaces, request).engine.faults.clear();
        return jsonPage(200, { faults: [] });
      },
    },
  };
}

/** `DELETE /_stator/faults/<id>`: removes one fault. */
export function faultResource<Database extends ControlledDatabase>(
  namespaces: Namespaces<Database>,
): Resource {
  return {
    path: ['faults', '<name>'],
    intents: { DELETE: ofServer('stator:RemoveFaults') },
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

function added(faults: Faults, body: Readonly<Record<string, unknown>>): ArmedFault {
  try {
    return faults.add(body as unknown as Fault);
  } catch (error) {
    throw error instanceof TypeError ? new ControlError(400, error.message) : error;
  }
}
