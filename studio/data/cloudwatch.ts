import { ServiceError } from './api.ts';
import { send } from './connection.ts';

/** Calls CloudWatch, which answers on the same port. */
export async function cloudWatch<Output = Record<string, unknown>>(
  operation: string,
  input: object,
  signal?: AbortSignal,
): Promise<Output> {
  const response = await send({
    method: 'POST',
    path: '/',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `GraniteServiceVersion20100801.${operation}`,
    },
    body: JSON.stringify(input),
    service: 'monitoring',
    signal,
  });
  const text = await response.text();
  const body = (text === '' ? {} : JSON.parse(text)) as Readonly<Record<string, unknown>>;
  if (response.ok) return body as Output;
  const type = String(body.__type ?? response.statusText);
  const message = String(body.message ?? body.Message ?? '');
  throw new ServiceError(type.slice(type.indexOf('#') + 1), message, response.status, body);
}

export interface MetricAlarm {
  readonly AlarmName: string;
  readonly AlarmDescription?: string;
  readonly StateValue: 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';
  readonly StateReason?: string;
  readonly StateUpdatedTimestamp?: number;
  readonly MetricName?: string;
  readonly Threshold?: number;
  readonly ActionsEnabled?: boolean;
  readonly Dimensions?: readonly { readonly Name: string; readonly Value: string }[];
}

/** All alarms; pages of 100 as the service gives them. */
export async function allAlarms(signal?: AbortSignal): Promise<readonly MetricAlarm[]> {
  const alarms: MetricAlarm[] = [];
  let token: string | undefined;
  do {
    const page = await cloudWatch<{ MetricAlarms?: MetricAlarm[]; NextToken?: string }>(
      'DescribeAlarms',
      { MaxRecords: 100, ...(token !== undefined && { NextToken: token }) },
      signal,
    );
    alarms.push(...(page.MetricAlarms ?? []));
    token = page.NextToken;
  } while (token !== undefined && alarms.length < 1_000);
  return alarms;
}
