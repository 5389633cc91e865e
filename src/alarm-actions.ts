import { appendPrivateFile } from './files/private-files.ts';
import { systemReason } from './files/system-reason.ts';
import type { AlarmActions, AlarmNotice } from './observe/alarms/alarm-evaluator.ts';
import { machine } from './runtime/machine/machine.ts';

/** What the action of an alarm does: it posts to an address, or adds a line to a file. */
export type AlarmAction = { readonly webhook: string } | { readonly file: string };

/** The actions that alarms may name. */
export type AlarmActionMap = Readonly<Record<string, AlarmAction>>;

const webhookTimeoutMs = 5_000;

/**
 * Runs actions by name. Only names of the configuration do anything, so that a caller of the API can neither choose an
 * address nor a file. A redirect is a failure, because the address it leads to is in no configuration.
 */
export function configuredActions(configured: AlarmActionMap): AlarmActions {
  return {
    async run(name, notice) {
      const action = Object.hasOwn(configured, name) ? configured[name] : undefined;
      if (action === undefined) return "the server's configuration has no action of this name";
      return 'webhook' in action ? post(action.webhook, notice) : write(action.file, notice);
    },
  };
}

async function post(url: string, notice: AlarmNotice): Promise<string | undefined> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(notice),
      redirect: 'manual',
      signal: machine.deadline(webhookTimeoutMs),
    });
    await response.body?.cancel();
    return response.ok ? undefined : `the webhook answered ${response.status}`;
  } catch (error) {
    return `the webhook did not answer: ${reasonOf(error)}`;
  }
}

async function write(file: string, notice: AlarmNotice): Promise<string | undefined> {
  try {
    await appendPrivateFile(file, `${JSON.stringify(notice)}\n`);
    return undefined;
  } catch (error) {
    return `the file could not be written: ${systemReason(error)}`;
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}

/** What is wrong with a map of actions that somebody wrote; undefined if nothing is. */
export function alarmActionsProblem(given: unknown): string | undefined {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return 'must be an object from names to { "webhook": "https://…" } or { "file": "…" }';
  for (const [name, action] of Object.entries(given as Readonly<Record<string, unknown>>)) {
    const { webhook, file, ...others } = (action ?? {}) as Readonly<Record<string, unknown>>;
    if (name === '' || name.length > 1024) return 'has a name of no or more than 1,024 characters';
    if (Object.keys(others).length > 0 || (webhook === undefined) === (file === undefined))
      return `must give the action ${name} either a webhook or a file`;
    if (file !== undefined && (typeof file !== 'string' || file === ''))
      return `must give the action ${name} the path of a file`;
    if (webhook !== undefined && !isHttp(webhook))
      return `must give the action ${name} an http or https address`;
  }
  return undefined;
}

function isHttp(text: unknown): boolean {
  if (typeof text !== 'string' || !URL.canParse(text)) return false;
  return ['http:', 'https:'].includes(new URL(text).protocol);
}
