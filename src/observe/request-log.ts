import type { Observer, RequestEvent, WireRefusal } from '../engine/events.ts';
import { wireForms } from '../model/errors.ts';
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
  readonly pattern?: string | undefined;
  readonly status: number;
  readonly error?: string | undefined;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly ms: number;
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

/** Writes a line for each request, or for each that failed. */
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
      pattern: this.#names.of(event)?.name,
      ...statusOf(outcome),
      readUnits,
      writeUnits,
      ms: Math.round(event.durationMs * 1_000) / 1_000,
      requestId: event.caller.requestId,
    });
  }

  refused({ target, status, reason, requestId }: WireRefusal): void {
    if (signatureErrors.has(reason)) this.#warnSignature(target, reason, requestId);
    if (this.#options.log === 'off') return;
    const operation = target === undefined ? '-' : target.slice(target.lastIndexOf('.') + 1).slice(0, 100);
    this.#line({ operation, status, error: reason, readUnits: 0, writeUnits: 0, ms: 0, requestId });
  }

  /** At most one warning a second: whoever tries keys must not fill the disk. */
  #warnSignature(target: string | undefined, reason: string, requestId: string | undefined): void {
    const second = Math.floor(this.#options.now().getTime() / 1_000);
    if (second === this.#warnedSecond) {
      this.#unwarned++;
      return;
    }
    const more = this.#unwarned === 0 ? '' : ` (and ${this.#unwarned} more before it)`;
    this.#warnedSecond = second;
    this.#unwarned = 0;
    this.#options.warn(
      `A request${target === undefined ? '' : ` for ${target.slice(0, 100)}`} was refused: ${reason}, request ${requestId ?? '-'}${more}.`,
    );
  }

  #line(request: LoggedRequest): void {
    const { format, now, write } = this.#options;
    const time = now().toISOString();
    write(format === 'json' ? JSON.stringify({ time, ...request }) : `${time} ${textOf(request)}`);
  }
}

function statusOf(outcome: RequestEvent['outcome']): { readonly status: number; readonly error?: string } {
  if (outcome.kind === 'answered') return { status: 200 };
  if (outcome.kind === 'failed') return { status: 500, error: 'InternalServerError' };
  return { status: wireForms[outcome.error.name].status, error: outcome.error.name };
}

function textOf({
  operation,
  table,
  index,
  pattern,
  status,
  error,
  readUnits,
  writeUnits,
  ms,
  requestId,
}: LoggedRequest) {
  const place = table === undefined ? '-' : index === undefined ? table : `${table}/${index}`;
  const units = [
    ...(readUnits > 0 ? [`${readUnits} RCU`] : []),
    ...(writeUnits > 0 ? [`${writeUnits} WCU`] : []),
  ].join(' ');
  return [
    operation,
    place,
    error === undefined ? String(status) : `${status} ${error}`,
    ...(units === '' ? [] : [units]),
    `${ms} ms`,
    ...(pattern === undefined ? [] : [`pattern=${JSON.stringify(pattern)}`]),
    requestId ?? '-',
  ].join(' ');
}
