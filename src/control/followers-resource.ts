import { followerReports } from '../engine/destinations/followers.ts';
import { accountFilter } from './caller-scope.ts';
import type { ControlledDatabase } from './control-api.ts';
import { jsonPage, ofAccount, type Resource } from './control-resource.ts';
import type { Namespaces } from './namespaces.ts';
import { databaseMeant } from './namespaces-resource.ts';

/**
 * `/_stator/followers`: lists the readers of the tables' change logs, including Kinesis destinations, and how far
 * behind each is.
 */
export function followersResource<Database extends ControlledDatabase>(
  namespaces: Namespaces<Database>,
): Resource {
  return {
    path: ['followers'],
    intents: { GET: ofAccount('stator:ListFollowers') },
    methods: {
      async GET(_, request) {
        const { engine } = databaseMeant(namespaces, request);
        return jsonPage(200, { followers: (await followerReports(engine)).filter(accountFilter(request)) });
      },
    },
  };
}
