import type { ControlEvent, Observer, RequestEvent, WireRefusal } from '../engine/events.ts';
import { wireForms } from '../model/errors.ts';
import { printableJson } from '../model/printable.ts';
import { PatternNames } from './patterns/pattern-name.ts';

export interface RequestLogOptions {
  /** `requests`: every request. `errors`: those that were refused or failed. `off`: only rejected signatures. */
  readonly log: 'requests' | 'errors' | 'off';
  readonly format: 'text' | 'json';
  /** The time of a line. */
  readonly now: () => Date;
  /** Takes one line without its end. */
  readonly write: (line: string) => void;
  /** Takes a warning for the operator, which gets its time there. */
  readonly warn: (line: string) => void;
}

interface LoggedRequest {
  readonly operation: string;
  readonly table?: string | undefined;
  readonly index?: string | undefined;
  /** What a request without a table is about: an ARN or a name as it was sent, or the path of a control request. */
  readonly resource?: string | undefined;
  readonly pattern?: string | undefined;
  readonly status: number;
  readonly error?: string | undefined;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly ms: number;
  readonly account?: string | undefined;
  readonly accessKeyId?: string | undefined;
  /** The key that a refused request names, which nothing proves. */
  readonly claimedKeyId?: string | undefined;
  readonly address?: string | undefined;
  readonly requestId: string | undefined;
}

/** Errors that mean that somebody signed with a wrong key, or not at all. */
const signatureErrors: ReadonlySet<string> = new Set([
  'AccessDeniedException',
  'ExpiredTokenException',
  'IncompleteSignatureException',
  'InvalidSignatureException',
  'MissingAuthenticationTokenException',
  'UnrecognizedClientException',
]);

/**
 * Writes a line for each request, or for each that failed: for those of operations and of the control API alike. A line has
 * words with single blanks between them; nothing that a client chose can add a word or a line.
 */
export class RequestLog implements Observer {
  readonly #options: RequestLogOptions;
  readonly #names = new PatternNames();
  #warnedSecond = 0;
  #unwarned = 0;

  constructor(options: RequestLogOptions) {
    this.#options = options;
  }

  request(event: RequestEvent): void {
    const { log } = this.#options;
    const { outcome } = event;
    if (log === 'off' || (log === 'errors' && outcome.kind === 'answered')) return;
    const [touch] = event.touches;
    let readUnits = 0;
    let writeUnits = 0;
    for (const { access, consumed } of event.charges) {
      let units = consumed.table;
      for (const index of consumed.indexes) units += index.units;
      if (access === 'read') readUnits += units;
      else writeUnits += units;
    }
    const tables = [...new Set(event.touches.map(({ tableName }) => tableName))].filter(
      (name) => name !== '',
    );
    this.#line({
      operation: event.operation,
      table: tables.length === 0 ? undefined : tables.join(','),
      index: touch?.index?.schema.name,
      resource: tables.length === 0 ? resourceNamed(event.input) : undefined,
      pattern: this.#names.of(event)?.name,
      ...statusOf(outcome),
      readUnits,
      writeUnits,
      ms: rounded(event.durationMs),
      account: event.caller.accountId,
      accessKeyId: event.caller.accessKeyId,
      address: event.caller.address,
      requestId: event.caller.requestId,
    });
  }

  refused(refusal: WireRefusal): void {
    const { target, status, reason, requestId, claimedKeyId, address } = refusal;
    if (signatureErrors.has(reason)) this.#warnSignature(refusal);
    if (this.#options.log === 'off') return;
    const operation = target === undefined ? '-' : target.slice(target.lastIndexOf('.') + 1).slice(0, 100);
    const units = { readUnits: 0, writeUnits: 0 };
    this.#line({ operation, status, error: reason, ...units, ms: 0, claimedKeyId, address, requestId });
  }

  control({ method, path, status, durationMs, caller, address }: ControlEvent): void {
    const { log } = this.#options;
    if (log === 'off' || (log === 'errors' && status < 400)) return;
    this.#line({
      ...{ operation: method, resource: path, status, readUnits: 0, writeUnits: 0 },
      ...{ ms: rounded(durationMs), account: caller?.accountId, accessKeyId: caller?.accessKeyId, address },
      requestId: undefined,
    });
  }

  /** At most one warning a second: whoever tries keys must not fill the disk. */
  #warnSignature({ target, reason, requestId, claimedKeyId, address }: WireRefusal): void {
    const second = Math.floor(this.#options.now().getTime() / 1_000);
    if (second === this.#warnedSecond) {
      this.#unwarned++;
      return;
    }
    const more = this.#unwarned === 0 ? '' : ` (and ${this.#unwarned} more before it)`;
    this.#warnedSecond = second;
    this.#unwarned = 0;
    this.#options.warn(
      `A request${target === undefined ? '' : ` for ${target.slice(0, 100)}`} was refused: ${reason}, request ${requestId ?? '-'}, key ${claimedKeyId ?? '-'}, from ${address ?? '-'}${more}.`,
    );
  }

  #line(request: LoggedRequest): void {
    const { format, now, write } = this.#options;
    const time = now().toISOString();
    write(format === 'json' ? printableJson({ time, ...request }) : `${time} ${textOf(request)}`);
  }
}

function statusOf(outcome: RequestEvent['outcome']): { readonly status: number; readonly error?: string } {
  if (outcome.kind === 'answered') return { status: 200 };
  if (outcome.kind === 'failed') return { status: 500, error: 'InternalServerError' };
  return { status: wireForms[outcome.error.name].status, error: outcome.error.name };
}

function rounded(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}

/** The members of requests that name what they are about, the most specific first. */
const naming = ['TableName', 'ResourceArn', 'TableArn', 'BackupArn', 'ExportArn', 'ImportArn', 'StreamArn'];

function resourceNamed(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  const given = input as Readonly<Record<string, unknown>>;
  for (const name of naming) {
    const value = given[name];
    if (typeof value === 'string') return value.slice(0, 256);
  }
  return undefined;
}

/** One word of a line. What has blanks or other characters that a word does not have stands in quotes. */
function word(text: string): string {
  return /^[\w.:/,*+@%=~-]+$/.test(text) ? text : printableJson(text);
}

function textOf({
  operation,
  table,
  index,
  resource,
  account,
  accessKeyId,
  claimedKeyId,
  address,
  pattern,
  status,
  error,
  readUnits,
  writeUnits,
  ms,
  requestId,
}: LoggedRequest) {
  const place = table === undefined ? (resource ?? '-') : index === undefined ? table : `${table}/${index}`;
  const named = Object.entries({ account, key: accessKeyId, 'claimed-key': claimedKeyId, from: address });
  const units = [
    ...(readUnits > 0 ? [`${readUnits} RCU`] : []),
    ...(writeUnits > 0 ? [`${writeUnits} WCU`] : []),
  ].join(' ');
  return [
    word(operation),
    word(place),
    error === undefined ? String(status) : `${status} ${error}`,
    ...(units === '' ? [] : [units]),
    `${ms} ms`,
    ...named.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${word(value)}`])),
    ...(pattern === undefined ? [] : [`pattern=${printableJson(pattern)}`]),
    requestId ?? '-',
  ].join(' ');
}
