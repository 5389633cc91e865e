import { Stator, type StatorOptions, StoreError } from '../../index.ts';
import type { EndpointCaller } from '../../kit/endpoint-caller.ts';
import { repeat } from '../../kit/repeat.ts';
import { ServiceError, Unreachable } from '../../kit/service-error.ts';
import { toolPolicies } from '../../kit/tool-policies.ts';
import { wait } from '../../runtime/machine/machine.ts';
import { controlFailure } from '../ask-control.ts';
import { Failure, messageOf } from '../failure.ts';
import { callerOf, environmentCredentials, regionOf } from '../open-caller.ts';
import type { Output } from '../output.ts';
import { repeatDeps } from '../repeat-deps.ts';
import type { Environment, Settings } from '../settings.ts';
import { StopSignals } from '../stop-signals.ts';
import { troubleAsFailure } from '../store-trouble.ts';
import type { diffOptions } from './past-options.ts';

type PlaceSettings = Pick<Settings<typeof diffOptions>, 'endpoint' | 'region' | 'dataDir'>;

/** How a data directory is opened. */
type OpenOptions = Pick<StatorOptions, 's3'>;
type Observer = NonNullable<StatorOptions['observer']>;

/** A backup, restore or export that a Stator is doing. */
export interface PlaceJob {
  readonly kind: string;
  readonly tableName: string;
  readonly state: 'IN_PROGRESS' | 'FAILED';
  readonly reason?: string;
  readonly items: number;
  readonly itemsExpected: number;
}

/** The tables that a command works on, by the public API and the control API. */
export interface PastPlace {
  readonly caller: EndpointCaller;
  readonly signal: AbortSignal;
  readonly region: string;
  /** Asks the control API of a Stator; GET without a body. */
  control(path: string, body?: object): Promise<unknown>;
  /** The jobs of a kind on a table. Another service than Stator tells none. */
  jobs(kind: string, tableName: string): Promise<readonly PlaceJob[]>;
}

/**
 * Runs a command on a server, or on a data directory: that is opened here and served on a free port of this machine for
 * as long as the command takes, so that both ways are one.
 */
export async function onPast<R>(
  settings: PlaceSettings,
  environment: Environment,
  run: (place: PastPlace) => Promise<R>,
  open: OpenOptions = {},
): Promise<R> {
  const signals = new StopSignals();
  const troubles = new StoreTroubles();
  const { dataDir } = settings;
  const db =
    dataDir.source === 'default'
      ? undefined
      : await Stator.open({ ...open, observer: troubles, store: { directory: dataDir.value } }).catch(
          async (error: unknown) => {
            throw await troubleAsFailure(error);
          },
        );
  const signal = AbortSignal.any([signals.asked, troubles.met]);
  const endpoint = db === undefined ? settings.endpoint.value : (await db.listen({ port: 0 })).url;
  try {
    const region = regionOf(settings.region, environment);
    const credentials = environmentCredentials(environment) ?? {
      accessKeyId: 'stator',
      secretAccessKey: 'stator',
    };
    const caller = callerOf(endpoint, region, credentials, signal);
    const control = async (path: string, body?: object) => {
      const query = `?region=${encodeURIComponent(region)}`;
      const { status, text } = await caller.control(
        body === undefined ? 'GET' : 'POST',
        `${path}${query}`,
        body,
      );
      if (status !== 200) throw controlFailure(endpoint, path, { status, text });
      return JSON.parse(text) as object;
    };
    const jobs = async (kind: string, tableName: string) => {
      if (endpoint === 'aws') return [];
      // A service that has no control API has no progress to show either.
      const answer = (await control('/_stator/jobs').catch(() => ({}))) as { jobs?: readonly PlaceJob[] };
      return (answer.jobs ?? []).filter((job) => job.kind === kind && job.tableName === tableName);
    };
    const result = await run({ caller, signal, region, control, jobs });
    await db?.settled();
    return result;
  } catch (error) {
    const { last } = troubles;
    const isOfStore = troubles.met.aborted || (error instanceof ServiceError && error.status >= 500);
    if (last !== undefined && isOfStore) throw await troubleAsFailure(last);
    throw signals.asked.aborted ? new Failure('The command was stopped.') : asFailure(error, endpoint);
  } finally {
    signals.release();
    await db?.close();
  }
}

/**
 * Notices trouble of a store that the command opened itself: its requests only answer InternalServerError. A full disk or
 * damaged data ends the command at once, because to try again changes nothing.
 */
class StoreTroubles implements Observer {
  readonly #met = new AbortController();
  last: StoreError | undefined;

  get met(): AbortSignal {
    return this.#met.signal;
  }

  request({ outcome }: Parameters<NonNullable<Observer['request']>>[0]): void {
    const error = outcome.kind === 'failed' ? outcome.error : undefined;
    if (!(error instanceof StoreError)) return;
    this.last = error;
    if (error.trouble === 'full' || error.trouble === 'corrupt') this.#met.abort();
  }
}

function asFailure(error: unknown, endpoint: string): unknown {
  if (error instanceof Unreachable)
    return new Failure(
      `Nobody answers at ${error.endpoint}: ${messageOf(error)}.`,
      'Start a server with stator start, or name another with --endpoint.',
      error,
    );
  return error instanceof ServiceError
    ? new Failure(`${error.name}: ${error.message}`, undefined, error)
    : error;
}

/** What became of a job whose backup or table is gone. */
export async function failureOf(
  place: PastPlace,
  kind: 'backup' | 'restore',
  tableName: string,
  consequence: string,
  cause: unknown,
): Promise<Failure> {
  const reason = (await place.jobs(kind, tableName)).findLast(({ state }) => state === 'FAILED')?.reason;
  return new Failure(
    `The ${kind} failed${reason === undefined ? '' : `: ${reason}`}. ${consequence}`,
    reason === undefined ? "The server's log tells why." : undefined,
    cause,
  );
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

/**
 * Asks until a job has ended, and waits out a server that is restarted meanwhile: it goes on with the job. `what` names the
 * job at the beginning of a sentence.
 */
export async function untilOver<R>(
  place: PastPlace,
  output: Output,
  what: string,
  look: () => Promise<R>,
  isOver: (found: R) => boolean,
): Promise<R> {
  const { signal } = place;
  let isAway = false;
  const patientLook = async () => {
    const found = await repeat(look, {
      ...{ ...repeatDeps(signal), signal, policy: toolPolicies.job },
      repeats: (error) => {
        if (!isAway) output.log('warning', `${messageOf(error)}; trying again.`);
        isAway = true;
      },
    }).catch((error: unknown) => {
      if (!(error instanceof Unreachable) || signal.aborted) throw error;
      throw new Failure(
        `Nobody answers at ${error.endpoint} any more: ${messageOf(error)}.`,
        `${what} goes on when the server runs again.`,
        error,
      );
    });
    isAway = false;
    return found;
  };
  return until(place, patientLook, isOver);
}
