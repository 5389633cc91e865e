import { insightMinutes } from '../observe/insights/insight-rule.ts';
import { reportInsights } from '../observe/insights/report-insights.ts';
import type { ControlledDatabase } from './control-api.ts';
import { ControlError } from './control-error.ts';
import { jsonPage, ofTable, type Resource } from './control-resource.ts';
import type { Namespaces } from './namespaces.ts';
import { observed, wholeNumber } from './observe-resources.ts';
import { scopeMeant } from './physics-resource.ts';

/** `GET /_stator/insights/<table>`: the most accessed and most throttled keys of the last `?minutes=`. */
export function insightsResource<Database extends ControlledDatabase>(
  namespaces: Namespaces<Database>,
): Resource {
  return {
    path: ['insights', '<name>'],
    intents: { GET: ofTable('stator:ReadInsights') },
    methods: {
      async GET([name], request) {
        const database = observed(namespaces, request);
        const { engine, clock, observation } = database;
        const scope = scopeMeant(database, request);
        const minutes = wholeNumber(new URLSearchParams(request.query), 'minutes', 1, insightMinutes, 60);
        const record = await engine.catalogue.record(scope, name!);
        if (record === undefined)
          throw new ControlError(
            404,
            `There is no table ${name} in Region ${scope.region} of account ${scope.account}`,
          );
        const nowMs = clock.nowMicros() / 1_000;
        return jsonPage(200, await reportInsights(observation, engine, scope, record, nowMs, minutes));
      },
    },
  };
}
