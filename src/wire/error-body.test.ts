import { describe, expect, it } from 'vitest';
import { DynamoError, type ErrorName, wireForms } from '../model/errors.ts';
import { errorBody } from './error-body.ts';

describe('errorBody', () => {
  it.each(Object.keys(wireForms) as ErrorName[])(
    'writes %s with its prefix, status and message member',
    (name) => {
      const { prefix, status, messageMember } = wireForms[name];
      const written = errorBody(new DynamoError(name, 'why'));
      expect(written.status).toBe(status);
      expect(JSON.parse(written.body)).toEqual({ __type: `${prefix}#${name}`, [messageMember]: 'why' });
    },
  );

  it('leaves the message out where there is none', () => {
    expect(errorBody(new DynamoError('UnknownOperationException')).body).toBe(
      '{"__type":"com.amazon.coral.service#UnknownOperationException"}',
    );
  });

  it('spells the message of a failed condition in the other way when the item is beside it', () => {
    const failed = new DynamoError('ConditionalCheckFailedException', 'failed', { Item: { pk: { S: 'a' } } });
    expect(JSON.parse(errorBody(failed).body)).toMatchObject({ Message: 'failed', Item: { pk: { S: 'a' } } });
  });

  it('puts extra members beside the message', () => {
    const error = new DynamoError('TransactionCanceledException', 'cancelled', {
      CancellationReasons: [{ Code: 'None' }],
    });
    expect(JSON.parse(errorBody(error).body)).toEqual({
      __type: 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException',
      Message: 'cancelled',
      CancellationReasons: [{ Code: 'None' }],
    });
  });
});
