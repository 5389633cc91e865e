import { command } from '../command.ts';
import { outputOptions } from '../flags.ts';
import { onOff, path, text, wholeNumber } from '../option.ts';
import { copyOptions } from '../price-flags.ts';
import { exitCodeSection, modelFileSection } from './help-sections.ts';

export const costOptions = {
  design: path({
    group: 'Behaviour',
    flagOnly: true,
    takes: '<design>',
    help: 'A design of the model (from stator design derive --out) to price instead of deriving one.',
  }),
  prices: path({
    group: 'Behaviour',
    flagOnly: true,
    takes: '<file>',
    help: 'A price file: JSON with the prices that differ from the built-in list.',
  }),
  region: text({
    group: 'Behaviour',
    flagOnly: true,
    takes: '<region>',
    fallback: 'us-east-1',
    check: (given) => (/^[a-z0-9-]{1,64}$/.test(given) ? undefined : 'must be a Region such as eu-west-1'),
    help: 'The Region whose prices are taken.',
  }),
  infrequentAccess: onOff({
    group: 'Behaviour',
    flagOnly: true,
    help: 'Price tables of the class Standard-Infrequent Access.',
  }),
  replicas: wholeNumber({
    group: 'Behaviour',
    flagOnly: true,
    ...{ least: 0, most: 30, fallback: 0 },
    help: 'Further Regions of a global table.',
  }),
  traffic: wholeNumber({
    group: 'Behaviour',
    flagOnly: true,
    ...{ least: 1, most: 1_000_000, fallback: 100 },
    help: 'The traffic in percent of the declared rates.',
  }),
  withoutRecovery: onOff({
    group: 'Behaviour',
    flagOnly: true,
    help: 'Leave point-in-time recovery out.',
  }),
  ...copyOptions,
  ...outputOptions,
};

export const costCommand = command({
  summary: 'price a design in every mode, by pattern and by index',
  options: costOptions,
  operand: '<model>',
  load: async () => (await import('./cost.ts')).cost,
  help: {
    usage: 'stator design cost <model> [options]',
    about:
      'Prices a month of a model at its mean rates: on demand, provisioned with auto scaling, and with a reserved floor; storage, indexes, streams, point-in-time recovery, replicas, backups, restores, exports and imports; per pattern and per index. Tells the cheapest mode and the traffic at which another becomes cheaper.',
    sections: [
      modelFileSection,
      exitCodeSection,
      {
        title: 'Examples',
        lines: [
          'stator design cost model.ts',
          'stator design cost model.ts --region eu-west-1 --replicas 1',
          'stator design cost model.ts --backups 7 --restores 1 --exports 4 --currency INR=88.5',
          'stator design cost model.ts --traffic 1000 --prices prices.json --json',
        ],
      },
    ],
  },
});
