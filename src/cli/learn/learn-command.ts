import { type Command, command } from '../command.ts';
import {
  checkOptions,
  hintOptions,
  learnOptions,
  nextOptions,
  quizOptions,
  solutionOptions,
} from './learn-options.ts';

const exitCodes = {
  title: 'Exit codes',
  lines: ['0  done; for check: passed', '1  failed; for check: not yet', '2  the command itself is wrong'],
};
const naming = {
  title: 'How exercises are named',
  lines: [
    'By number (3.1), by name (hot-shipment) or by folder. Without one, the exercise under way is meant.',
  ],
};

const verbs: Readonly<Record<string, Command>> = {
  next: command({
    summary: 'go on to the next exercise, or to the one named',
    options: nextOptions,
    operand: '<exercise>',
    load: async () => (await import('./next.ts')).next,
    help: {
      usage: 'stator learn next [<exercise>] [options]',
      about:
        'Makes the folder of the next exercise and prints its brief. An exercise that is named is begun, or taken up again, in any order.',
      sections: [naming, exitCodes],
    },
  }),
  check: command({
    summary: 'run your files and tell what they did',
    options: checkOptions,
    operand: '<exercise>',
    load: async () => (await import('./check.ts')).check,
    help: {
      usage: 'stator learn check [<exercise>] [options]',
      about:
        "Runs your files on a database in memory, in a process of its own and within a time limit, with AWS's throttling where the exercise is about it. It tells what was read, what it cost and which rule was broken.",
      sections: [
        naming,
        exitCodes,
        {
          title: 'Examples',
          lines: ['stator learn check', 'stator learn check --watch', 'stator learn check 3.1 --json'],
        },
      ],
    },
  }),
  hint: command({
    summary: 'show the next hint',
    options: hintOptions,
    operand: '<exercise>',
    load: async () => (await import('./hint.ts')).hint,
    help: {
      usage: 'stator learn hint [<exercise>] [options]',
      about: 'Shows the hints of an exercise, one more at each call, from a nudge to nearly the answer.',
      sections: [naming, exitCodes],
    },
  }),
  solution: command({
    summary: 'show a solution that passes',
    options: solutionOptions,
    operand: '<exercise>',
    load: async () => (await import('./solution.ts')).solution,
    help: {
      usage: 'stator learn solution [<exercise>] [options]',
      about: 'Prints a solution. Your files stay as they are.',
      sections: [naming, exitCodes],
    },
  }),
  reset: command({
    summary: 'put the files of an exercise back as they began',
    options: learnOptions,
    operand: '<exercise>',
    load: async () => (await import('./reset.ts')).reset,
    help: {
      usage: 'stator learn reset [<exercise>] [options]',
      about:
        'Writes the files of an exercise again. A file that you have changed is kept beside it, as <file>.1.bak.',
      sections: [naming, exitCodes],
    },
  }),
  quiz: command({
    summary: 'answer the questions of a self-check or of an interview',
    options: quizOptions,
    operand: '<quiz>',
    load: async () => (await import('./quiz.ts')).quiz,
    help: {
      usage: 'stator learn quiz [<quiz>] [options]',
      about:
        'Asks the questions of a quiz, one at a time on a terminal, and explains each answer, with the page and the exercise that prove it. Without a name it lists the quizzes. Programs get the questions with --json and send --answers.',
      sections: [
        exitCodes,
        {
          title: 'Examples',
          lines: [
            'stator learn quiz',
            'stator learn quiz self-check',
            'stator learn quiz quick --answers abcab --json',
          ],
        },
      ],
    },
  }),
};

const verbLines = Object.entries(verbs).map(([name, { summary }]) => `${name.padEnd(10)}${summary}`);

export const learnCommand = command({
  summary: 'learn table design by exercises that check themselves',
  options: learnOptions,
  verbs,
  runsAlone: true,
  load: async () => (await import('./learn.ts')).learn,
  help: {
    usage: 'stator learn [<verb>] [options]',
    about:
      'A course in your editor: each exercise is a folder with a brief and a file to change, and is checked by running it on the engine. Nothing is sent anywhere. Without a verb it tells where you are, and begins the course in ./stator-learn the first time.',
    sections: [{ title: 'Verbs', lines: verbLines }, exitCodes],
  },
});
