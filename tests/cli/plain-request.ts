export interface Answered {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A request as any HTTP client could send it. The signature is for show: open doors do not check it. */
export async function plainRequest(
  endpoint: string,
  operation: string,
  input: object,
  { region = 'us-east-1', accessKeyId = 'test' } = {},
): Promise<Answered> {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: requestHeaders(operation, region, accessKeyId),
    body: JSON.stringify(input),
  });
  return { status: response.status, body: (await response.json()) as Readonly<Record<string, unknown>> };
}

export function requestHeaders(
  operation: string,
  region = 'us-east-1',
  accessKeyId = 'test',
): Record<string, string> {
  return {
    'Content-Type': 'application/x-amz-json-1.0',
    'X-Amz-Target': `DynamoDB_20120810.${operation}`,
    'X-Amz-Date': '20260101T000000Z',
    Authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/20260101/${region}/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature=${'0'.repeat(64)}`,
  };
}

export function tableOf(name: string): object {
  return {
    TableName: name,
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    BillingMode: 'PAY_PER_REQUEST',
  };
}

export function item(id: string): object {
  return { id: { S: id } };
}
