import type { Caller, Observer, RequestEvent, RequestOutcome } from '../../engine/events.ts';
import { PatternNames } from '../patterns/pattern-name.ts';
import { shapeName, shapeOf, tableOf } from '../patterns/pattern-shape.ts';
import { reasonCodes } from '../request-metrics.ts';
import { firstAttributes, furtherAttributes, tablesOf } from './span-attributes.ts';
import {
  type Span,
  spanError,
  spanKinds,
  type TraceContext,
  type Tracer,
  type TracingApi,
} from './tracing-api.ts';

export interface RequestSpansDeps {
  readonly api: TracingApi;
  /** The machine's time in milliseconds since 1970, with fractions: spans stand among those of the whole program. */
  readonly nowMs: () => number;
  readonly log: (line: string) => void;
}

/**
 * Makes an OpenTelemetry span of every request, when the request has its answer. The parent of the span is the span that
 * the calling program has active, or for a request by HTTP the one that its headers name.
 */
export class RequestSpans implements Observer {
  readonly #deps: RequestSpansDeps;
  readonly #tracer: Tracer;
  readonly #names = new PatternNames();
  readonly #headers: {
    get(caller: Caller, name: string): string | undefined;
    keys(caller: Caller): string[];
  };
  #hasFailed = false;

  constructor(deps: RequestSpansDeps) {
    const { trace, propagation } = deps.api;
    this.#deps = deps;
    this.#tracer = trace.getTracer('stator');
    this.#headers = {
      get: (caller, name) => caller.header(name.toLowerCase()),
      keys: (caller) =>
        propagation.fields().filter((name) => caller.header(name.toLowerCase()) !== undefined),
    };
  }

  /** Requests must not fail by what listens to them, and a tracer is a program of somebody else. */
  request(event: RequestEvent): void {
    try {
      this.#span(event);
    } catch (error) {
      if (!this.#hasFailed) this.#deps.log(`OpenTelemetry made no span: ${String(error)}`);
      this.#hasFailed = true;
    }
  }

  #span(event: RequestEvent): void {
    const { operation, caller, durationMs } = event;
    const endMs = this.#deps.nowMs();
    const tables = tablesOf(event);
    const named = this.#names.of(event)?.name;
    const span = this.#tracer.startSpan(
      named ?? (tables.length === 1 ? `${operation} ${tables[0]}` : operation),
      {
        kind: caller.isRemote === true ? spanKinds.server : spanKinds.internal,
        startTime: endMs - durationMs,
        attributes: firstAttributes(event, tables, named),
      },
      this.#parent(caller),
    );
    if (span.isRecording()) {
      const isAdministration = event.touches[0]?.access === 'control';
      span.setAttributes({
        ...furtherAttributes(event, tables),
        ...(!isAdministration && { 'stator.pattern': named ?? shapeName(shapeOf(event, tableOf(event))) }),
      });
      setOutcome(span, event.outcome, endMs);
    }
    span.end(endMs);
  }

  /** Whatever span was active when a server began to listen has nothing to do with the requests that it gets. */
  #parent(caller: Caller): TraceContext {
    const { context, trace, propagation, ROOT_CONTEXT } = this.#deps.api;
    if (caller.isRemote === true) return propagation.extract(ROOT_CONTEXT, caller, this.#headers);
    const active = context.active();
    return trace.getSpan(active) === undefined ? propagation.extract(active, caller, this.#headers) : active;
  }
}

/** A failed condition is an answer that the program asked for: it has a code, and is no error of the span. */
function setOutcome(span: Span, outcome: RequestOutcome, endMs: number): void {
  if (outcome.kind === 'answered') return;
  if (outcome.kind === 'refused') {
    const { name, message } = outcome.error;
    span.setAttributes({ 'db.response.status_code': name });
    if (isFailedCondition(outcome)) return;
    span.setAttributes({ 'error.type': name });
    span.setStatus({ code: spanError, ...(message !== undefined && { message }) });
    return;
  }
  const { error } = outcome;
  span.setAttributes({
    'db.response.status_code': 'InternalServerError',
    'error.type': error instanceof Error ? error.name : 'InternalServerError',
  });
  span.recordException(error instanceof Error ? error : String(error), endMs);
  span.setStatus({ code: spanError, message: error instanceof Error ? error.message : String(error) });
}

function isFailedCondition({ error }: Extract<RequestOutcome, { kind: 'refused' }>): boolean {
  if (error.name === 'ConditionalCheckFailedException') return true;
  const codes = error.name === 'TransactionCanceledException' ? reasonCodes(error) : [];
  return codes.length > 0 && codes.every((code) => code === 'None' || code === 'ConditionalCheckFailed');
}
