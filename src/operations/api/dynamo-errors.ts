import { DynamoError, internalServerError, serializationError, wireFormOf } from '../../model/errors.ts';
import type { ServiceErrors } from './service.ts';

/** The errors of DynamoDB and its streams, whose forms stand beside their names. */
export const dynamoErrors: ServiceErrors = {
  xmlNamespace: '',
  formOf(error) {
    const form = wireFormOf(error as DynamoError);
    return { ...form, code: error.name, isSender: form.status < 500 };
  },
  unknownOperation: () => new DynamoError('UnknownOperationException'),
  malformed: serializationError(),
  // None of its operations takes less than the service; bodies that are too long end in `http-exchange.ts`.
  tooLarge: () => serializationError(),
  internal: internalServerError(),
};
