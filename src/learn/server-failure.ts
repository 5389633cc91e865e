import type { Lab } from './lab.ts';
import { Lesson, mustHold } from './lesson.ts';

const error = 'InternalServerError';

/**
 * Has every write of the learner's function fail, with nothing written. The function may throw that on; an answer of its own
 * would be a lie, `wrong` above all.
 */
export async function failWrites(
  { db }: Lab,
  call: () => Promise<unknown>,
  { name, wrong }: { readonly name: string; readonly wrong: readonly string[] },
): Promise<void> {
  const operations = ['PutItem', 'UpdateItem', 'TransactWriteItems', 'BatchWriteItem'];
  for (const operation of operations) db.faults.add({ error, operation });
  let answer: unknown;
  try {
    answer = await call();
  } catch (thrown) {
    if (!(thrown instanceof Lesson) || !thrown.saw.includes(error)) throw thrown;
  } finally {
    db.faults.clear();
  }
  mustHold(!wrong.includes(String(answer)), () => ({
    saw: `The service failed with ${error} and wrote nothing; ${name} answered ${JSON.stringify(answer)}.`,
    rule: 'Not every error means what you expect. Look at error.name, answer what that one error means, and throw every other on.',
    topic: 'conditions-and-transactions',
  }));
}
