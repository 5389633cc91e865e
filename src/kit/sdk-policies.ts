import type { RetryPolicy } from './retry-policy.ts';

/**
 * The retry policies of AWS's SDKs for DynamoDB, by name and date.
 *
 * `standard` and `adaptive` are the defaults since 10 November 2026 (documented: SDK sources, @smithy/core 3.40.0 and
 * @aws-sdk/client-dynamodb 3.1162.0: `retries-2026-config`, `DefaultRetryBackoffStrategy`, `StandardRetryStrategy`).
 * `standard-2025` and `adaptive-2025` are those of the SDK for JavaScript before that day (documented: SDK sources,
 * @smithy/util-retry). `legacy` was the default of botocore and of the AWS CLI (documented: SDK sources,
 * botocore/data/_retry.json: ten attempts for DynamoDB, 50 ms doubled, no jitter).
 */
export const sdkPolicies = {
  standard: {
    ...{ attemptsMax: 4, repeats: ['throttled', 'transient', 'unreachable'] },
    ...{ baseMs: 25, throttledBaseMs: 1_000, growth: 2, pauseMsMax: 20_000 },
    ...{ jitter: 'full', retryAfterMsMax: 5_000 },
    budget: { tokens: 500, cost: 14, throttledCost: 5 },
  },
  adaptive: {
    ...{ attemptsMax: 4, repeats: ['throttled', 'transient', 'unreachable'] },
    ...{ baseMs: 25, throttledBaseMs: 1_000, growth: 2, pauseMsMax: 20_000 },
    ...{ jitter: 'full', retryAfterMsMax: 5_000, isAdaptive: true },
    budget: { tokens: 500, cost: 14, throttledCost: 5 },
  },
  'standard-2025': {
    ...{ attemptsMax: 3, repeats: ['throttled', 'transient', 'unreachable'] },
    ...{ baseMs: 100, throttledBaseMs: 500, growth: 2, pauseMsMax: 20_000 },
    ...{ jitter: 'full', cutsAfterJitter: true, retryAfterMsMax: 0 },
    budget: { tokens: 500, cost: 5, throttledCost: 5 },
  },
  'adaptive-2025': {
    ...{ attemptsMax: 3, repeats: ['throttled', 'transient', 'unreachable'] },
    ...{ baseMs: 100, throttledBaseMs: 500, growth: 2, pauseMsMax: 20_000 },
    ...{ jitter: 'full', cutsAfterJitter: true, retryAfterMsMax: 0, isAdaptive: true },
    budget: { tokens: 500, cost: 5, throttledCost: 5 },
  },
  legacy: {
    ...{ attemptsMax: 10, repeats: ['throttled', 'transient', 'unreachable'] },
    ...{ baseMs: 50, growth: 2, pauseMsMax: Number.POSITIVE_INFINITY },
    ...{ jitter: 'none', retryAfterMsMax: 0 },
  },
  none: {
    ...{ attemptsMax: 1, repeats: [], baseMs: 0, growth: 1, pauseMsMax: 0 },
    ...{ jitter: 'none', retryAfterMsMax: 0 },
  },
} as const satisfies Readonly<Record<string, RetryPolicy>>;

export type RetryMode = keyof typeof sdkPolicies;
export const retryModes = Object.keys(sdkPolicies) as readonly RetryMode[];

/** What a client does whose program sets no mode. */
export const defaultRetryMode: RetryMode = 'standard';
