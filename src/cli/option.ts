import { resolve } from 'node:path';

/** The headings under which help lists options. */
export type OptionGroup =
  | 'Address'
  | 'Data'
  | 'Behaviour'
  | 'Access'
  | 'Observation'
  | 'Output'
  | "DynamoDB Local's options";

/** What was written, read as a value; or why it cannot be, as the end of a sentence that begins with its name. */
export type Reading<Value> = { readonly value: Value } | { readonly problem: string };

/** Everything there is to know of one option. Parsing, environment, config file and help all follow from it. */
export interface Option<Value> {
  readonly group: OptionGroup;
  readonly help: string;
  /** One line for the short help of `--help`; options without one are left to `stator help`. */
  readonly brief: string | undefined;
  /** What stands for the value in help; a switch takes none. */
  readonly takes: string | undefined;
  /** How the default is shown in help; undefined where there is none worth a word. */
  readonly shownDefault: string | undefined;
  /** How DynamoDB Local spells it, without dashes; accepted with one and with two. */
  readonly dynamoDbLocal: string | undefined;
  /** A second flag for the option, as the AWS CLI spells it: `--endpoint-url`. */
  readonly awsFlag: string | undefined;
  /** The AWS tools' own variables for the option, the strongest first. They come after `STATOR_…`. */
  readonly awsVariables: readonly string[];
  /** Of no use in the environment or in a config file. */
  readonly flagOnly: boolean;
  /** The type that a config file gives the value in. */
  readonly jsonType: 'string' | 'number' | 'boolean';
  /** `directory` is what relative paths are relative to. */
  read(text: string, directory: string): Reading<Value>;
  fallback(directory: string): Value;
}

export type OptionTable = Readonly<Record<string, Option<unknown>>>;

interface Description<Fallback> {
  readonly group: OptionGroup;
  readonly help: string;
  readonly brief?: string;
  readonly dynamoDbLocal?: string;
  readonly awsFlag?: string;
  readonly awsVariables?: readonly string[];
  readonly flagOnly?: true;
  readonly fallback?: Fallback;
}

function option<Value>(
  description: Description<unknown>,
  own: Pick<Option<Value>, 'takes' | 'jsonType' | 'read' | 'fallback'>,
): Option<Value> {
  const { group, help, brief, dynamoDbLocal, awsFlag, awsVariables = [] } = description;
  const { flagOnly = false, fallback } = description;
  return {
    ...{ group, help, brief, dynamoDbLocal, awsFlag, awsVariables, flagOnly },
    shownDefault: fallback === undefined || fallback === false ? undefined : String(fallback),
    ...own,
  };
}

/** On or off; `--no-name` turns it off. */
export function onOff(description: Description<never>): Option<boolean> {
  return option(description, {
    takes: undefined,
    jsonType: 'boolean',
    read: readSwitch,
    fallback: () => false,
  });
}

const switchWords: Readonly<Record<string, boolean>> = {
  ...{ true: true, 1: true, yes: true, on: true },
  ...{ false: false, 0: false, no: false, off: false },
};

function readSwitch(text: string): Reading<boolean> {
  const value = Object.hasOwn(switchWords, text.toLowerCase()) ? switchWords[text.toLowerCase()] : undefined;
  return value === undefined ? { problem: `must be true or false, not ${quoted(text)}` } : { value };
}

export function wholeNumber<Fallback extends number | undefined = undefined>(
  description: Description<Fallback> & { readonly least: number; readonly most: number },
): Option<number | Fallback> {
  const { least, most } = description;
  return option<number | Fallback>(description, {
    takes: '<number>',
    jsonType: 'number',
    read(text) {
      const value = /^-?\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
      if (value >= least && value <= most) return { value };
      return { problem: `must be a whole number between ${least} and ${most}, not ${quoted(text)}` };
    },
    fallback: () => description.fallback as Fallback,
  });
}

/** A number that may have decimals. */
export function decimal<Fallback extends number | undefined = undefined>(
  description: Description<Fallback> & {
    readonly least: number;
    readonly most: number;
    readonly takes?: string;
  },
): Option<number | Fallback> {
  const { least, most } = description;
  return option<number | Fallback>(description, {
    takes: description.takes ?? '<number>',
    jsonType: 'number',
    read(given) {
      const value = /^\d{1,15}(\.\d{1,9})?$/.test(given) ? Number(given) : Number.NaN;
      if (value >= least && value <= most) return { value };
      return { problem: `must be a number between ${least} and ${most}, not ${quoted(given)}` };
    },
    fallback: () => description.fallback as Fallback,
  });
}

export function text<Fallback extends string | undefined = undefined>(
  description: Description<Fallback> & {
    readonly takes: string;
    /** Why a text cannot be the value. */
    readonly check?: (text: string) => string | undefined;
    /** What becomes of a text that names a place relative to `directory`. */
    readonly placed?: (text: string, directory: string) => string;
  },
): Option<string | Fallback> {
  const { check, placed } = description;
  return option<string | Fallback>(description, {
    takes: description.takes,
    jsonType: 'string',
    read(given, directory) {
      const problem = given === '' ? 'must not be empty' : check?.(given);
      if (problem !== undefined) return { problem };
      return { value: placed === undefined ? given : placed(given, directory) };
    },
    fallback: () => description.fallback as Fallback,
  });
}

/** A path; relative ones are relative to the working directory, or to the config file that they stand in. */
export function path<Fallback extends string | undefined = undefined>(
  description: Description<Fallback> & { readonly takes: string },
): Option<string | Fallback> {
  const asText = text<Fallback>({ ...description, placed: (given, directory) => resolve(directory, given) });
  return {
    ...asText,
    fallback: (directory) => {
      const given = asText.fallback(directory);
      return given === undefined ? given : resolve(directory, given);
    },
  };
}

export function choice<const Word extends string>(
  words: readonly Word[],
  description: Description<Word> & { readonly fallback: Word },
): Option<Word> {
  return option<Word>(description, {
    takes: words.join('|'),
    jsonType: 'string',
    read(given) {
      const value = words.find((word) => word === given);
      return value === undefined
        ? { problem: `must be ${words.join(' or ')}, not ${quoted(given)}` }
        : { value };
    },
    fallback: () => description.fallback,
  });
}

function quoted(given: string): string {
  return JSON.stringify(given.length > 60 ? `${given.slice(0, 60)}…` : given);
}

/** `dataDir` in a config file is `--data-dir` on the command line. */
export function flagName(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** `dataDir` in a config file is `STATOR_DATA_DIR` in the environment. */
export function variableName(key: string): string {
  return `STATOR_${flagName(key).replaceAll('-', '_').toUpperCase()}`;
}
