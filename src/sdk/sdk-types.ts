// biome-ignore-all lint/suspicious/noTsIgnore: An error is expected only where the packages are absent.

/**
 * The SDK's types under our own names. Both packages are optional: a program without them still compiles, because
 * the line that finds no package is ignored and the type is then `any`. The comment has to stand on the line
 * before, and reaches the published declarations only in this form.
 */

/** @ts-ignore The package may be absent. */
export type DynamoDBClient = import('@aws-sdk/client-dynamodb').DynamoDBClient;
/** @ts-ignore The package may be absent. */
export type DynamoDBClientConfig = import('@aws-sdk/client-dynamodb').DynamoDBClientConfig;
/** @ts-ignore The package may be absent. */
export type DynamoDBDocumentClient = import('@aws-sdk/lib-dynamodb').DynamoDBDocumentClient;
/** @ts-ignore The package may be absent. */
export type TranslateConfig = import('@aws-sdk/lib-dynamodb').TranslateConfig;
/** @ts-ignore The package may be absent. */
export type DynamoDBStreamsClient = import('@aws-sdk/client-dynamodb-streams').DynamoDBStreamsClient;
