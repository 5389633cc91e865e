import type { PageRequest } from '../wire/pages.ts';
import type { ControlledDatabase } from './control-api.ts';
import { ControlError } from './control-error.ts';
import { jsonPage, ofServer, type Resource } from './control-resource.ts';
import { type Namespaces, namespacesMax } from './namespaces.ts';
import { refuseUnforkable } from './snapshot-resource.ts';

/** `GET /_stator/namespaces`: lists the access keys that have a database of their own. */
export function namespacesResource<Database extends ControlledDatabase>(
  namespaces: Namespaces<Database>,
): Resource {
  return {
    path: ['namespaces'],
    intents: { GET: ofServer('stator:ListNamespaces') },
    methods: {
      GET: () => jsonPage(200, { namespaces: namespaces.accessKeyIds, snapshot: namespaces.hasSnapshot }),
    },
  };
}

/** `/_stator/namespaces/<accessKeyId>`: POST creates or resets a namespace, DELETE removes it, GET returns it. */
export function namespaceResource<Database extends ControlledDatabase>(
  namespaces: Namespaces<Database>,
): Resource {
  return {
    path: ['namespaces', '<name>'],
    intents: {
      GET: ofServer('stator:ListNamespaces'),
      POST: ofServer('stator:Fork'),
      DELETE: ofServer('stator:RemoveNamespace'),
    },
    methods: {
      GET([accessKeyId]) {
        if (namespaces.namespace(accessKeyId!) === undefined) throw noNamespace(accessKeyId!);
        return jsonPage(200, { accessKeyId });
      },
      POST([accessKeyId]) {
        return makeNamespace(namespaces, accessKeyId!);
      },
      async DELETE([accessKeyId]) {
        if (!(await namespaces.remove(accessKeyId!))) throw noNamespace(accessKeyId!);
        return jsonPage(200, { accessKeyId, removed: true });
      },
    },
  };
}

export function makeNamespace<Database extends ControlledDatabase>(
  namespaces: Namespaces<Database>,
  accessKeyId: string,
) {
  refuseUnforkable(namespaces);
  // A slash, a comma or a blank would end the access key within a signature, so no request could use it.
  if (!/^[^\s/,]{1,128}$/.test(accessKeyId)) {
    throw new ControlError(400, `"${accessKeyId}" cannot be an access key id`);
  }
  if (namespaces.namespace(accessKeyId) === undefined && namespaces.accessKeyIds.length >= namespacesMax) {
    throw new ControlError(409, `There are already ${namespacesMax} namespaces: remove some first`);
  }
  const isNew = namespaces.reset(accessKeyId);
  return jsonPage(isNew ? 201 : 200, { accessKeyId, created: isNew });
}

/** The database of `?namespace=<accessKeyId>`, or the base without that parameter. */
export function databaseMeant<Database extends ControlledDatabase>(
  namespaces: Namespaces<Database>,
  { query }: PageRequest,
): Database {
  const accessKeyId = new URLSearchParams(query).get('namespace');
  if (accessKeyId === null) return namespaces.base;
  const database = namespaces.namespace(accessKeyId);
  if (database === undefined) throw noNamespace(accessKeyId);
  return database;
}

function noNamespace(accessKeyId: string): ControlError {
  return new ControlError(404, `The access key ${accessKeyId} has no namespace`);
}
