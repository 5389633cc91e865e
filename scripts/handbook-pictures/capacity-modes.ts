import { awsPrices } from '../../src/physics/prices.ts';
import { bar, count, line, type Picture, paint, path, textAt } from './paper.ts';

const hours = 730;
const unitsPerSecond = 1_000;

/** The price of a month of a table that is made for 1,000 write units a second, by how much of them is used. */
export function capacityModes(): Picture {
  const prices = awsPrices.classes.STANDARD;
  const perRequest = (use: number) =>
    (use * unitsPerSecond * 3_600 * hours * prices.writeRequestsMillion) / 1e6;
  const provisioned = unitsPerSecond * hours * prices.writeUnitHour;
  const even = provisioned / perRequest(1);

  const [left, right, top, bottom] = [80, 560, 26, 240];
  const x = (use: number) => left + use * (right - left);
  const y = (dollars: number) => bottom - (dollars / 1_800) * (bottom - top);
  const parts = [textAt(20, 16, 't s d', 'dollars a month')];
  for (const dollars of [0, 500, 1_000, 1_500])
    parts.push(
      line(left, y(dollars), right, y(dollars)),
      textAt(left - 10, y(dollars) + 4, 't s d', count(dollars), 'end'),
    );
  for (const use of [0, 0.25, 0.5, 0.75, 1])
    parts.push(textAt(x(use), bottom + 18, 't s d', `${use * 100} %`, 'middle'));
  parts.push(textAt((left + right) / 2, bottom + 36, 't s d', 'mean use of what is provisioned', 'middle'));
  parts.push(
    bar(x(0), top, x(even) - x(0), bottom - top, 'e0', 0.08),
    bar(x(even), top, x(1) - x(even), bottom - top, 'e2', 0.08),
  );
  parts.push(
    path(
      [
        [x(0), y(0)],
        [x(1), y(perRequest(1))],
      ],
      'e0',
      2.5,
    ),
    path(
      [
        [x(0), y(provisioned)],
        [x(1), y(provisioned)],
      ],
      'e2',
      2.5,
    ),
  );
  parts.push(line(x(even), top, x(even), bottom, 'dim', 1, '4 3'));
  parts.push(textAt(x(even) + 8, top + 14, 't s', `${Math.round(even * 100)} %: as much either way`));
  parts.push(paint(right + 12, y(perRequest(1)) + 4, 't t600', 'e0', 'on demand'));
  parts.push(paint(right + 12, y(provisioned) + 4, 't t600', 'e2', 'provisioned'));
  parts.push(textAt(right + 12, y(provisioned) + 20, 't s d', `prices of ${awsPrices.asOf}`));
  return {
    width: 690,
    height: 288,
    title: 'On demand or provisioned: the price of 1,000 write units a second, by mean use',
    body: parts.join(''),
  };
}
