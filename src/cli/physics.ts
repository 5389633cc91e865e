import { readFileSync } from 'node:fs';
import { type PricedHour, pricedByFile, type ServerReport, type TableReport } from '../physics-costs.ts';
import { environmentCredentials, type RequestCredentials, signedHeaders } from './aws-request.ts';
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
  const credentials = environmentCredentials(environment);
  if (table === undefined) {
    const report = (await ask(endpoint.value, '/_stator/physics', region, credentials)) as ServerReport;
    output.result('physics', { ...report }, (style) => serverReportText(report, style));
    return;
  }
  const path = `/_stator/physics/${encodeURIComponent(table)}`;
  const query = region === undefined ? '' : `?region=${encodeURIComponent(region)}`;
  const told = (await ask(endpoint.value, path + query, region, credentials)) as TableReport;
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

async function ask(
  endpoint: string,
  path: string,
  region = 'us-east-1',
  credentials?: RequestCredentials,
): Promise<unknown> {
  const url = new URL(path, endpoint);
  // A server that verifies signatures wants them here too.
  const headers =
    credentials === undefined
      ? {}
      : signedHeaders({
          ...{ method: 'GET', url, target: 'Stator.Physics', body: '' },
          ...{ region, credentials, now: new Date() },
        });
  let status: number;
  let answer: unknown;
  try {
    const response = await fetch(url, { headers });
    status = response.status;
    answer = await response.json();
  } catch (error) {
    throw new Failure(
      `No Stator answers at ${endpoint}: ${messageOf(error)}.`,
      'Start one with stator start, or name another with --endpoint.',
      error,
    );
  }
  if (status === 200) return answer;
  const told = (answer as { readonly error?: unknown } | null)?.error;
  throw new Failure(typeof told === 'string' ? `${told}.` : `${url.href} answered with status ${status}.`);
}
