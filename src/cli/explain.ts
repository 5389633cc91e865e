import type { Explanation } from '../index.ts';
import { parseJson } from '../model/json/parse-json.ts';
import { askControl } from './ask-control.ts';
import type { Run } from './command.ts';
import { UsageError } from './failure.ts';
import type { explainOptions } from './flags.ts';
import type { Styler } from './output.ts';

/** Asks a running server what a statement comes down to. */
export const explain: Run<typeof explainOptions> = async (
  settings,
  { output, operand: statement, environment },
) => {
  if (statement === undefined) {
    throw new UsageError(
      'There is no statement to explain.',
      'Write stator explain \'SELECT * FROM "Orders" WHERE id = ?\'.',
    );
  }
  const { endpoint, parameters } = settings;
  const region =
    settings.region.value ?? (environment.AWS_REGION || environment.AWS_DEFAULT_REGION || undefined);
  const body = {
    statement,
    ...(parameters.value !== undefined && { parameters: parseJson(parameters.value) }),
    ...(region !== undefined && { region }),
  };
  const server = { endpoint: endpoint.value, region, environment };
  const explanation = (await askControl(server, '/_stator/explain', body)) as Explanation;
  output.result('explained', { statement, ...explanation }, (style) => explanationText(explanation, style));
};

/** A small table: what is done, by which key, and what it costs. */
export function explanationText(explanation: Explanation, style: Styler): string {
  const { operation, table, index, requests, keyConditions, filter, condition, update, order } = explanation;
  const { kind, least, most, items, bytes } = explanation.estimate;
  const units = `${kind === 'read' ? 'read' : 'write'} unit${least === 1 && most === 1 ? '' : 's'}`;
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['Operation', requests === 1 ? operation : `${operation}, ${requests} times`],
    ['Table', table],
    ['Index', index],
    ...keyConditions.slice(0, conditionsShown).map((each, i) => [i === 0 ? 'Key' : '', each] as const),
    [
      '',
      keyConditions.length > conditionsShown
        ? `and ${keyConditions.length - conditionsShown} more`
        : undefined,
    ],
    ['Update', update],
    ['Condition', condition],
    ['Filter', filter],
    ['Order', order],
    ['Cost', `${least === most ? least : `${least} to ${most}`} ${units}`],
    ['', `from ${items} items of ${bytes} bytes in the ${index === undefined ? 'table' : 'index'}`],
  ];
  const lines = rows.flatMap(([name, text]) =>
    text === undefined ? [] : [`${style('bold', name.padEnd(10))} ${text}`],
  );
  return [...lines, ...explanation.warnings.map((warning) => style('yellow', `Warning: ${warning}`))].join(
    '\n',
  );
}

const conditionsShown = 5;
