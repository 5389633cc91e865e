import { accountIntent } from '../model/access/intent.ts';
import type { ControlledDatabase } from './control-api.ts';
import { ControlError } from './control-error.ts';
import type { ControlGuard } from './control-guard.ts';
import { jsonBody, jsonPage, type Resource } from './control-resource.ts';
import type { Namespaces } from './namespaces.ts';
import { databaseMeant } from './namespaces-resource.ts';

/**
 * `POST /_stator/explain`: explains a PartiQL statement without running it. The body has `statement` and, optionally,
 * `parameters`, `region` and `accountId`; `?namespace=<accessKeyId>` selects a namespace.
 */
export function explainResource<Database extends ControlledDatabase>(
  namespaces: Namespaces<Database>,
  { statementTables }: ControlGuard,
): Resource {
  return {
    path: ['explain'],
    intents: {
      POST({ request, scope }) {
        const { statement, accountId, region } = jsonBody(request);
        // A request that its method refuses names nothing.
        if (typeof statement !== 'string') return [accountIntent('stator:Explain', scope)];
        const account = typeof accountId === 'string' ? accountId : scope.account;
        return statementTables(statement, {
          account,
          region: typeof region === 'string' ? region : scope.region,
        });
      },
    },
    methods: {
      async POST(_, request) {
        const { statement, parameters, region, accountId, ...others } = jsonBody(request);
        const unknown = Object.keys(others)[0];
        if (unknown !== undefined) throw new ControlError(400, `${unknown} is not known here`);
        if (typeof statement !== 'string') throw new ControlError(400, 'statement is not a text');
        if (parameters !== undefined && !Array.isArray(parameters)) {
          throw new ControlError(400, 'parameters is not a list');
        }
        const query = new URLSearchParams(request.query);
        const meant = (name: string) => query.get(name) ?? undefined;
        const options = {
          ...text('region', region ?? meant('region')),
          ...text('accountId', accountId ?? meant('accountId')),
        };
        const database = databaseMeant(namespaces, request);
        try {
          return jsonPage(
            200,
            await database.explain(statement, parameters as readonly never[] | undefined, options),
          );
        } catch (error) {
          throw refusal(error) ?? error;
        }
      },
    },
  };
}

function text(name: string, value: unknown): Readonly<Record<string, string>> {
  if (value === undefined) return {};
  if (typeof value !== 'string') throw new ControlError(400, `${name} is not a text`);
  return { [name]: value };
}

/**
 * Converts an error that DynamoDB would answer to a control error with the same text. Returns undefined for any other
 * error, which is no fault of the caller.
 */
function refusal(error: unknown): ControlError | undefined {
  if (error instanceof TypeError) return new ControlError(400, error.message);
  if (!(error instanceof Error) || !('$fault' in error) || error.$fault !== 'client') return undefined;
  const status = error.name === 'AccessDeniedException' ? 403 : 400;
  return new ControlError(status, `${error.name}: ${error.message}`);
}
