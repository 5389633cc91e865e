import { UsageError } from './failure.ts';
import { text } from './option.ts';

/** The option by which tables get other names than in their design: `--tables shop=shop-prod`. */
export const tablesOption = text({
  group: 'Behaviour',
  flagOnly: true,
  takes: '<name=real,…>',
  check: (given) =>
    given.split(',').every((one) => /^[A-Za-z0-9_.-]{3,255}=[A-Za-z0-9_.-]{3,255}$/.test(one))
      ? undefined
      : 'must be names such as shop=shop-prod, with commas between them',
  help: 'The real names of tables, by their names in the design.',
});

/** The real names that the option gives, by the names in the design. */
export function realNames(
  given: string | undefined,
  tables: readonly { readonly name: string }[],
): ReadonlyMap<string, string> {
  const known = [...new Set(tables.map(({ name }) => name))];
  const pairs = (given?.split(',') ?? []).map((one) => one.split('=') as [string, string]);
  for (const [name] of pairs)
    if (!known.includes(name))
      throw new UsageError(`The design has no table ${name}, but ${known.join(' and ')}.`);
  return new Map(pairs);
}
