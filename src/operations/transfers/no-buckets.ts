import { type DynamoError, validationError } from '../../model/errors.ts';

/** Refuses an operation that needs buckets, and says how to name them. */
export function noBuckets(operation: string): DynamoError {
  return validationError(
    `${operation} needs to know where buckets are: start the server with --s3-dir <directory>, whose folders are the ` +
      'buckets, or with --s3-endpoint <url|aws>; in a program, pass Stator.open({ s3: { directory } })',
  );
}
