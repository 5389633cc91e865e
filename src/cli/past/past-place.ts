import { setTimeout as wait } from 'node:timers/promises';
import { Stator } from '../../index.ts';
import { environmentCredentials, signedHeaders } from '../aws-request.ts';
import { DynamoDbCaller, Refusal, Unreachable } from '../dynamodb-caller.ts';
import { Failure, messageOf } from '../failure.ts';
import type { Environment, Settings } from '../settings.ts';
import { StopSignals } from '../stop-signals.ts';
import { troubleAsFailure } from '../store-trouble.ts';
import type { diffOptions } from './past-options.ts';

type PlaceSettings = Pick<Settings<typeof diffOptions>, 'endpoint' | 'region' | 'dataDir'>;

/** The tables that a command works on, by the public API and the control API. */
export interface PastPlace {
  readonly caller: DynamoDbCaller;
  readonly signal: AbortSignal;
  /** Asks the control API. */
  control(path: string, body: object): Promise<unknown>;
}

/**
 * Runs a command on a server, or on a data directory: that is opened here and served on a free port of this machine for
 * as long as the command takes, so that both ways are one.
 */
export async function onPast<R>(
  settings: PlaceSettings,
  environment: Environment,
  run: (place: PastPlace) => Promise<R>,
): Promise<R> {
  const signals = new StopSignals();
  const { dataDir } = settings;
  const db =
    dataDir.source === 'default'
      ? undefined
      : await Stator.open({ store: { directory: dataDir.value } }).catch(async (error: unknown) => {
          throw await troubleAsFailure(error);
        });
  const endpoint = db === undefined ? settings.endpoint.value : (await db.listen({ port: 0 })).url;
  try {
    const region =
      settings.region.value ?? (environment.AWS_REGION || environment.AWS_DEFAULT_REGION || 'us-east-1');
    const given = environmentCredentials(environment);
    const credentials = given ?? {
      accessKeyId: 'stator',
      secretAccessKey: 'stator',
      sessionToken: undefined,
    };
    const caller = new DynamoDbCaller({ endpoint, region, credentials, signal: signals.asked });
    const control = async (path: string, body: object) => {
      const url = new URL(`${path}?region=${encodeURIComponent(region)}`, endpoint);
      const text = JSON.stringify(body);
      const headers = signedHeaders({
        ...{ url, target: 'Stator.Past', body: text, region, credentials },
        now: new Date(),
      });
      const response = await fetch(url, { method: 'POST', headers, body: text, signal: signals.asked });
      const answer = (await response.json()) as { readonly error?: string };
      if (response.status !== 200) throw new Failure(`${answer.error ?? `Status ${response.status}`}.`);
      return answer;
    };
    const result = await run({ caller, signal: signals.asked, control });
    await db?.settled();
    return result;
  } catch (error) {
    throw signals.asked.aborted ? new Failure('The command was stopped.') : asFailure(error, endpoint);
  } finally {
    signals.release();
    await db?.close();
  }
}

function asFailure(error: unknown, endpoint: string): unknown {
  if (error instanceof Unreachable || (error instanceof TypeError && error.message === 'fetch failed'))
    return new Failure(
      `Nobody answers at ${endpoint}: ${messageOf(error)}.`,
      'Start a server with stator start, or name another with --endpoint.',
      error,
    );
  return error instanceof Refusal ? new Failure(`${error.name}: ${error.message}`, undefined, error) : error;
}

/** Asks until something is so. */
export async function until<R>(
  { signal }: PastPlace,
  look: () => Promise<R>,
  isSo: (found: R) => boolean,
): Promise<R> {
  for (let ms = 20; ; ms = Math.min(ms * 2, 1_000)) {
    const found = await look();
    if (isSo(found)) return found;
    await wait(ms, undefined, { signal });
  }
}
