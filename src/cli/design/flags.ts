import { outputOptions } from '../flags.ts';
import { choice, onOff, path, text } from '../option.ts';

/** The options of `stator design …`. They describe one run, so that none of them is read from variables or config files. */

export const deriveOptions = {
  out: path({
    group: 'Output',
    flagOnly: true,
    takes: '<file>',
    help: 'Write the design as JSON into this file.',
  }),
  createTable: onOff({
    group: 'Output',
    flagOnly: true,
    help: 'Print the CreateTable requests of the design as JSON, and nothing else.',
  }),
  previous: path({
    group: 'Behaviour',
    flagOnly: true,
    takes: '<design>',
    help: 'An earlier design of the model (from --out): placements keep the names of their indexes where they can.',
  }),
  ...outputOptions,
};

const designFile = path({
  group: 'Behaviour',
  flagOnly: true,
  takes: '<design>',
  help: 'A design of the model (from stator design derive --out) to use instead of deriving one.',
});

export const emitOptions = {
  design: designFile,
  billing: choice(['model', 'on-demand', 'provisioned'], {
    group: 'Behaviour',
    flagOnly: true,
    fallback: 'model',
    help: 'The mode that templates begin with; the one of the model unless said otherwise. It stays a parameter.',
  }),
  stream: choice(['model', 'KEYS_ONLY', 'NEW_IMAGE', 'OLD_IMAGE', 'NEW_AND_OLD_IMAGES'], {
    group: 'Behaviour',
    flagOnly: true,
    fallback: 'model',
    help: 'A stream for tables for which the model names no consumer.',
  }),
  environment: text({
    group: 'Behaviour',
    flagOnly: true,
    takes: '<name>',
    check: (given) =>
      /^[a-z][a-z0-9-]{0,31}$/.test(given) ? undefined : 'must be lower-case letters, digits and dashes',
    help: 'The environment whose tables the IAM policies are for; dev unless said otherwise. Templates take it as a parameter.',
  }),
  region: text({
    group: 'Behaviour',
    flagOnly: true,
    takes: '<region>',
    check: (given) => (/^[a-z0-9-]{1,64}$/.test(given) ? undefined : 'must be a Region such as eu-west-1'),
    help: 'The Region in the ARNs of IAM policies; any unless said otherwise.',
  }),
  account: text({
    group: 'Behaviour',
    flagOnly: true,
    takes: '<id>',
    check: (given) => (/^\d{12}$/.test(given) ? undefined : 'must be an account of 12 digits'),
    help: 'The account in the ARNs of IAM policies; any unless said otherwise.',
  }),
  out: path({
    group: 'Output',
    flagOnly: true,
    takes: '<file>',
    help: 'Write into this file instead of standard output; with the format all, into this directory.',
  }),
  ...outputOptions,
};

export const documentOptions = {
  design: designFile,
  format: choice(['html', 'markdown'], {
    group: 'Output',
    flagOnly: true,
    fallback: 'markdown',
    help: 'What to print without --out: the page, which has its pictures inside, or Markdown without any.',
  }),
  out: path({
    group: 'Output',
    flagOnly: true,
    takes: '<directory>',
    help: 'Write model.html, model.md and the pictures of the latter into this directory.',
  }),
  ...outputOptions,
};
