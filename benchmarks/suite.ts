import type { ContenderName } from './http/contenders.ts';

/** What the command line says, for whichever suite; each suite has its own defaults for what is left out. */
export interface Options {
  /** What of the suite to run; all of it when there are no words. */
  readonly what: readonly string[];
  readonly seed: number;
  /** Tiny: does it still run? */
  readonly small: boolean;
  readonly items?: number;
  readonly seconds?: number;
  readonly rounds?: number;
  readonly connections?: number;
  readonly contenders?: readonly ContenderName[];
  /** The `dist` of another state of the sources. */
  readonly against?: string;
  /** Flags for servers that run on Node, such as those of its profiler. */
  readonly nodeFlags: readonly string[];
}

/** One measurement against what was promised of it. */
export interface Finding {
  readonly what: string;
  /** Null when it could not be taken here; a note says why. */
  readonly value: number | null;
  readonly unit: string;
  readonly bar: { readonly kind: 'at least' | 'at most'; readonly value: number } | null;
}

export interface Table {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export interface Report {
  readonly findings: readonly Finding[];
  readonly tables: readonly Table[];
  /** What every side answered, where sides were compared; depends on seed and sizes only. */
  readonly hash?: string;
  /** What was not measured, and why. */
  readonly notes: readonly string[];
}

export type OnProgress = (what: string) => void;
export type Suite = (options: Options, onProgress: OnProgress) => Promise<Report>;

export function atLeast(what: string, value: number | null, bar: number, unit = '×'): Finding {
  return { what, value, unit, bar: { kind: 'at least', value: bar } };
}

export function atMost(what: string, value: number | null, bar: number, unit = '×'): Finding {
  return { what, value, unit, bar: { kind: 'at most', value: bar } };
}

export function seen(what: string, value: number | null, unit = '×'): Finding {
  return { what, value, unit, bar: null };
}

export function isMet({ value, bar }: Finding): boolean | null {
  if (value === null || bar === null) return null;
  return bar.kind === 'at least' ? value >= bar.value : value <= bar.value;
}

/** A ratio of two figures, either of which may not have been taken. */
export function ratio(value: number | null | undefined, to: number | null | undefined): number | null {
  return value == null || to == null ? null : value / to;
}

/** A suite of several parts: of those that the command line names, or of all. */
export function suiteOf<Name extends string>(parts: Readonly<Record<Name, Suite>>): Suite {
  return async (options, onProgress) => {
    const names = Object.keys(parts) as Name[];
    const chosen = options.what.length === 0 ? names : options.what.map((word) => oneOf(names, word, 'part'));
    const reports: Report[] = [];
    for (const name of chosen) reports.push(await parts[name](options, onProgress));
    const hashes = reports.flatMap(({ hash }) => hash ?? []);
    return {
      findings: reports.flatMap(({ findings }) => findings),
      tables: reports.flatMap(({ tables }) => tables),
      ...(hashes.length > 0 && { hash: hashes.join(' ') }),
      notes: reports.flatMap(({ notes }) => notes),
    };
  };
}

/** A word of the command line that has to be one of those known. */
export function oneOf<Name extends string>(names: readonly Name[], word: string, what: string): Name {
  const found = names.find((name) => name === word);
  if (found === undefined) throw new RangeError(`No such ${what}: ${word}. There are ${names.join(', ')}`);
  return found;
}
