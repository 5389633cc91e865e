import type { CheckReport } from '../engine/check/check-report.ts';
import type { Engine } from '../engine/engine.ts';
import { decodePercent } from '../kit/request-url.ts';
import type { Observation } from '../observe/observation.ts';
import type { Clock } from '../runtime/clock.ts';
import { controlPrefix, type Page, type PageHead, type PageRequest, type Pages } from '../wire/pages.ts';
import type { RequestHandler } from '../wire/request-handler.ts';
import { withCallerScope } from './caller-scope.ts';
import { checkResource } from './check-resource.ts';
import { clockResource } from './clock-resource.ts';
import { ControlError } from './control-error.ts';
import {
  type ControlGuard,
  callerOf,
  hasToken,
  judged,
  refuseForOneProcess,
  refuseStrangers,
  refuseUnauthorized,
  refuseUnsigned,
} from './control-guard.ts';
import { jsonPage, type Resource } from './control-resource.ts';
import { doctorResource } from './doctor-resource.ts';
import { explainResource } from './explain-resource.ts';
import { faultResource, faultsResource } from './faults-resource.ts';
import { followersResource } from './followers-resource.ts';
import { forkResource } from './fork-resource.ts';
import { healthResource, readyResource } from './health-resource.ts';
import { whileKeyHolds } from './held-page.ts';
import { importErrorsResource } from './import-errors-resource.ts';
import { indexesResource } from './indexes-resource.ts';
import { insightsResource } from './insights-resource.ts';
import { modelsResource } from './models-resource.ts';
import type { Controllable, Namespaces } from './namespaces.ts';
import { namespaceResource, namespacesResource } from './namespaces-resource.ts';
import { liveResource, metricsResource, patternsResource, seriesResource } from './observe-resources.ts';
import { atResource, changesResource, type DatabaseWithPast, jobsResource } from './past-resources.ts';
import { physicsResource, scopeMeant, tablePhysicsResource } from './physics-resource.ts';
import { recordResource } from './record-resource.ts';
import { resetResource, snapshotResource } from './snapshot-resource.ts';
import { tablesResource } from './tables-resource.ts';

/** The parts of a database that the resources use. */
export interface ControlledDatabase extends Controllable, DatabaseWithPast {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly region: string;
  readonly observation: Observation;
  /** Answers requests in this process, as a client would send them. */
  readonly requests: RequestHandler;
  newRequestId(): string;
  check(): Promise<CheckReport>;
  explain(
    statement: string,
    parameters: readonly never[] | undefined,
    options: { readonly region?: string; readonly accountId?: string },
  ): Promise<object>;
}

/**
 * The control API under `/_stator/`: what Stator has beyond DynamoDB. Requests and answers are JSON; an error is
 * `{"error": "…"}` with its status. Health and readiness need no signature, because the machines that ask cannot
 * sign.
 */
export function controlApi<Database extends ControlledDatabase>(
  namespaces: Namespaces<Database>,
  guard: ControlGuard,
): Pages {
  const resources = controlResources(namespaces, guard);
  for (const { path, methods, intents } of resources)
    for (const method of Object.keys(methods))
      if (intents[method] === undefined)
        throw new Error(`${method} of /_stator/${path.join('/')} states no intents`);
  const pages = async (request: PageRequest) => {
    try {
      return await answer(resources, guard, namespaces, request);
    } catch (error) {
      return refusalPage(error);
    }
  };
  const refuseHead = (head: PageHead) => {
    try {
      checkHead(resources, guard, head);
      return undefined;
    } catch (error) {
      return refusalPage(error);
    }
  };
  return Object.assign(pages, { refuseHead });
}

/** Every resource of the control API. */
export function controlResources<Database extends ControlledDatabase>(
  namespaces: Namespaces<Database>,
  guard: ControlGuard,
): readonly Resource[] {
  return [
    healthResource,
    readyResource(namespaces),
    snapshotResource(namespaces),
    resetResource(namespaces),
    forkResource(namespaces),
    namespacesResource(namespaces),
    namespaceResource(namespaces),
    clockResource(namespaces),
    faultsResource(namespaces),
    faultResource(namespaces),
    checkResource(namespaces),
    explainResource(namespaces, guard),
    indexesResource(namespaces),
    followersResource(namespaces),
    atResource(namespaces),
    changesResource(namespaces),
    jobsResource(namespaces),
    importErrorsResource(namespaces),
    physicsResource(namespaces),
    recordResource(namespaces),
    tablePhysicsResource(namespaces),
    tablesResource(namespaces, guard),
    metricsResource(namespaces, guard),
    patternsResource(namespaces),
    seriesResource(namespaces),
    liveResource(namespaces),
    insightsResource(namespaces),
    doctorResource(namespaces, guard),
    modelsResource(guard),
  ];
}

