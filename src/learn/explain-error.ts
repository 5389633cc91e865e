import { Lesson } from './lesson.ts';
import { kindOf } from './value-kind.ts';

/** What an exception of the service means when it leaves the learner's function. */
const meanings: Readonly<Record<string, { readonly rule: string; readonly topic: string }>> = {
  ValidationException: {
    rule: 'A ValidationException means that the request itself is wrong. Nothing was read or written, and sending it again will not help.',
    topic: 'api',
  },
  ConditionalCheckFailedException: {
    rule: 'A condition that is false is an answer, not an accident: catch ConditionalCheckFailedException and return what it means here.',
    topic: 'conditions-and-transactions',
  },
  TransactionCanceledException: {
    rule: 'A cancelled transaction says why in CancellationReasons, one entry for each action: catch it, look at the codes, and return what they mean here.',
    topic: 'conditions-and-transactions',
  },
  ProvisionedThroughputExceededException: {
    rule: 'A throttled request is not lost: wait a little, longer each time, and send it again; or ask for less at once.',
    topic: 'capacity-and-cost',
  },
  ThrottlingException: {
    rule: 'A throttled request is not lost: wait a little, longer each time, and send it again; or ask for less at once.',
    topic: 'partitions',
  },
  InternalServerError: {
    rule: 'After an InternalServerError nobody knows whether the request was carried out. A write that may be repeated safely can simply be sent again.',
    topic: 'conditions-and-transactions',
  },
  SerializationException: {
    rule: "Every value in a request carries its type: { S: 'text' }, { N: '12' } (a number travels as text), { BOOL: true }, { L: [ … ] }, { M: { … } }.",
    topic: 'items-and-keys',
  },
  ResourceNotFoundException: {
    rule: 'There is no table or index of that name. The README says how they are called.',
    topic: 'api',
  },
};

/** Refusals of requests that have a rule of their own. */
const refusals: readonly { readonly text: RegExp; readonly rule: string; readonly topic: string }[] = [
  {
    text: /missed key schema element|one condition per key|key condition not supported/i,
    rule: 'A key condition names the key attributes of the table, or of the index, and no others: = on the partition key, and at most one condition on the sort key.',
    topic: 'sort-keys',
  },
  {
    text: /length less than or equal to 25\b/,
    rule: 'BatchWriteItem takes at most 25 items, and is refused as a whole if there are more.',
    topic: 'limits',
  },
  {
    text: /reserved keyword/,
    rule: "Some names are words of the expression language. Write #name there, with ExpressionAttributeNames: { '#name': 'name' }.",
    topic: 'items-and-keys',
  },
];

/** Beyond this an error's message is cut in the middle: some repeat the whole request. */
const messageLengthMax = 500;

/** An error that the learner's code threw, as a lesson: its message, its line, and what it means. */
export function asLesson(error: unknown, file: string, what: string): Lesson {
  if (error instanceof Lesson) return error;
  const name = error instanceof Error ? error.name : '';
  const told =
    error instanceof Error
      ? `${name}: ${shortened(error.message)}`
      : `it threw ${kindOf(error)} and no Error`;
  const line = lineIn(error, file);
  const where =
    line === undefined ? '' : what.startsWith(file) ? ` (line ${line})` : ` at line ${line} of ${file}`;
  const saw = `${what}${where}: ${told}${reasonsOf(error)}`;
  const meaning = refusals.find(({ text }) => text.test(saw)) ?? meanings[name];
  return new Lesson({ saw, rule: meaning?.rule, topic: meaning?.topic });
}

function shortened(message: string): string {
  if (message.length <= messageLengthMax) return message;
  return `${message.slice(0, messageLengthMax / 4)} … ${message.slice(-messageLengthMax / 2)}`;
}

/** The codes of a cancelled transaction, which the learner's log would show too. */
function reasonsOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('CancellationReasons' in error)) return '';
  const { CancellationReasons: reasons } = error as {
    CancellationReasons?: readonly { readonly Code?: string; readonly Message?: string }[];
  };
  const told = reasons?.map(({ Code, Message }) => (Message === undefined ? Code : `${Code} (${Message})`));
  return told === undefined ? '' : ` Reasons: ${told.join(', ')}`;
}

/** The line of the learner's file that a stack names; also where the text of a file cannot be read as a program. */
function lineIn(error: unknown, file: string): string | undefined {
  if (file === '') return undefined;
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const name = file.replaceAll('.', '\\.');
  return new RegExp(`${name}(?:\\?[\\w=]+)?:(\\d+)`).exec(stack)?.[1];
}
