import { DynamoError } from '../../model/errors.ts';
import { type ErrorForms, type ServiceErrors, sharedErrors } from './service.ts';

export interface AwsErrorsOptions {
  /** The text before `#` in the type of an error. */
  readonly prefix: string;
  /** The member that holds the text of an error. */
  readonly messageMember: 'message' | 'Message';
  readonly xmlNamespace: string;
  readonly apiVersion: string;
  readonly own: ErrorForms;
}

/** The errors of a service beside DynamoDB. */
export function awsErrors({
  prefix,
  messageMember,
  xmlNamespace,
  apiVersion,
  own,
}: AwsErrorsOptions): ServiceErrors {
  return {
    xmlNamespace,
    formOf({ name }) {
      const { code = name, status = 400, isSender = true } = own[name] ?? sharedErrors[name] ?? {};
      return { prefix, messageMember, code, status, isSender };
    },
    unknownOperation(name) {
      const shown = name === undefined ? 'null' : /^\w{1,80}$/.test(name) ? name : 'that';
      const message = `Could not find operation ${shown} for version ${apiVersion}`;
      return new DynamoError('UnknownOperationException', message);
    },
    // CloudWatch's words: github.com/aws/aws-sdk-go/issues/4441, github.com/influxdata/telegraf/issues/10842.
    tooLarge: (bytes, bytesMax) =>
      new DynamoError<string>('RequestEntityTooLarge', `Request size ${bytes} exceeded ${bytesMax} bytes`),
    malformed: new DynamoError('SerializationException', 'The body of the request cannot be read'),
    internal: new DynamoError<string>('InternalServiceFault', 'Internal service error'),
  };
}
