/**
 * The part of `@opentelemetry/api` that Stator calls. Written here, so that neither Stator nor a program that uses its types
 * needs the package.
 */
export interface TracingApi {
  readonly trace: {
    getTracer(name: string): Tracer;
    getSpan(context: TraceContext): object | undefined;
  };
  readonly context: { active(): TraceContext };
  readonly propagation: {
    /** The names of the headers that the registered propagator reads. */
    fields(): string[];
    extract<Carrier>(
      context: TraceContext,
      carrier: Carrier,
      getter: {
        get(carrier: Carrier, name: string): undefined | string | string[];
        keys(carrier: Carrier): string[];
      },
    ): TraceContext;
  };
  readonly ROOT_CONTEXT: TraceContext;
}

/** A context of OpenTelemetry, which only its own functions look into. */
export interface TraceContext {
  getValue(key: symbol): unknown;
  setValue(key: symbol, value: unknown): TraceContext;
  deleteValue(key: symbol): TraceContext;
}

export type SpanAttribute = string | number | boolean | string[];
export type SpanAttributes = Record<string, SpanAttribute>;

export interface Tracer {
  startSpan(
    name: string,
    options: { kind: number; startTime: number; attributes: SpanAttributes },
    parent: TraceContext,
  ): Span;
}

export interface Span {
  isRecording(): boolean;
  setAttributes(attributes: SpanAttributes): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  recordException(error: Error | string, time: number): void;
  end(time: number): void;
}

/** OpenTelemetry's numbers, which its API fixes. */
export const spanKinds = { internal: 0, server: 1 } as const;
export const spanError = 2;

const functionsOf = { trace: 'getTracer', context: 'active', propagation: 'extract' } as const;

/** Tells whether a value is the module `@opentelemetry/api`, of any version that has what is called here. */
export function isTracingApi(value: unknown): value is TracingApi {
  if (typeof value !== 'object' || value === null) return false;
  const parts = value as Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;
  return Object.entries(functionsOf).every(([part, name]) => typeof parts[part]?.[name] === 'function');
}
