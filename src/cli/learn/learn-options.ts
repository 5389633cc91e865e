import { outputOptions } from '../flags.ts';
import { onOff, path, text, wholeNumber } from '../option.ts';

const common = {
  dir: path({
    group: 'Data',
    flagOnly: true,
    takes: '<folder>',
    help: 'The folder of the course; unless given, the one that you are in, or stator-learn here or in a folder above.',
  }),
  ...outputOptions,
};

export const learnOptions = common;

export const nextOptions = {
  ...common,
  force: onOff({
    group: 'Behaviour',
    flagOnly: true,
    help: 'Go on although the exercise under way has not passed.',
  }),
};

export const checkOptions = {
  ...common,
  watch: onOff({
    group: 'Behaviour',
    flagOnly: true,
    help: 'Check again whenever a file of the exercise changes, until Ctrl-C.',
  }),
  all: onOff({
    group: 'Behaviour',
    flagOnly: true,
    help: 'Check every exercise that has been begun.',
  }),
  seconds: wholeNumber({
    group: 'Behaviour',
    flagOnly: true,
    ...{ least: 1, most: 600, fallback: 30 },
    help: 'How long your code may run.',
  }),
};

export const hintOptions = {
  ...common,
  all: onOff({ group: 'Behaviour', flagOnly: true, help: 'Show all hints at once.' }),
};

export const solutionOptions = {
  ...common,
  out: path({
    group: 'Output',
    flagOnly: true,
    takes: '<folder>',
    help: 'Write the files of the solution there instead of printing them.',
  }),
};

export const quizOptions = {
  ...common,
  answers: text({
    group: 'Behaviour',
    flagOnly: true,
    takes: '<letters>',
    check: (given) =>
      /^[a-z? ,-]+$/i.test(given) ? undefined : 'must be letters such as abca, with ? for an open question',
    help: 'Your answers, one letter for each question, instead of being asked: abca….',
  }),
};
