import { describe, expect, it } from 'vitest';
import { autoScalingService } from '../auto-scaling-service.ts';
import { cloudWatchService } from '../cloudwatch-service.ts';
import { dynamoErrors } from '../operations/api/dynamo-errors.ts';
import type { Service } from '../operations/api/service.ts';
import { Dispatch } from './dispatch.ts';
import { HeaderFields } from './header-fields.ts';

const listTables = { name: 'ListTables', handle: () => ({}) };
const dynamo: Service = {
  targetPrefix: 'DynamoDB_20120810',
  signingName: 'dynamodb',
  apiVersion: '2012-08-10',
  protocols: ['dynamodb'],
  errors: dynamoErrors,
  operations: new Map([['ListTables', listTables]]),
};
const never = () => {
  throw new Error('not called');
};
const scaling = autoScalingService(never);
const metrics = cloudWatchService(never);
const dispatch = new Dispatch([dynamo, scaling, metrics]);

function find(headers: Record<string, string>, url = '/') {
  return dispatch.find({ method: 'POST', url, headers: HeaderFields.fromRecord(headers) });
}

const signedFor = (service: string) =>
  `AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/${service}/aws4_request`;

describe('Dispatch', () => {
  it('finds an operation by its whole target', () => {
    expect(find({ 'x-amz-target': 'DynamoDB_20120810.ListTables' })).toEqual({
      ...{ service: dynamo, speech: 'dynamodb', name: 'ListTables', operation: listTables },
    });
    expect(find({ 'x-amz-target': 'AnyScaleFrontendService.ListTagsForResource' })).toMatchObject({
      ...{ service: scaling, speech: 'json', operation: { name: 'ListTagsForResource' } },
    });
  });

  it('finds an operation by the path of RPC v2', () => {
    expect(find({}, '/service/GraniteServiceVersion20100801/operation/ListMetrics')).toMatchObject({
      ...{ service: metrics, speech: 'cbor', operation: { name: 'ListMetrics' } },
    });
    expect(find({}, '/service/AnyScaleFrontendService/operation/PutScalingPolicy').service).toBe(dynamo);
  });

  it('finds the service of a form by its signature', () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
    expect(find({ ...form, authorization: signedFor('monitoring') })).toMatchObject({
      ...{ service: metrics, speech: 'query', operation: undefined },
    });
    for (const name of ['dynamodb', 'application-autoscaling', ''])
      expect(find({ ...form, authorization: signedFor(name) }).service).toBe(dynamo);
  });

  it.each([
    undefined,
    '',
    'ListTables',
    'DynamoDB_20120810',
    'DynamoDB_20120810.',
    'DynamoDB_20120810.listTables',
    'DynamoDB_20120810.ListTables.x',
    'AnyScaleFrontendService.ListTables',
    '__proto__.constructor',
  ])('knows no operation for %s', (target) => {
    expect(find(target === undefined ? {} : { 'x-amz-target': target }).operation).toBeUndefined();
  });

  it('names the service whose manners apply to an unknown operation', () => {
    expect(find({ 'x-amz-target': 'AnyScaleFrontendService.Nonsense' }).service).toBe(scaling);
    expect(find({ 'x-amz-target': 'Nonsense.ListTables' }).service).toBe(dynamo);
    expect(find({}).service).toBe(dynamo);
  });

  it('refuses a table in which two services claim one prefix', () => {
    expect(() => new Dispatch([dynamo, { ...scaling, targetPrefix: 'DynamoDB_20120810' }])).toThrow(
      'Two services claim the target prefix DynamoDB_20120810.',
    );
  });
});
