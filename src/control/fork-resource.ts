import type { ControlledDatabase } from './control-api.ts';
import { ofServer, type Resource } from './control-resource.ts';
import type { Namespaces } from './namespaces.ts';
import { makeNamespace } from './namespaces-resource.ts';

/** `POST /_stator/fork`: creates a namespace under a new access key and answers that key. */
export function forkResource<Database extends ControlledDatabase>(
  namespaces: Namespaces<Database>,
): Resource {
  return {
    path: ['fork'],
    intents: { POST: ofServer('stator:Fork') },
    methods: {
      POST: () => makeNamespace(namespaces, `FORK${namespaces.base.newRequestId().slice(0, 16)}`),
    },
  };
}
