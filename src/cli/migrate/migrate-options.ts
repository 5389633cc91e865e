import { diffOptions } from '../design/diff-verb.ts';
import { outputOptions, tailOptions } from '../flags.ts';
import { choice, decimal, onOff, path, wholeNumber } from '../option.ts';
import { tablesOption } from '../real-names.ts';

const behaviour = { group: 'Behaviour', flagOnly: true } as const;

const where = {
  endpoint: tailOptions.endpoint,
  region: tailOptions.region,
  tables: tablesOption,
};

const rates = {
  readRate: decimal({
    ...behaviour,
    takes: '<units>',
    ...{ least: 1, most: 1e7 },
    help: 'Read units a second that a pass may use; a quarter of what is provisioned, or 1000 on demand.',
  }),
  writeRate: decimal({
    ...behaviour,
    takes: '<units>',
    ...{ least: 1, most: 1e7 },
    help: 'Write units a second on the table and on each index; a quarter of what is provisioned, or 1000 on demand. Throttles slow it down.',
  }),
  segments: wholeNumber({
    ...behaviour,
    ...{ least: 1, most: 1_000, fallback: 4 },
    help: 'Into how many segments a pass divides the table. A pass that goes on keeps the number it began with.',
  }),
  parallel: wholeNumber({
    ...behaviour,
    ...{ least: 1, most: 1_000, fallback: 32 },
    help: 'Writes under way at the same time.',
  }),
  settle: decimal({
    ...behaviour,
    takes: '<seconds>',
    ...{ least: 0, most: 3_600, fallback: 12 },
    help: "How long a new phase is left to reach all programs: more than twice the typed client's refreshMs.",
  }),
  upgrade: path({
    ...behaviour,
    takes: '<module>',
    help: 'A module whose exports read items of older schema versions, one function for each entity, as for the typed client.',
  }),
};

export const planOptions = { ...diffOptions, ...where };

export const upOptions = {
  ...where,
  ...rates,
  until: choice(['dual-write', 'verified', 'flipped', 'done'], {
    ...behaviour,
    fallback: 'flipped',
    help: 'How far to go. flipped leaves the way back open; done takes the old keys away.',
  }),
  writersReady: onOff({
    ...behaviour,
    help: 'Says that all programs that write use the client of the new model with this plan. Nothing is filled before.',
  }),
  samples: wholeNumber({
    ...behaviour,
    ...{ least: 0, most: 100_000, fallback: 200 },
    help: 'How many instances of each entity are compared one by one.',
  }),
  ...outputOptions,
};

export const statusOptions = { ...where, ...outputOptions };

export const downOptions = {
  ...where,
  ...rates,
  to: choice(['last', 'dual-write', 'start'], {
    ...behaviour,
    fallback: 'last',
    help: 'Where to go back to: the last rollback point, the old keys for readers, or the very start.',
  }),
  ...outputOptions,
};
