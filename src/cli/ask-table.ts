import { Failure, messageOf } from './failure.ts';
import { type TableAnswers, tableOf } from './table-answers.ts';

/** Asks for everything that no flag says. `given` holds what flags say; `defaults` what an empty answer means. */
export async function askTable(
  given: Partial<TableAnswers>,
  defaults: Omit<TableAnswers, 'table'>,
): Promise<TableAnswers> {
  const prompts = await import('@clack/prompts');
  const answered = async <Value>(answer: Promise<Value | symbol>): Promise<Value> => {
    const value = await answer;
    if (prompts.isCancel(value))
      throw new Failure('Nothing was written: the questions were left unanswered.');
    return value as Value;
  };
  // The questions go to standard error, so that a template can be sent into a file.
  const io = { output: process.stderr };
  const ask = (message: string, initialValue: string, problem: (text: string) => string | undefined) =>
    answered<string>(
      prompts.text({
        message,
        placeholder: initialValue,
        defaultValue: initialValue,
        validate: (text) =>
          text === undefined || text === ''
            ? initialValue === ''
              ? 'It needs a name.'
              : undefined
            : problem(text),
        ...io,
      }),
    );
  const select = <Word extends string>(message: string, words: readonly Word[], initialValue: Word) =>
    answered<string>(
      prompts.select<string>({
        message,
        options: words.map((value) => ({ value, label: value })),
        initialValue,
        ...io,
      }),
    ) as Promise<Word>;
  /** Judges an answer together with those before it; what is not asked yet is left out. */
  const together = (before: Partial<TableAnswers>, name: keyof TableAnswers) => (text: string) => {
    const rest = { table: 'table', gsi: 'none', sortKey: 'none', ttl: 'none' };
    try {
      tableOf({ ...defaults, ...rest, ...before, [name]: text });
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  };
  const key = (before: Partial<TableAnswers>, name: 'partitionKey' | 'sortKey') => (text: string) =>
    /^[^\s:]{1,255}(:[SNB])?$/.test(text)
      ? together(before, name)(text)
      : 'A name, or a name with its type: id:S';
  prompts.intro('A table, as a template', io);
  const table =
    given.table ??
    (await ask('Name of the table', '', (text) =>
      /^[A-Za-z0-9_.-]{3,220}$/.test(text) ? undefined : '3 to 220 letters, digits, _, . and -',
    ));
  const partitionKey =
    given.partitionKey ??
    (await ask('Partition key (name:type)', defaults.partitionKey, key({}, 'partitionKey')));
  const sortKey =
    given.sortKey ??
    (await ask('Sort key (name:type), or none', defaults.sortKey, key({ partitionKey }, 'sortKey')));
  const keys = { partitionKey, sortKey };
  const billing =
    given.billing ??
    (await select<TableAnswers['billing']>('Mode', ['on-demand', 'provisioned'], defaults.billing));
  const isProvisioned = billing === 'provisioned';
  const readCapacity =
    given.readCapacity ??
    (isProvisioned
      ? await ask('Read units (min-max)', defaults.readCapacity, together({}, 'readCapacity'))
      : defaults.readCapacity);
  const writeCapacity =
    given.writeCapacity ??
    (isProvisioned
      ? await ask('Write units (min-max)', defaults.writeCapacity, together({}, 'writeCapacity'))
      : defaults.writeCapacity);
  const gsi = given.gsi ?? (await ask('Global indexes, or none', defaults.gsi, together(keys, 'gsi')));
  const ttl =
    given.ttl ??
    (await ask('Attribute by which items expire, or none', defaults.ttl, together({ ...keys, gsi }, 'ttl')));
  const views = ['NEW_AND_OLD_IMAGES', 'NEW_IMAGE', 'OLD_IMAGE', 'KEYS_ONLY', 'none'] as const;
  const stream = given.stream ?? (await select('Stream', views, defaults.stream));
  const recovery =
    given.recovery ??
    (await answered<boolean>(
      prompts.confirm({ message: 'Point-in-time recovery?', initialValue: defaults.recovery, ...io }),
    ));
  prompts.outro('Done.', io);
  const insights = given.insights ?? defaults.insights;
  return {
    table,
    partitionKey,
    sortKey,
    billing,
    readCapacity,
    writeCapacity,
    gsi,
    ttl,
    stream,
    recovery,
    insights,
  };
}
