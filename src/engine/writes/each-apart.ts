import { type DynamoError, internalServerError } from '../../model/errors.ts';
import { type MaybePromise, whenAllDone, whenDone } from '../../model/maybe-promise.ts';
import { StoreError } from '../../storage/store-error.ts';

/**
 * Does several things of one request that have nothing to do with each other. Trouble with the store is the error of
 * those that met it, since others may be done already; when all of them did, it is the request's.
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

/** Anything thrown that is not the world's trouble is a bug, which no batch may hide. */
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
