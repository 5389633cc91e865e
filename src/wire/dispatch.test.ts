import { describe, expect, it } from 'vitest';
import { Dispatch, type Service } from './dispatch.ts';

const dynamo: Service = {
  targetPrefixes: ['DynamoDB_20120810', 'DynamoDB_20111205'],
  signingName: 'dynamodb',
  contentType: 'application/x-amz-json-1.0',
  operations: new Map([['ListTables', () => ({})]]),
};
const scaling: Service = {
  targetPrefixes: ['AnyScaleFrontendService'],
  signingName: 'application-autoscaling',
  contentType: 'application/x-amz-json-1.1',
  operations: new Map([['ListTagsForResource', () => ({})]]),
};
const dispatch = new Dispatch([dynamo, scaling]);

describe('Dispatch', () => {
  it('finds an operation by its whole target', () => {
    expect(dispatch.route('DynamoDB_20120810.ListTables')).toMatchObject({
      service: dynamo,
      operation: 'ListTables',
    });
    expect(dispatch.route('DynamoDB_20111205.ListTables')?.service).toBe(dynamo);
    expect(dispatch.route('AnyScaleFrontendService.ListTagsForResource')?.service).toBe(scaling);
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
    expect(dispatch.route(target)).toBeUndefined();
  });

  it('names the service whose manners apply to an unknown operation', () => {
    expect(dispatch.serviceOf('AnyScaleFrontendService.Nonsense')).toBe(scaling);
    expect(dispatch.serviceOf('Nonsense.ListTables')).toBe(dynamo);
    expect(dispatch.serviceOf(undefined)).toBe(dynamo);
  });

  it('refuses a table in which two services claim one prefix', () => {
    expect(() => new Dispatch([dynamo, { ...scaling, targetPrefixes: ['DynamoDB_20111205'] }])).toThrow(
      'Two services claim the target prefix DynamoDB_20111205.',
    );
  });
});
