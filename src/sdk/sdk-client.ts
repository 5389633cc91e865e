import { createRequire } from 'node:module';
import { shown } from '../model/check-options.ts';
import { isMissingPackage } from '../model/missing-package.ts';
import type { RequestHandler } from '../wire/request-handler.ts';
import { InProcessHandler } from './in-process-handler.ts';
import type {
  DynamoDBClient,
  DynamoDBClientConfig,
  DynamoDBDocumentClient,
  DynamoDBStreamsClient,
  TranslateConfig,
} from './sdk-types.ts';
import { unsignedScheme } from './unsigned-scheme.ts';

/** The database as a client sees it. */
export interface Reachable {
  readonly region: string;
  readonly requests: RequestHandler;
  nowMs(): number;
}

/**
 * Both packages are published as CommonJS, so `require` finds the very module that an `import` of the application
 * gets, and `client instanceof DynamoDBClient` holds for either; it also loads at once, without a promise.
 */
const require = createRequire(import.meta.url);

/** A configuration with which any client of the SDK speaks to the database in this process. */
export function clientConfig(db: Reachable, config: DynamoDBClientConfig = {}): DynamoDBClientConfig {
  if (typeof config !== 'object' || config === null)
    throw new TypeError(
      `A client takes the configuration of the AWS SDK, such as { maxAttempts: 1 }, and not ${shown(config)}`,
    );
  return {
    region: db.region,
    credentials: anyone,
    httpAuthSchemes: [unsignedScheme(() => db.nowMs())],
    ...config,
    requestHandler: new InProcessHandler(() => db.requests),
  } as DynamoDBClientConfig;
}

export function sdkClient(db: Reachable, config?: DynamoDBClientConfig): DynamoDBClient {
  const sdk = loaded(
    '@aws-sdk/client-dynamodb',
    () => require('@aws-sdk/client-dynamodb') as typeof import('@aws-sdk/client-dynamodb'),
  );
  return new sdk.DynamoDBClient(clientConfig(db, config));
}

export function sdkDocumentClient(
  db: Reachable,
  config?: DynamoDBClientConfig,
  translateConfig?: TranslateConfig,
): DynamoDBDocumentClient {
  const lib = loaded(
    '@aws-sdk/lib-dynamodb',
    () => require('@aws-sdk/lib-dynamodb') as typeof import('@aws-sdk/lib-dynamodb'),
  );
  return lib.DynamoDBDocumentClient.from(sdkClient(db, config), translateConfig);
}

/** The clients for tables and for streams are configured alike. */
export function sdkStreamsClient(db: Reachable, config?: DynamoDBClientConfig): DynamoDBStreamsClient {
  const sdk = loaded(
    '@aws-sdk/client-dynamodb-streams',
    () => require('@aws-sdk/client-dynamodb-streams') as StreamsPackage,
  );
  return new sdk.DynamoDBStreamsClient(clientConfig(db, config));
}

interface StreamsPackage {
  readonly DynamoDBStreamsClient: new (config: object) => DynamoDBStreamsClient;
}

/** Credentials that name nobody: they see the default account. */
const anyone = { accessKeyId: 'stator', secretAccessKey: 'stator' };

function loaded<Package>(name: string, load: () => Package): Package {
  try {
    return load();
  } catch (error) {
    if (!isMissingPackage(error)) throw error;
    throw new Error(`This needs the package ${name}, which is not installed: npm install ${name}`, {
      cause: error,
    });
  }
}
