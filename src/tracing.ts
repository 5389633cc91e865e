import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Observer } from './engine/events.ts';
import { isMissingPackage } from './model/missing-package.ts';
import { RequestSpans } from './observe/tracing/request-spans.ts';
import type { TracingApi } from './observe/tracing/tracing-api.ts';
import { machine } from './runtime/machine/machine.ts';
import type { StatorOptions } from './stator-options.ts';

const packageName = '@opentelemetry/api';

/** Those who get every event of a database beside its observation: the program's observer, and the tracer. */
export function observersOf(
  { observer, tracing }: Pick<StatorOptions, 'observer' | 'tracing'>,
  log: (line: string) => void,
): readonly Observer[] {
  return [
    ...(observer === undefined ? [] : [observer]),
    ...(tracing === undefined || tracing === false ? [] : [requestSpans(tracing, log)]),
  ];
}

/** The spans of a database, with the API that a program passes, or with the one that it has installed. */
function requestSpans(given: true | TracingApi, log: (line: string) => void): RequestSpans {
  return new RequestSpans({ api: given === true ? installedApi() : given, nowMs: newFineClock(), log });
}

/**
 * The package beside Stator, or in the project from where a command runs. All copies of the package in a process share the
 * tracer that the program registers.
 */
function installedApi(): TracingApi {
  for (const from of [import.meta.url, join(process.cwd(), 'package.json')]) {
    try {
      return createRequire(from)('@opentelemetry/api') as TracingApi;
    } catch (error) {
      if (!isMissingPackage(error)) throw error;
    }
  }
  throw new Error(`Tracing needs the package ${packageName}: npm install ${packageName}`);
}

/** Milliseconds since 1970 with fractions. Follows the machine's clock when that was set, or the machine slept. */
function newFineClock(): () => number {
  let offsetMs = machine.nowMs() - machine.stopwatchMs();
  return () => {
    const fine = machine.stopwatchMs() + offsetMs;
    const coarse = machine.nowMs();
    if (Math.abs(fine - coarse) < 2) return fine;
    offsetMs = coarse - machine.stopwatchMs();
    return coarse;
  };
}
