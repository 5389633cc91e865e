import { Doctor, type DoctorReport, missingTables } from '../../doctor/index.ts';
import { nearest } from '../../model/nearest.ts';
import { machine } from '../../runtime/machine/machine.ts';
import { AnsweredFailure, askControl } from '../ask-control.ts';
import { endpointPlace, singleTransport } from '../endpoint-place.ts';
import { Failure } from '../failure.ts';
import { callFailure, openCaller } from '../open-caller.ts';
import type { Environment, Setting } from '../settings.ts';
import { awsEndpoint } from './aws-endpoint.ts';

export interface Place {
  readonly endpoint: Setting<string>;
  readonly region: Setting<string | undefined>;
}

export interface Wish {
  readonly tables: readonly string[];
  readonly minutes: number;
  readonly budget: number;
}

/** Looks at an endpoint, again and again if wanted. */
export type Examine = () => Promise<DoctorReport>;

/**
 * How an endpoint is examined. A Stator examines itself, because it knows access patterns and keys; anything else is
 * examined from here, through the public API.
 */
export async function openExamination(
  place: Place,
  wish: Wish,
  environment: Environment,
  signal: AbortSignal,
  nowMs: () => number = machine.nowMs,
): Promise<Examine> {
  const endpoint = place.endpoint.value;
  const isStator = endpoint !== 'aws' && (await answersAsStator(endpoint, signal));
  return isStator
    ? () => askServer(place, wish, environment, signal)
    : fromHere(place, wish, environment, signal, nowMs);
}

/** Health needs no signature. Another server answers it in its own way, or not at all. */
async function answersAsStator(endpoint: string, signal: AbortSignal): Promise<boolean> {
  try {
    const place = endpointPlace(endpoint);
    const health = { method: 'GET', url: new URL('/_stator/health', place.url), headers: {}, body: '' };
    const { status, text } = await singleTransport(place)(health, signal);
    return status === 200 && text.trim() === 'ok';
  } catch (error) {
    if (signal.aborted) throw error;
    throw new Failure(
      `Nobody answers at ${endpoint}: ${causeOf(error)}.`,
      'Start a server with stator start, or name another with --endpoint.',
      error,
    );
  }
}

function causeOf(error: unknown): string {
  const { cause, message } = error as { readonly cause?: { readonly message?: string }; message: string };
  return cause?.message || message;
}

async function askServer(
  { endpoint, region }: Place,
  { tables, minutes, budget }: Wish,
  environment: Environment,
  signal: AbortSignal,
): Promise<DoctorReport> {
  const chosen = region.value ?? (environment.AWS_REGION || environment.AWS_DEFAULT_REGION || undefined);
  const query = new URLSearchParams({ minutes: String(minutes), budget: String(budget) });
  for (const table of tables) query.append('table', table);
  if (chosen !== undefined) query.append('region', chosen);
  const server = { endpoint: endpoint.value, region: chosen, environment, signal };
  try {
    return (await askControl(server, `/_stator/doctor?${query}`)) as DoctorReport;
  } catch (error) {
    if (error instanceof AnsweredFailure && error.status === 404 && /nothing at/.test(error.message))
      throw new Failure(
        `The Stator at ${endpoint.value} has no doctor: it is older than this command.`,
        'Update the server.',
        error,
      );
    throw error;
  }
}

function fromHere(
  place: Place,
  wish: Wish,
  environment: Environment,
  signal: AbortSignal,
  nowMs: () => number,
): Examine {
  const caller = openCaller(place, environment, signal);
  const region =
    place.region.value ?? (environment.AWS_REGION || environment.AWS_DEFAULT_REGION || 'us-east-1');
  const endpoint = awsEndpoint(caller, { endpoint: place.endpoint.value, region, signal });
  const { tables, minutes, budget } = wish;
  const options = { minutes, budget, ...(tables.length > 0 && { tables }) };
  const doctor = new Doctor(endpoint, options, nowMs);
  return async () => {
    let report: DoctorReport;
    try {
      report = await doctor.look();
    } catch (error) {
      throw callFailure(error, place.endpoint.value);
    }
    const [missing] = missingTables(report, tables);
    if (missing !== undefined) throw await noTable(missing, region, caller);
    if (report.tables.length === 0 && report.notSeen.some(({ what }) => /tables/.test(what)))
      throw new Failure(
        `No table could be examined: ${report.notSeen.find(({ what }) => /tables/.test(what))!.why}.`,
        report.notSeen.find(({ what }) => /tables/.test(what))!.remedy,
      );
    return report;
  };
}

async function noTable(
  name: string,
  region: string,
  caller: { call<Answer>(operation: string, input: object): Promise<Answer> },
): Promise<Failure> {
  const { TableNames = [] } = await caller
    .call<{ readonly TableNames?: readonly string[] }>('ListTables', {})
    .catch(() => ({ TableNames: [] }));
  const meant = nearest(name, TableNames);
  return new Failure(
    `There is no table ${name} in Region ${region}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`,
  );
}
