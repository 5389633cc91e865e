import type { ControlledDatabase } from './control-api.ts';
import { jsonPage, ofServer, type Resource } from './control-resource.ts';
import type { Namespaces } from './namespaces.ts';
import { databaseMeant } from './namespaces-resource.ts';

/**
 * `POST /_stator/check`: checks the database while it serves requests. Answers the report with 200, whatever it says.
 * Every namespace is a database of its own; `?namespace=<accessKeyId>` selects one.
 */
export function checkResource<Database extends ControlledDatabase>(
  namespaces: Namespaces<Database>,
): Resource {
  return {
    path: ['check'],
    intents: { POST: ofServer('stator:Check') },
    methods: {
      POST: async (_, request) => jsonPage(200, await databaseMeant(namespaces, request).check()),
    },
  };
}
