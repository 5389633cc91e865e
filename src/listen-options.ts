import { isIPv4 } from 'node:net';
import type { ServedModel } from './control/models-resource.ts';
import { principalKinds, type Session, type StatedPrincipal } from './model/access/principal.ts';
import {
  type Check,
  checkOptions,
  mustBe,
  mustBeAccountId,
  mustBeBoolean,
  mustBeFunction,
  mustBeOneOf,
  mustBeRegion,
  mustBeText,
  mustBeWholeNumber,
  mustHave,
  type OptionChecks,
  shown,
} from './model/check-options.ts';
import type { ListenOptions } from './server.ts';
import type { PinnedScope } from './wire/authenticate.ts';
import type { Credential } from './wire/credentials.ts';
import { allowedHostProblem } from './wire/host-names.ts';
import { originProblem } from './wire/origin-list.ts';

const principalCheck = mustHave<StatedPrincipal>({
  kind: mustBe(`one of ${principalKinds.join(', ')}`, (value) =>
    (principalKinds as readonly unknown[]).includes(value),
  ),
  arn: mustBeText,
  session: mustHave<Session>({ name: mustBeText, issuer: mustBeText }),
  tags: mustBe(
    'an object with texts',
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      Object.values(value).every((tag) => typeof tag === 'string'),
  ),
});

const credentialCheck = mustHave<Credential>({
  accessKeyId: mustBeText,
  secretAccessKey: mustBeText,
  sessionToken: mustBeText,
  accountId: mustBeAccountId,
  administrator: mustBeBoolean,
  principal: principalCheck,
});

const credentialsCheck: Check = (value, name) => {
  if (!Array.isArray(value))
    return `${name} must be an array such as [{ accessKeyId, secretAccessKey }], and not ${shown(value)}`;
  for (const [i, one] of value.entries()) {
    const problem = credentialCheck(one, `${name}[${i}]`);
    if (problem !== undefined) return problem;
    const missing = ['accessKeyId', 'secretAccessKey'].find((member) => one[member] === undefined);
    if (missing !== undefined) return `${name}[${i}] has no ${missing}`;
  }
  return undefined;
};

/** Checks a list of texts with `problem`. */
function mustBeListOf(problem: (entry: string) => string | undefined): Check {
  return (value, name) => {
    if (!Array.isArray(value)) return `${name} must be an array of texts, and not ${shown(value)}`;
    for (const [i, entry] of value.entries()) {
      if (typeof entry !== 'string') return `${name}[${i}] must be a text, and not ${shown(entry)}`;
      const wrong = problem(entry);
      if (wrong !== undefined) return `${name}[${i}] ${wrong}`;
    }
    return undefined;
  };
}

const modelsCheck: Check = (value, name) => {
  if (!Array.isArray(value))
    return `${name} must be an array such as [{ model, design }], and not ${shown(value)}`;
  for (const [i, one] of (value as readonly Partial<ServedModel>[]).entries()) {
    if (one?.model?.format !== 'stator-model/1') return `${name}[${i}].model is no model`;
    if (one.design?.format !== 'stator-design/1' || one.design.model !== one.model.name)
      return `${name}[${i}].design is no design of the model ${one.model.name}`;
    const wrongAccount =
      one.accountId === undefined ? undefined : mustBeAccountId(one.accountId, `${name}[${i}].accountId`);
    if (wrongAccount !== undefined) return wrongAccount;
  }
  return undefined;
};

const listenChecks: OptionChecks<ListenOptions> = {
  port: mustBeWholeNumber(0, 65_535),
  host: mustBeText,
  auth: mustBeOneOf(['open', 'verify']),
  credentials: credentialsCheck,
  authorize: mustBeFunction,
  credentialsFile: mustBeText,
  pinScope: mustHave<PinnedScope>({ accountId: mustBeAccountId, region: mustBeRegion }),
  cors: mustBeListOf(originProblem),
  allowHosts: mustBeListOf(allowedHostProblem),
  studio: mustBeBoolean,
  controlPort: mustBeWholeNumber(0, 65_535),
  controlHost: mustBeText,
  controlSocket: mustBeText,
  metricsToken: mustBeText,
  oneOfSeveral: mustBeBoolean,
  models: modelsCheck,
};

/**
 * Checks the options of `listen` as the command line checks its own. An open server is reachable from this machine
 * only, unless the program sets `auth: 'open'` itself.
 */
export function checkListenOptions(options: ListenOptions): void {
  checkOptions(options, listenChecks, 'listen');
  const { auth, credentials = [], credentialsFile, host = '127.0.0.1', controlHost = '127.0.0.1' } = options;
  if (options.controlPort !== undefined && options.controlSocket !== undefined)
    throw new TypeError('listen: the control API has either a controlPort or a controlSocket');
  if (credentialsFile !== undefined && options.credentials !== undefined)
    throw new TypeError('listen: give either credentials or credentialsFile');
  if (auth === 'verify' && credentials.length === 0 && credentialsFile === undefined)
    throw new TypeError(
      'listen: auth "verify" needs credentials, such as credentials: [{ accessKeyId, secretAccessKey }]',
    );
  const reachable = [host, controlHost].find((each) => !isLoopback(each));
  if (auth === undefined && reachable !== undefined)
    throw new TypeError(
      `listen: ${reachable} can be reached from other machines, so set auth: "verify" with credentials, or on a network that you trust auth: "open"`,
    );
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}
