import { decimal, text } from './option.ts';

const once = { group: 'Behaviour', flagOnly: true } as const;
const times = { least: 0, most: 100_000, fallback: 0 };

/** What `stator capacity` and `stator design cost` price beside requests and storage. */
export const copyOptions = {
  backups: decimal({ ...once, ...times, help: 'On-demand backups of everything that are kept.' }),
  coldBackups: decimal({ ...once, ...times, help: 'Backups of everything that are kept in cold storage.' }),
  restores: decimal({
    ...once,
    ...times,
    help: 'Restores of everything in a month, from backups or to a time.',
  }),
  exports: decimal({ ...once, ...times, help: 'Exports of everything to S3 in a month.' }),
  imports: decimal({ ...once, ...times, help: 'Imports of everything from S3 in a month.' }),
  currency: text({
    ...once,
    takes: '<code=rate>',
    check: (given) =>
      exchangeOf(given) === undefined
        ? 'must be a currency with what one dollar costs in it, such as INR=88.5'
        : undefined,
    help: 'Another currency with your rate, such as INR=88.5: what one dollar costs in it.',
  }),
};

/** `INR=88.5` as a currency with its rate. */
export function exchangeOf(given: string): { readonly currency: string; readonly rate: number } | undefined {
  const [, currency, rate] = /^([A-Z]{3})=(\d+(?:\.\d+)?)$/.exec(given) ?? [];
  return currency === undefined || Number(rate) === 0 ? undefined : { currency, rate: Number(rate) };
}
