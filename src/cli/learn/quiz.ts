import { createInterface } from 'node:readline/promises';
import { findPlace } from '../../learn/course.ts';
import { choicesOf, type Graded, grade, type Quiz } from '../../learn/quizzes/quiz.ts';
import { quizzes } from '../../learn/quizzes/quizzes.ts';
import { nearest } from '../../model/nearest.ts';
import { machine } from '../../runtime/machine/machine.ts';
import type { Run } from '../command.ts';
import { UsageError } from '../failure.ts';
import { wrapText } from '../handbook/wrap-text.ts';
import type { Output, Styler } from '../output.ts';
import type { quizOptions } from './learn-options.ts';
import { ownCourse, saveProgress } from './own-course.ts';

/** Asks a quiz on a terminal, grades answers that are given, or lists the questions. */
export const quiz: Run<typeof quizOptions> = async (settings, { operand, directory, output }) => {
  const { folder, progress } = await ownCourse(directory, settings.dir.value);
  if (operand === undefined) return list(output);
  const chosen = quizNamed(operand);
  const given = settings.answers.value;
  const isAsked = given === undefined && process.stdin.isTTY === true && !output.isJson;
  if (given === undefined && !isAsked) return show(chosen, output);
  const letters = given === undefined ? await ask(chosen, output) : lettersOf(given, chosen);
  const graded = grade(chosen, letters);
  const right = graded.filter(({ isRight }) => isRight).length;
  if (progress !== undefined)
    await saveProgress(folder, {
      ...progress,
      quizzes: {
        ...progress.quizzes,
        [chosen.id]: { right, of: graded.length, at: machine.now().toISOString() },
      },
    });
  output.result(
    'graded',
    { quiz: chosen.id, right, of: graded.length, answers: graded.map(gradedFields) },
    (style) =>
      [
        // On a terminal each answer has been explained already.
        ...(isAsked
          ? []
          : graded.map((one, at) => `${at + 1}. ${one.question.asks}\n${explained(one, style, output)}\n`)),
        style('bold', `${right} of ${graded.length} are right.`),
      ].join('\n'),
  );
};

function list(output: Output): void {
  const fields = quizzes.map(({ id, title, questions }) => ({
    quiz: id,
    title,
    questions: questions.length,
  }));
  output.result('quizzes', { quizzes: fields }, (style) =>
    [
      ...quizzes.map(({ id, title }) => `  ${style('bold', id.padEnd(12))}${title}`),
      '',
      'Answer one with stator learn quiz <name>.',
    ].join('\n'),
  );
}

function quizNamed(word: string): Quiz {
  const found = quizzes.find(({ id }) => id === word);
  if (found !== undefined) return found;
  const names = quizzes.map(({ id }) => id);
  const meant = nearest(word, names);
  throw new UsageError(
    `There is no quiz ${JSON.stringify(word)}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`,
    `The quizzes are ${names.join(', ')}.`,
  );
}

/** The questions with their choices, without the answers. */
function show(chosen: Quiz, output: Output): void {
  const questions = chosen.questions.map((question) => ({
    id: question.id,
    asks: question.asks,
    choices: choicesOf(question).map(({ letter, text }) => ({ letter, text })),
    ...(question.exams && { exams: question.exams }),
  }));
  output.result('quiz', { quiz: chosen.id, title: chosen.title, questions }, (style) =>
    [
      style('bold', chosen.title),
      ...questions.map(({ asks, choices }, at) => `\n${asked(at, asks, choices, style, output)}`),
      '',
      `Answer with stator learn quiz ${chosen.id} --answers ${'abcd'.repeat(8).slice(0, questions.length)}`,
    ].join('\n'),
  );
}

async function ask(chosen: Quiz, output: Output): Promise<(string | undefined)[]> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const letters: (string | undefined)[] = [];
  let isOpen = true;
  terminal.once('close', () => {
    isOpen = false;
  });
  output.page((style) => style('bold', chosen.title));
  for (const [at, question] of chosen.questions.entries()) {
    const choices = choicesOf(question);
    output.page((style) => `\n${asked(at, question.asks, choices, style, output)}`);
    let letter: string | undefined;
    while (isOpen && letter === undefined) {
      const word = (await answerOrEnd(terminal)).trim().toLowerCase();
      if (word === '' || choices.some((choice) => choice.letter === word)) letter = word;
      else
        output.print(`Type one of ${choices.map((choice) => choice.letter).join(', ')}, or Enter to pass.`);
    }
    letters.push(letter === '' ? undefined : letter);
    if (!isOpen) break;
    const [graded] = grade({ ...chosen, questions: [question] }, [letter]);
    output.page((style) => explained(graded!, style, output));
  }
  terminal.close();
  return letters;
}

/** The next line; an empty one when the input ends. */
async function answerOrEnd(terminal: ReturnType<typeof createInterface>): Promise<string> {
  const ended = new AbortController();
  const onClose = () => ended.abort();
  terminal.once('close', onClose);
  try {
    return await terminal.question('> ', { signal: ended.signal });
  } catch {
    return '';
  } finally {
    terminal.off('close', onClose);
  }
}

function lettersOf(given: string, { id, questions }: Quiz): string[] {
  const letters = [...given.toLowerCase().replace(/[ ,-]/g, '')];
  if (letters.length !== questions.length)
    throw new UsageError(
      `--answers has ${letters.length} letters, and ${id} has ${questions.length} questions.`,
      'Write one letter for each question, and ? for one that you leave open.',
    );
  return letters;
}

function asked(
  at: number,
  asks: string,
  choices: readonly { letter: string; text: string }[],
  style: Styler,
  output: Output,
): string {
  const columns = columnsOf(output);
  return [
    style('bold', wrapText(`${at + 1}. ${asks}`, columns)),
    ...choices.map(({ letter, text }) => wrapText(text, columns, '     ', `  ${letter}) `)),
  ].join('\n');
}

function explained({ question, given, rightLetter, isRight }: Graded, style: Styler, output: Output): string {
  const mark = isRight ? style('green', '✓') : style('red', '✗');
  const own = isRight ? '' : given === undefined ? ' (you passed)' : ` (you said ${given})`;
  const columns = columnsOf(output);
  return [
    wrapText(`${rightLetter}) ${question.right}${own}`, columns, '    ', `  ${mark} `),
    wrapText(question.because, columns, '    '),
    style('dim', `    ${proofOf(question)}`),
  ].join('\n');
}

function proofOf({ topic, exercise }: Graded['question']): string {
  const place = exercise === undefined ? undefined : findPlace(exercise);
  return `stator help ${topic}${place === undefined ? '' : ` · exercise ${place.number} ${place.exercise.id}`}`;
}

function gradedFields({ question, given, rightLetter, isRight }: Graded) {
  const { id, because, topic, exercise, exams } = question;
  return {
    ...{ id, given: given ?? null, right: rightLetter, isRight, because },
    page: `docs/handbook/${topic}.md`,
    ...(exercise !== undefined && { exercise }),
    ...(exams !== undefined && { exams }),
  };
}

function columnsOf(output: Output): number {
  return Math.min(100, output.columns ?? 100);
}
