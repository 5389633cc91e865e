import type { ControlledDatabase } from './control-api.ts';
import { ControlError } from './control-error.ts';
import { ofServer, type Resource } from './control-resource.ts';
import type { Namespaces } from './namespaces.ts';
import { databaseMeant } from './namespaces-resource.ts';
import { scopeMeant } from './physics-resource.ts';

/** `GET /_stator/imports/<import id>/errors`: the rows that an import refused, as JSON lines. */
export function importErrorsResource<Database extends ControlledDatabase>(
  namespaces: Namespaces<Database>,
): Resource {
  return {
    path: ['imports', '<name>', 'errors'],
    intents: { GET: ofServer('stator:ReadImportErrors') },
    methods: {
      async GET([id], request) {
        const database = databaseMeant(namespaces, request);
        const { imports } = database.engine.transfers;
        const scope = scopeMeant(database, request);
        if ((await imports.find(scope, id!)) === undefined)
          throw new ControlError(404, `There is no import ${id} in Region ${scope.region}`);
        let body = '';
        for await (const lines of imports.refusedRows(scope, id!)) body += lines;
        return { status: 200, headers: { 'Content-Type': 'application/x-ndjson' }, body };
      },
    },
  };
}
