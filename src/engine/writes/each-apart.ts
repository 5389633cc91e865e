import { type DynamoError, internalServerError } from '../../model/errors.ts';
import { type MaybePromise, whenAllDone, whenDone } from '../../model/maybe-promise.ts';
import { StoreError } from '../../storage/store-error.ts';

/**
 * Runs independent parts of one request. A StoreError is the error of the parts that met it, since other parts may be
 * done already. If every part met one, it is the error of the request.
 */
export function eachApart<R>(
  runs: readonly (() => MaybePromise<R>)[],
  log: (line: string) => void,
): MaybePromise<readonly (R | DynamoError)[]> {
  return whenDone(whenAllDone(runs.map(attempt)), (results) => {
    const troubles = results.filter((result) => result instanceof StoreError);
    if (troubles.length === 0) return results as readonly R[];
    if (troubles.length === results.length) throw troubles[0]!;
    log(
      `${troubles.length} of ${results.length} statements of a batch were not done: ${troubles[0]!.message}`,
    );
    return results.map((result) => (result instanceof StoreError ? internalServerError() : result));
  });
}

/** Returns StoreErrors and rethrows everything else: any other exception is a bug, which no batch may hide. */
function attempt<R>(run: () => MaybePromise<R>): MaybePromise<R | StoreError> {
  const caught = (error: unknown): StoreError => {
    if (error instanceof StoreError) return error;
    throw error;
  };
  try {
    const done = run();
    return done instanceof Promise ? done.catch(caught) : done;
  } catch (error) {
    return caught(error);
  }
}
