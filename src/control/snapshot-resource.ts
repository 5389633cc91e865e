import type { ControlledDatabase } from './control-api.ts';
import { ControlError } from './control-error.ts';
import { jsonPage, ofServer, type Resource } from './control-resource.ts';
import type { Namespaces } from './namespaces.ts';

/** `POST /_stator/snapshot`: saves the base as it is now; resets go back to it. */
export function snapshotResource<Database extends ControlledDatabase>(
  namespaces: Namespaces<Database>,
): Resource {
  return {
    path: ['snapshot'],
    intents: { POST: ofServer('stator:Snapshot') },
    methods: {
      POST() {
        refuseUnforkable(namespaces);
        namespaces.takeSnapshot();
        return jsonPage(200, { snapshot: true });
      },
    },
  };
}

/** `POST /_stator/reset`: resets the base itself to the snapshot. Namespaces have a reset of their own. */
export function resetResource<Database extends ControlledDatabase>(
  namespaces: Namespaces<Database>,
): Resource {
  return {
    path: ['reset'],
    intents: { POST: ofServer('stator:Reset') },
    methods: {
      POST() {
        refuseUnforkable(namespaces);
        if (!namespaces.resetBase()) {
          throw new ControlError(
            409,
            'There is no snapshot to go back to: take one first, with POST /_stator/snapshot',
          );
        }
        return jsonPage(200, { reset: true });
      },
    },
  };
}

export function refuseUnforkable<Database extends ControlledDatabase>({ base }: Namespaces<Database>): void {
  if (base.isForkable) return;
  throw new ControlError(
    409,
    'Only a database in memory can be forked and reset: start the server with --in-memory',
  );
}
