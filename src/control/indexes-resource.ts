import type { ControlledDatabase } from './control-api.ts';
import { jsonPage, ofServer, type Resource } from './control-resource.ts';
import type { Namespaces } from './namespaces.ts';
import { databaseMeant } from './namespaces-resource.ts';

/**
 * `/_stator/indexes`: lists the global indexes and the expiry entries of tables that are being filled, with the
 * progress of each.
 */
export function indexesResource<Database extends ControlledDatabase>(
  namespaces: Namespaces<Database>,
): Resource {
  return {
    path: ['indexes'],
    intents: { GET: ofServer('stator:ListIndexFills') },
    methods: {
      async GET(_, request) {
        const { engine } = databaseMeant(namespaces, request);
        return jsonPage(200, { filling: await engine.indexFiller.underway() });
      },
    },
  };
}
