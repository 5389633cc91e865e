import type { EndpointCaller } from '../../kit/endpoint-caller.ts';
import type { MigrationCalls } from '../../migrate/index.ts';
import { withBytes, withText } from '../wire-values.ts';

/** Calls over HTTP. */
export function wireCalls(caller: EndpointCaller): MigrationCalls {
  return {
    async call<Answer>(operation: string, input: object): Promise<Answer> {
      return withBytes(await caller.call<unknown>(operation, withText(input) as object)) as Answer;
    },
  };
}
