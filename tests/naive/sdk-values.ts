import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { type Attributes, attributes, canonicalItem, type Value } from './values.ts';

export type Input = Readonly<Record<string, unknown>>;

export function forSdk(input: Input): Input {
  const converted = ['Item', 'Key', 'ExpressionAttributeValues', 'ExclusiveStartKey'];
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [
      name,
      name === 'RequestItems'
        ? batchesForSdk(value as Input)
        : name === 'TransactItems'
          ? (value as Input[]).map(membersForSdk)
          : converted.includes(name)
            ? toSdk(value as Attributes)
            : value,
    ]),
  );
}

function batchesForSdk(requestItems: Input): Input {
  const ofTable = (request: unknown) =>
    Array.isArray(request)
      ? request.map(membersForSdk)
      : {
          ...(request as Input),
          Keys: (request as { readonly Keys: readonly Attributes[] }).Keys.map(toSdk),
        };
  return Object.fromEntries(Object.entries(requestItems).map(([name, request]) => [name, ofTable(request)]));
}

/** Each member is a request of its own. */
function membersForSdk(requests: Input): Input {
  return Object.fromEntries(Object.entries(requests).map(([name, sent]) => [name, forSdk(sent as Input)]));
}

export type SdkAttributes = Record<string, AttributeValue | undefined>;

function toSdk(item: Attributes): SdkAttributes {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, toSdkValue(value)]));
}

function toSdkValue(value: Value): AttributeValue {
  if ('B' in value) return { B: Buffer.from(value.B, 'base64') };
  if ('BS' in value) return { BS: value.BS.map((member) => Buffer.from(member, 'base64')) };
  if ('L' in value) return { L: value.L.map(toSdkValue) };
  if ('M' in value) return { M: toSdk(value.M) as Record<string, AttributeValue> };
  return value as AttributeValue;
}

export function fromSdk(item: SdkAttributes): Attributes {
  return attributes(Object.entries(item).map(([name, value]) => [name, fromSdkValue(value)]));
}

function fromSdkValue(value: AttributeValue | undefined): Value {
  if (value === undefined) return unread;
  if (value.B !== undefined) return { B: Buffer.from(value.B).toString('base64') };
  if (value.BS !== undefined) return { BS: value.BS.map((member) => Buffer.from(member).toString('base64')) };
  if (value.L !== undefined) return { L: value.L.map(fromSdkValue) };
  if (value.M !== undefined) return { M: fromSdk(value.M) };
  return value as Value;
}

/**
 * The SDK shows that an item has an attribute `__proto__`, but loses its value, though not that of one in a map
 * (@aws-sdk/client-dynamodb 3.1162). So only the name is compared; what it holds shows in conditions and sizes.
 */
const unread: Value = { S: 'a value that the SDK does not show' };

export function topText(item: Attributes): string {
  return canonicalItem(topItem(item));
}

export function topItem(item: Attributes): Attributes {
  const shown = Object.entries(item).map(([name, value]): [string, Value] =>
    name === '__proto__' ? [name, unread] : [name, value],
  );
  return attributes(shown);
}

export function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

export function withoutUndefined(input: Input): Input {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
}