function refusalPage(error: unknown): Page {
  if (!(error instanceof ControlError)) throw error;
  return jsonPage(error.status, { error: error.message });
}

/** Makes all checks that need no body, so that a stranger's body is not waited for. */
function checkHead(resources: readonly Resource[], guard: ControlGuard, head: PageHead): void {
  refuseStrangers(guard, head);
  const segments = head.path.slice(controlPrefix.length).split('/').map(decodePercent);
  const resource = resources.find(({ path }) => matched(path, segments) !== undefined);
  if (resource === undefined) throw new ControlError(404, `There is nothing at ${head.path}`);
  if (!resource.unsigned && !(resource.takesToken && hasToken(guard, head))) refuseUnsigned(guard, head);
  const coding = head.headers.contentEncoding?.trim().toLowerCase() ?? '';
  if (coding !== '' && coding !== 'identity')
    throw new ControlError(415, 'The control API takes no compressed bodies');
}

async function answer(
  resources: readonly Resource[],
  guard: ControlGuard,
  namespaces: Namespaces<ControlledDatabase>,
  request: PageRequest,
): Promise<Page> {
  refuseStrangers(guard, request);
  const segments = request.path.slice(controlPrefix.length).split('/').map(decodePercent);
  for (const resource of resources) {
    const names = matched(resource.path, segments);
    if (names === undefined) continue;
    const isScraper = resource.takesToken === true && hasToken(guard, request);
    const identity = resource.unsigned || isScraper ? undefined : callerOf(guard, request);
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const run = resource.methods[method];
    if (run === undefined) {
      const page = jsonPage(405, { error: `${request.path} does not take ${request.method}` });
      return { ...page, headers: { ...page.headers, Allow: Object.keys(resource.methods).join(', ') } };
    }
    if (resource.ofThisProcess) refuseForOneProcess(guard, request);
    if (resource.unsigned) return await run(names, request);
    const { region } = namespaces.base;
    const caller = identity ?? { ...(isScraper ? scraper : strangerOnOpenServer), region };
    const isBound = guard.isVerified && !isScraper && !guard.isAdministrator(caller.accessKeyId);
    const hasNamespace = namespaces.namespace(caller.accessKeyId) !== undefined;
    const meant =
      identity === undefined ? request : withCallerScope(request, caller, { hasNamespace, isBound });
    const requester = judged(guard, caller, isBound);
    if (requester.authorize !== undefined) {
      const scope = scopeMeant(namespaces.base, meant);
      const intents = resource.intents[method]!({ names, request: meant, scope });
      await refuseUnauthorized(requester, intents, isBound);
    }
    const page = await run(names, { ...meant, requester });
    return guard.isVerified && !isScraper ? whileKeyHolds(guard, caller.accessKeyId, page) : page;
  }
  throw new ControlError(404, `There is nothing at ${request.path}`);
}

/** Whoever sends unsigned requests to a server that lets everybody in. */
const strangerOnOpenServer = {
  accessKeyId: 'stator',
  accountId: '000000000000',
  stated: { kind: 'anonymous' },
} as const;

/** The holder of the bearer token for metrics. */
const scraper = {
  accessKeyId: 'metrics-token',
  accountId: '000000000000',
  stated: { kind: 'service' },
} as const;

/** Matches a path. Returns the segments in the positions of `<name>`, or undefined. */
function matched(path: readonly string[], segments: readonly string[]): string[] | undefined {
  if (path.length !== segments.length) return undefined;
  const names: string[] = [];
  for (const [i, part] of path.entries()) {
    if (part === '<name>') names.push(segments[i]!);
    else if (part !== segments[i]) return undefined;
  }
  return names;
}
