import { readFileSync } from 'node:fs';
import { type PricedHour, pricedByFile, type ServerReport, type TableReport } from '../physics-costs.ts';
import { askControl } from './ask-control.ts';
import type { Run } from './command.ts';
import { Failure, messageOf } from './failure.ts';
import type { physicsOptions } from './flags.ts';
import { serverReportText, tableReportText } from './physics-text.ts';

/** Asks a running server what AWS would have done to the load of a table. */
export const physics: Run<typeof physicsOptions> = async (
  settings,
  { output, operand: table, environment },
) => {
  const { endpoint, prices, minutes } = settings;
  const region =
    settings.region.value ?? (environment.AWS_REGION || environment.AWS_DEFAULT_REGION || undefined);
  const server = { endpoint: endpoint.value, region, environment };
  if (table === undefined) {
    const report = (await askControl(server, '/_stator/physics')) as ServerReport;
    output.result('physics', { ...report }, (style) => serverReportText(report, style));
    return;
  }
  const path = `/_stator/physics/${encodeURIComponent(table)}`;
  const query = region === undefined ? '' : `?region=${encodeURIComponent(region)}`;
  const told = (await askControl(server, path + query)) as TableReport;
  const report = prices.value === undefined ? told : { ...told, cost: pricedBy(prices.value, told) };
  output.result('physics', { ...report }, (style) => tableReportText(report, minutes.value, style));
};

function pricedBy(path: string, report: TableReport): PricedHour {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new Failure(`${path} cannot be read: ${messageOf(error)}.`);
  }
  try {
    return pricedByFile(text, report);
  } catch (error) {
    throw new Failure(`${path}: ${messageOf(error)}`);
  }
}
