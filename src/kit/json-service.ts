/** A service of AWS that speaks JSON. */
export interface JsonService {
  /** The first part of its host at AWS. */
  readonly host: string;
  readonly targetPrefix: string;
  readonly signingName: string;
  readonly contentType: string;
}

const json = 'application/x-amz-json-1.0';
export const dynamoDb: JsonService = {
  ...{ host: 'dynamodb', targetPrefix: 'DynamoDB_20120810', signingName: 'dynamodb', contentType: json },
};
export const dynamoDbStreams: JsonService = {
  ...dynamoDb,
  ...{ host: 'streams.dynamodb', targetPrefix: 'DynamoDBStreams_20120810' },
};
export const cloudWatch: JsonService = {
  ...{ host: 'monitoring', targetPrefix: 'GraniteServiceVersion20100801' },
  ...{ signingName: 'monitoring', contentType: json },
};
export const autoScaling: JsonService = {
  ...{ host: 'application-autoscaling', targetPrefix: 'AnyScaleFrontendService' },
  ...{ signingName: 'application-autoscaling', contentType: 'application/x-amz-json-1.1' },
};

/** The address of a service at AWS. */
export function addressAtAws({ host }: JsonService, region: string): string {
  return `https://${host}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
}
